"""What a dataset is to the rest of the house: documents with labels, cut into splits."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut, refusal
from attex.foundations.errors import UserError
from attex.foundations.registry import LATER, Registry, Spec

SPLITS = ("train", "dev", "test")

Count = Annotated[int, Field(ge=1, le=10**9)]


@dataclass(frozen=True, slots=True)
class Document:
    """One text before it meets a vocabulary.

    `name` is stable and unique in the dataset; `truth` marks the tokens that decide the label,
    where that is known. `query` is a second text, as a question or a hypothesis: attention rests on
    the first, and the label answers the second. All texts of a dataset have one, or none has.
    `candidates` are the labels among which the answer is to be sought; None: all of them.
    `impermissible` marks the tokens that attention may be trained to hide; None: nobody has said.
    """

    name: str
    split: str
    tokens: list[str]
    label: str
    truth: list[bool] | None = None
    query: list[str] | None = None
    candidates: Collection[str] | None = None
    impermissible: list[bool] | None = None

    @property
    def texts(self) -> list[list[str]]:
        """The tokens, and those of the query where there is one."""
        return [self.tokens] if self.query is None else [self.tokens, self.query]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the raw files that a user should hear, as the encoding they were read in."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Reader(ABC):
    """A dataset: which raw files it needs, and the documents in them.

    The options every dataset shares say which texts are kept and which words are known:
    `min_tokens` and `max_tokens` are inclusive; with `drop_extremes` a bound that is not given is
    the observed extreme of the split, exclusive, as Jain & Wallace's loader has it;
    `min_frequency` counts training texts that contain the word; `markers` puts a start and an end
    marker around each text, which the encoder sees and attention never rests on; `limit` keeps
    that many evenly spaced texts of each split, for a quick look; `train_share` keeps that share of
    train alone, and of its words: it shows what a smaller training set costs. `test_limit` keeps that
    many evenly spaced texts of test alone, where measures of many texts would take long; `first_tokens`
    cuts every text, though no query, after so many tokens, before its length is looked at.
    """

    min_tokens: Count = 1
    max_tokens: Count | None = None
    drop_extremes: bool = False
    min_frequency: Count = 1
    markers: bool = True
    limit: Count | None = None
    train_share: Annotated[float, Field(gt=0, le=1), LATER] = 1.0
    test_limit: Annotated[Count | None, LATER] = None
    first_tokens: Annotated[Count | None, LATER] = None

    publisher: ClassVar[str] = ""
    classes: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = "text"
    """What a text is called where it is named, as `row` of a table."""

    def called(self) -> str:
        """Say what tables call the dataset, if not by the reader's name."""
        return ""

    def class_names(self) -> tuple[str, ...]:
        """Name the labels in the order of their index; empty means: as the data has them."""
        return self.classes

    @abstractmethod
    def files(self, folder: DataFolder) -> list[Path]:
        """Find the raw files, or raise `MissingData`."""

    @abstractmethod
    def documents(self, folder: DataFolder) -> Iterator[Document | LeftOut | Remark]:
        """Read every document, unfiltered, in a fixed order.

        A text that cannot be used is an error, or a `LeftOut` in its place, which is counted and
        listed; a `Remark` is told to the user. Both may come anywhere among the documents.
        """

    def tokens(self, text: str) -> list[str]:
        """Cut and clean a text that is not in the dataset as those are that are in it."""
        raise UserError(
            f"the dataset's reader, {type(self).__name__}, does not say how it cuts a text: give it a "
            "method tokens(text), or give the text as a list of tokens"
        )

    def answers_in(self, tokens: Sequence[str]) -> Collection[str] | None:
        """Name the labels among which the answer to a new text is to be sought; None: all of them."""
        return None

    def settled(self, documents: list[Document], folder: DataFolder) -> list[Document]:
        """Look at all documents together, before any is left out for its length or its class.

        This is the place to refuse them, or to change the splits they are in.
        """
        return documents

    def whole_classes_only(self) -> bool:
        """Say whether texts are left out whose class is not in every split, instead of refused."""
        return False

    def check_left_out(self, unusable: Sequence[LeftOut], of: int) -> None:
        """Raise `UserError` where too many texts cannot be used: here, more than half."""
        if 2 * len(unusable) > of:
            raise refusal(unusable, of, self.unit, ", which is more than half")


READERS: Registry[Reader] = Registry("dataset", "attex.data.readers", default="planted")


def dataset_name(spec: Spec) -> str:
    """Return what tables call a dataset: its reader, or a task where that is data of its own."""
    reader: Reader = READERS.bind(spec)
    return reader.called() or spec.type
