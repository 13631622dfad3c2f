"""The Large Movie Review Dataset on the split of Jain & Wallace."""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import ClassVar

from attex.data.cleaning import keras_words
from attex.data.folder import DataFolder, damage_named, open_text
from attex.data.reader import READERS, SPLITS, Count, Document, Reader
from attex.foundations.errors import UserError

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
        unpacked = [root / f"{name}.txt" for name in names if _there(root, name)]
        return unpacked or [folder.find("imdb/aclImdb_v1.tar.gz", publisher=self.publisher)]

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the reviews of the split list, in its order."""
        split = jain_wallace_split()
        texts = dict(self._texts(folder, split))
        absent = [name for name in split if name not in texts]
        if absent:
            raise UserError(
                f"{folder.root / 'imdb'} lacks {len(absent)} of the {len(split)} reviews of the "
                f"split, {absent[0]} the first of them; is the archive complete?"
            )
        for name, part in split.items():
            yield Document(
                name=name,
                split=part,
                tokens=keras_words(texts[name]),
                label=self.classes["/pos/" in name],
            )

    def _texts(self, folder: DataFolder, wanted: dict[str, str]) -> Iterator[tuple[str, str]]:
        files = self.files(folder)
        if files[0].suffix == ".txt":
            root = folder.root / "imdb" / _FOLDER
            for path in files:
                with damage_named(path):
                    name = path.relative_to(root).with_suffix("").as_posix()
                    yield name, path.read_text(encoding="utf-8")
        else:
            with damage_named(files[0]), tarfile.open(files[0], "r|gz") as archive:
                for member in archive:
                    name = member.name.removeprefix(f"{_FOLDER}/").removesuffix(".txt")
                    if name in wanted and (content := archive.extractfile(member)) is not None:
                        yield name, content.read().decode("utf-8")


def jain_wallace_split() -> dict[str, str]:
    """Return review → split: 17,212 train, 4304 dev, 4363 test (2703 by token overlap)."""
    listed = resources.files("attex.data") / "splits" / "imdb_jain_wallace.csv.gz"
    with resources.as_file(listed) as path, open_text(path) as file:
        next(file)
        pairs = dict(line.rstrip("\n").split(",") for line in file)
    order = {split: rank for rank, split in enumerate(SPLITS)}
    return dict(sorted(pairs.items(), key=lambda pair: (order[pair[1]], pair[0])))


def _there(root: Path, name: str) -> bool:
    return (root / f"{name}.txt").is_file()
