"""What a study can be asked of the models at hand: about each cell that has some."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from attex.studies.designs import Design
from attex.studies.models import Models
from attex.studies.run_set import RunSet
from attex.studies.study import Study


@dataclass(frozen=True)
class AtHand:
    """The models of a cell: how many there are, and how many the study asks for.

    `keys` say what each model was made of. `runs` and `designs` are what it is asked with, and `rows`
    are the numbers of these models.
    """

    cell: str
    keys: Sequence[str]
    asked: int
    runs: RunSet
    designs: Sequence[Design]
    rows: Sequence[Mapping[str, Any]]

    @property
    def models(self) -> int:
        """How many there are."""
        return len(self.keys)


class Asked(NamedTuple):
    """How many models are asked for, and their keys, which are not known where no data is there.

    Without keys the number is the most that it can be: settings may share models.
    """

    models: int
    keys: Collection[str] | None = None


def at_hand(
    study: Study, models: Models, runs: RunSet, rows: Sequence[Mapping[str, Any]]
) -> Iterator[AtHand]:
    """Yield what a study is asked about at once: each cell that has models."""
    assert study.cell_by_cell, "what is said of cells together cannot be kept cell by cell"
    of_cells = models.keys()
    for cell, of_cell in zip(models.cells, runs.cells, strict=True):
        there, asked = of_cells[cell.name]
        if there:
            mine = [row for row in rows if cell.about.items() <= row.items()]
            alone = replace(runs, cells=(of_cell,))
            yield AtHand(cell.name, there, len(asked), alone, [cell.design], mine)


def asked_for(models: Models) -> dict[str, Asked]:
    """Say what an answer can be about, in the order of the study file, and what each asks for."""
    planned = {name: keys.asked for name, keys in models.keys().items()}
    of_all = {cell.name: Asked(len(cell.configs) * len(models.seeds)) for cell in models.wanted}
    return of_all | {name: Asked(len(keys), keys) for name, keys in planned.items()}
