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

_AROUND = re.compile(r"""(["“”‘`(]*)(.*?)([.,!?;:…"“”)]*|['’][.,!?;:…"“”)]*)""", re.S)
_CONTRACTION = re.compile(r"(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))", re.I)
_DOTS_OR_MARK = re.compile(r"\.{2,}|.", re.S)
_ABBREVIATIONS = frozenset(
    ["mr", "mrs", "ms", "dr", "st", "jr", "sr", "vs", "etc", "prof", "rev", "gen"]
)


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


def treebank_words(text: str, contractions: bool = True) -> list[str]:
    """Split marks off the ends of words, and contractions in two: "do", "n't"; "it", "'s".

    This is how the Penn Treebank writes texts, in its main lines. A text that is written so already
    stays as it is: marks between spaces are not cut, and "Mr." and "U.S." keep their full stop.
    """
    words: list[str] = []
    for chunk in text.split():
        around = _AROUND.fullmatch(chunk) if any(map(str.isalnum, chunk)) else None
        if around is None:
            words.append(chunk)
            continue
        before, word, after = around.groups()
        abbreviated = re.match(r"\.(?!\.)", after) and _is_abbreviation(word)
        if abbreviated or (after[:1] in ("'", "’") and not contractions):
            word, after = word + after[0], after[1:]
        parts = _CONTRACTION.fullmatch(word) if contractions else None
        words += [*before, *(parts.groups() if parts else (word,)), *_DOTS_OR_MARK.findall(after)]
    return words


def _is_abbreviation(word: str) -> bool:
    return "." in word or word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())
