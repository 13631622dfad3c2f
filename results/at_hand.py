"""What a study can be asked of the models at hand: about each cell, or about all of them at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from attex.studies.designs import Design
from attex.studies.models import Models
from attex.studies.run_set import RunSet
from attex.studies.study import Study

ALL = "all cells"
"""What an answer is about that compares cells."""


@dataclass(frozen=True)
class AtHand:
    """The models of a cell, or of `ALL`: how many there are, and how many the study asks for.

    `runs` and `designs` are what it is asked with, and `rows` are the numbers of these models.
    """

    cell: str
    models: int
    asked: int
    runs: RunSet
    designs: Sequence[Design]
    rows: Sequence[Mapping[str, Any]]


class Asked(NamedTuple):
    """How many models are asked for; `at_most` where no data is there to say which are the same."""

    models: int
    at_most: bool = False


def at_hand(
    study: Study, models: Models, runs: RunSet, rows: Sequence[Mapping[str, Any]]
) -> Iterator[AtHand]:
    """Yield what a study is asked about at once: each cell that has models, or all together."""
    if not study.cell_by_cell:
        count = sum(1 for _ in models.records())
        yield AtHand(ALL, count, models.asked, runs, [cell.design for cell in models.cells], rows)
        return
    counts = models.counts()
    for cell, of_cell in zip(models.cells, runs.cells, strict=True):
        count, asked = counts[cell.name]
        if count:
            mine = [row for row in rows if cell.about.items() <= row.items()]
            yield AtHand(cell.name, count, asked, replace(runs, cells=(of_cell,)), [cell.design], mine)


def asked_for(study: Study, models: Models) -> dict[str, Asked]:
    """Say what an answer can be about, in the order of the study file, and what each asks for."""
    if not study.cell_by_cell:
        return {ALL: Asked(models.asked)}
    of_all = {c.name: Asked(len(c.configs) * len(models.seeds), at_most=True) for c in models.wanted}
    return of_all | {name: Asked(asked) for name, (_, asked) in models.counts().items()}
