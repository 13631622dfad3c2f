"""World or business: two of the four classes of AG News."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from attex.data.cleaning import jain_wallace_words
from attex.data.csv_rows import csv_rows
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Count, Document, Reader
from attex.data.split_list import drawn_split
from attex.foundations.errors import UserError

_CLASSES = {"1": "world", "3": "business"}
_ALL_CLASSES = ("1", "2", "3", "4")
_DEV_SHARE = 15


@READERS.register("ag_news", aliases=("agnews",), cite="Zhang et al. 2015")
@dataclass(frozen=True, kw_only=True)
class AGNews(Reader):
    """Descriptions of news about the world (0) or business (1).

    From `train.csv` and `test.csv` with rows class, title, description: classes 1 and 3, without
    the title; a row without a description is passed over. Lower-cased, tokens with a digit masked
    as "qqq", punctuation marks tokens of their own. Jain & Wallace give no bounds of length, so
    the shortest and longest text of each split drop: 3798 test texts. Their dev was 15 % of train
    by scikit-learn's shuffle with seed 16377; here a hash of the tokens draws 15 %, so that a text
    is in the same split whether the file is whole or a part, and never in both.
    """

    drop_extremes: bool = True
    min_frequency: Count = 5

    publisher: ClassVar[str] = "s3.amazonaws.com/fast-ai-nlp/ag_news_csv.tgz"
    classes: ClassVar[tuple[str, ...]] = ("world", "business")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the two files of rows."""
        return [
            folder.find(
                f"ag_news/{part}.csv", f"ag_news/ag_news_csv/{part}.csv", publisher=self.publisher
            )
            for part in ("train", "test")
        ]

    def tokens(self, text: str) -> list[str]:
        """Cut a text nearly as spaCy does, with digits masked."""
        return jain_wallace_words(text)

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the descriptions of the two classes."""
        for part, path in zip(("train", "test"), self.files(folder), strict=True):
            for number, label, description in _rows(path):
                tokens = self.tokens(description)
                drawn = drawn_split(" ".join(tokens), dev=_DEV_SHARE)
                yield Document(
                    name=f"{part}/{number}",
                    split="test" if part == "test" else drawn,
                    tokens=tokens,
                    label=label,
                )


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    for number, row in enumerate(csv_rows(path), 1):
        if len(row) != 3 or row[0] not in _ALL_CLASSES:
            raise UserError(f"{path} row {number} is not a class from 1 to 4, a title, a description")
        label, description = _CLASSES.get(row[0]), row[2].strip()
        if label is not None and description:
            yield number, label, description
