"""What a study is: many models in, one answer out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from attex.analyses.headline import Headline
from attex.foundations.errors import UserError
from attex.foundations.registry import Registry, did_you_mean
from attex.report.study_page import Part
from attex.studies.designs import Design
from attex.studies.run_set import RunSet

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Answer:
    """What follows from the models: a few sentences, headlines, and the parts that show why."""

    lead: Sequence[str]
    parts: Sequence[Part]
    headlines: Sequence[Headline]


Offered = Sequence[tuple[Mapping[str, str], frozenset[str]]]
"""Cells, each with the names of the quantities that its models will have."""


class Study(ABC):
    """Says which settings of the choices are tried, and what follows from the models of all of them."""

    title: ClassVar[str]
    cell_by_cell: ClassVar[bool] = False
    """Whether all that it says of a cell follows from the models of that cell.

    Then cells can be asked about one at a time, where and when there are models of them, and what is
    said of each put together; charts that compare cells are its `overview`. Where it is false, some
    sentence, table or other chart compares them.
    """

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return choices that the study itself brings, written as a file has them.

        They are crossed with those of the file. `base` are the fields of an experiment as they are
        written, `seeds` with them; asked again for every cell and every level of the file's choices, so
        that values can depend on what those have set. The names of choices and levels cannot.

        Raises:
            UserError: if such a base has no such choices.
        """
        return {}

    @abstractmethod
    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Choose the settings, given how many levels each choice has; some blocks of them, or all.

        `names` is what the choices are called.

        Raises:
            ValueError: if there is no such design.
        """

    def check(self, cells: Offered) -> None:
        """Raise `UserError` if the models will not have the numbers that are asked about.

        `cells` are the cells, each with the names of the quantities that its models will have. Called
        before any training. By default any numbers will do.
        """
        return

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]] | None:
        """Return the numbers of its models in the words of the ledger of published numbers.

        `rows` are those of `tables/numbers`. None says that these words are the ledger's already; a
        study that brings models of its own has other words for them.
        """
        return None

    def overview(self, tables: "Mapping[str, pl.DataFrame]") -> Mapping[str, dict[str, Any]]:
        """Return the charts that compare cells, by name, drawn from the tables of its parts alone.

        Its parts have these charts, too. Where cells were asked about one at a time, they are drawn
        again when the tables of all are put together.
        """
        return {}

    @abstractmethod
    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Say what follows; `designs` are those of the cells."""


def check_predictions_have(quantity: str, cells: Offered) -> None:
    """Raise `UserError` if a number that is read off predictions alone is asked for and is none."""
    for _, names in cells:
        if quantity not in names:
            near = did_you_mean(quantity, names)
            raise UserError(f"quantity: predictions have no '{quantity}'{near}")


STUDIES: Registry[Study] = Registry("study", "attex.studies.kinds")
