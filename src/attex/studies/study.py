"""What a study is: many models in, one answer out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from attex.analyses.headline import Headline
from attex.foundations.registry import Registry
from attex.report.study_page import Part
from attex.studies.designs import Design
from attex.studies.run_set import RunSet


@dataclass(frozen=True)
class Answer:
    """What follows from the models: a few sentences, headlines, and the parts that show why."""

    lead: Sequence[str]
    parts: Sequence[Part]
    headlines: Sequence[Headline]


class Study(ABC):
    """Says which settings of the choices are tried, and what follows from the models of all of them."""

    title: ClassVar[str]

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

    @abstractmethod
    def check(self, cells: Sequence[tuple[Mapping[str, str], frozenset[str]]]) -> None:
        """Raise `UserError` if the models will not have the numbers that are asked about.

        `cells` are the cells, each with the names of the quantities that its models will have. Called
        before any training.
        """

    @abstractmethod
    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Say what follows; `designs` are those of the cells."""


STUDIES: Registry[Study] = Registry("study", "attex.studies.kinds")
