"""From raw text to tokens, as the papers did it and for a user's own files."""

import re

# Keras' tokenizer turned these into spaces and kept the apostrophe; the IMDB texts of the papers
# went through it, "br" of "<br />" included.
_KERAS_SEPARATORS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))

# spaCy's English rules in their main lines: addresses and numbers whole, clitics apart.
_SPACY = re.compile(
    r"\w+://\S+|\d+(?:[.,:/]\d+)*\w*|\w+?(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]"
)

_WORDS_AND_MARKS = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def keras_words(text: str) -> list[str]:
    """Lower-case, drop punctuation but apostrophes, split at white space."""
    return text.lower().translate(_KERAS_SEPARATORS).split()


def words_only(text: str) -> list[str]:
    """Lower-case and keep runs of word characters only."""
    return re.sub(r"\W+", " ", text).lower().split()


def words_and_marks(text: str) -> list[str]:
    """Lower-case and split off every punctuation mark; contractions stay whole."""
    return _WORDS_AND_MARKS.findall(text.lower())


def spacy_words(text: str) -> list[str]:
    """Lower-case and split off every punctuation mark, and clitics: "do", "n't"; "it", "'s"."""
    return _SPACY.findall(text.lower())


def jain_wallace_words(text: str) -> list[str]:
    """Tokenise nearly as spaCy does, and write "qqq" for a token with a digit."""
    return ["qqq" if any(map(str.isdigit, word)) else word for word in spacy_words(text)]
