"""The Large Movie Review Dataset on the split of Jain & Wallace."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from attex.data.archive import read_texts
from attex.data.cleaning import keras_words
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Count, Document, Reader
from attex.data.split_list import published_split, require_all

_FOLDER = "aclImdb"


@READERS.register("imdb", cite="Maas et al. 2011")
@dataclass(frozen=True, kw_only=True)
class IMDB(Reader):
    """Whole movie reviews with binary sentiment.

    Only the reviews that Jain & Wallace used, on their train, dev and test; tokenised as Keras
    did; 7 to 399 tokens. The archive `aclImdb_v1.tar.gz` or its unpacked folder will do.
    """

    min_tokens: Count = 7
    max_tokens: Count | None = 399
    min_frequency: Count = 10

    publisher: ClassVar[str] = "ai.stanford.edu/~amaas/data/sentiment (aclImdb_v1.tar.gz)"
    classes: ClassVar[tuple[str, ...]] = ("negative", "positive")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the files of the unpacked folder or, failing that, the archive."""
        root = folder.root / "imdb" / _FOLDER
        names = jain_wallace_split() if root.is_dir() else ()
        unpacked = [path for name in names if (path := root / f"{name}.txt").is_file()]
        return unpacked or [folder.find("imdb/aclImdb_v1.tar.gz", publisher=self.publisher)]

    def tokens(self, text: str) -> list[str]:
        """Cut a text as Keras did."""
        return keras_words(text)

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the reviews of the split list, in its order."""
        split = jain_wallace_split()
        place = folder.root / "imdb"
        read = read_texts(self.files(folder), place, lambda name: _review(name) in split)
        texts = {_review(name): text for name, text in read}
        require_all(split, texts, place, "reviews")
        for name, part in split.items():
            yield Document(
                name=name,
                split=part,
                tokens=self.tokens(texts[name]),
                label=self.classes["/pos/" in name],
            )


def jain_wallace_split() -> dict[str, str]:
    """Return review → split: 17,212 train, 4304 dev, 4363 test (2703 by token overlap)."""
    return published_split("imdb_jain_wallace")


def _review(path: str) -> str:
    return path.removeprefix(f"{_FOLDER}/").removesuffix(".txt")
