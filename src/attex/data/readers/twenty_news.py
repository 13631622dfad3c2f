"""Baseball or hockey: two of the 20 Newsgroups on the split of Jain & Wallace."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from attex.data.archive import read_texts, unpacked_or_archive
from attex.data.cleaning import jain_wallace_words, words_only
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Count, Document, Reader
from attex.data.split_list import published_split, require_all

_GROUPS = ("rec.sport.baseball", "rec.sport.hockey")
_QUOTE = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>")
_RULE = re.compile(r"\s*-*\s*")


@READERS.register("20news", aliases=("20news_sports",), cite="Lang 1995")
@dataclass(frozen=True, kw_only=True)
class TwentyNews(Reader):
    """Newsgroup messages about baseball (0) or hockey (1).

    From `20news-bydate.tar.gz` or what is unpacked from it, the 1933 messages that are not empty
    without headers, signatures and quotations, on Jain & Wallace's train, dev and test;
    lower-cased, tokens with a digit masked as "qqq", punctuation dropped; 7 to 499 tokens, their
    "6 to 500" being exclusive: 1142 / 277 / 357.
    """

    min_tokens: Count = 7
    max_tokens: Count | None = 499
    min_frequency: Count = 2

    publisher: ClassVar[str] = "qwone.com/~jason/20Newsgroups (20news-bydate.tar.gz)"
    classes: ClassVar[tuple[str, ...]] = ("baseball", "hockey")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the messages of the unpacked folders or, failing that, the archive."""
        patterns = (f"20news-bydate*/**/{group}/*" for group in _GROUPS)
        archive = "20news/20news-bydate.tar.gz"
        return unpacked_or_archive(folder, archive, *patterns, publisher=self.publisher)

    def tokens(self, text: str) -> list[str]:
        """Cut a message that has neither header nor quotations."""
        # Punctuation goes last, as theirs did: "1.5" is one masked token, not two.
        return words_only(" ".join(jain_wallace_words(text)))

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the messages of the split list, in its order."""
        split = jain_wallace_split()
        place = folder.root / "20news"
        # The messages are older than Unicode; every byte is a letter of Latin-1.
        read = read_texts(
            self.files(folder), place, lambda name: _message(name) in split, encoding="latin-1"
        )
        texts = {_message(name): text for name, text in read}
        require_all(split, texts, place, "messages")
        for name, part in split.items():
            group = name.partition("/")[0]
            yield Document(
                name=name,
                split=part,
                tokens=self.tokens(body(texts[name])),
                label=self.classes[_GROUPS.index(group)],
            )


def jain_wallace_split() -> dict[str, str]:
    """Return message → split: 1236 train, 310 dev, 387 test, rebuilt from the published recipe."""
    return published_split("20news_jain_wallace")


def body(message: str) -> str:
    """Return what the sender wrote, by scikit-learn's definition.

    Without the header, which ends at the first blank line; without the footer, which follows the
    last line that is blank or a rule of dashes; without lines that quote or announce a quotation.
    """
    text = message.partition("\n\n")[2]
    lines = text.strip().split("\n")
    rules = [number for number, line in enumerate(lines) if _RULE.fullmatch(line)]
    # A rule in the first line would leave nothing: then there is no footer, and edges count.
    written = lines[: rules[-1]] if rules and rules[-1] > 0 else text.split("\n")
    return "\n".join(line for line in written if not _QUOTE.search(line))


def _message(path: str) -> str:
    return "/".join(path.split("/")[-2:])
