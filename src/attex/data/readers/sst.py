"""The Stanford Sentiment Treebank, two classes, as Jain & Wallace cut it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from attex.data.cleaning import treebank_words, words_only
from attex.data.folder import DataFolder, open_text
from attex.data.reader import READERS, SPLITS, Count, Document, Reader
from attex.foundations.errors import UserError

_TREE = re.compile(r"\(([0-4]) ")
_LEAF = re.compile(r" ([^()\s]+)\)")
_NEUTRAL = 2
_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}


@READERS.register("sst", cite="Socher et al. 2013")
@dataclass(frozen=True, kw_only=True)
class SST(Reader):
    """Movie-review sentences with binary sentiment.

    Root labels 0, 1 are negative and 3, 4 positive; neutral trees are dropped. Brackets and
    punctuation are stripped, words lower-cased; texts of more than 5 tokens are kept, and the
    longest of each split falls to the loader's strict bound: 6355 / 821 / 1725. With
    `cleaning="none"` the leaves stay as they are, cased and with punctuation (Neely & Schouten).
    """

    min_tokens: Count = 6
    drop_extremes: bool = True
    cleaning: Literal["words", "none"] = "words"

    publisher: ClassVar[str] = "nlp.stanford.edu/sentiment (trainDevTestTrees_PTB.zip)"
    classes: ClassVar[tuple[str, ...]] = ("negative", "positive")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the three files of trees."""
        return [
            folder.find(f"sst/{split}.txt", f"sst/trees/{split}.txt", publisher=self.publisher)
            for split in SPLITS
        ]

    def tokens(self, text: str) -> list[str]:
        """Cut a text as the leaves of the trees are, and clean these."""
        return self._cleaned([_BRACKETS.get(word, word) for word in treebank_words(text)])

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the roots and leaves of all trees that are not neutral."""
        for split, path in zip(SPLITS, self.files(folder), strict=True):
            with open_text(path) as file:
                for number, line in enumerate(file, 1):
                    root = _TREE.match(line)
                    if root is None:
                        raise UserError(f"{path} line {number} is not a labelled tree")
                    label, leaves = int(root[1]), _LEAF.findall(line)
                    if label != _NEUTRAL:
                        yield Document(
                            name=f"{split}/{number}",
                            split=split,
                            tokens=self._cleaned(leaves),
                            label=self.classes[label > _NEUTRAL],
                        )

    def _cleaned(self, leaves: list[str]) -> list[str]:
        if self.cleaning == "none":
            return leaves
        return words_only(" ".join(leaves).replace("-LRB-", "").replace("-RRB-", " "))
