"""What a dataset is to the rest of the house: documents with labels, cut into splits."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from attex.data.folder import DataFolder
from attex.foundations.registry import Registry

SPLITS = ("train", "dev", "test")

Count = Annotated[int, Field(ge=1, le=10**9)]


@dataclass(frozen=True, slots=True)
class Document:
    """One text before it meets a vocabulary.

    `name` is stable and unique in the dataset; `truth` marks the tokens that decide the label,
    where that is known.
    """

    name: str
    split: str
    tokens: list[str]
    label: str
    truth: list[bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Reader(ABC):
    """A dataset: which raw files it needs, and the documents in them.

    The options every dataset shares say which texts are kept and which words are known:
    `min_tokens` and `max_tokens` are inclusive; with `drop_extremes` a bound that is not given is
    the observed extreme of the split, exclusive, as Jain & Wallace's loader has it;
    `min_frequency` counts training texts that contain the word; `markers` puts a start and an end
    marker around each text, which the encoder sees and attention never rests on; `limit` keeps
    that many evenly spaced texts of each split, for a quick look.
    """

    min_tokens: Count = 1
    max_tokens: Count | None = None
    drop_extremes: bool = False
    min_frequency: Count = 1
    markers: bool = True
    limit: Count | None = None

    publisher: ClassVar[str] = ""
    classes: ClassVar[tuple[str, ...]] = ()

    def class_names(self) -> tuple[str, ...]:
        """Name the labels in the order of their index; empty means: as the data has them."""
        return self.classes

    @abstractmethod
    def files(self, folder: DataFolder) -> list[Path]:
        """Find the raw files, or raise `MissingData`."""

    @abstractmethod
    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read every document, unfiltered, in a fixed order."""


READERS: Registry[Reader] = Registry("dataset", "attex.data.readers", default="planted")
