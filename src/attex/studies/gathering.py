"""From the numbers of single models to arrays of all of them, and to one table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attex.agreement.intervals import percentiles
from attex.analyses.quantity import OVERALL
from attex.studies.choices import Choice
from attex.studies.models import Models, Numbers
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names
from attex.studies.universes import Cell

Grid = list[dict[int, Numbers | None]]
"""The numbers of a cell's models, by universe and seed."""


def gathered(models: Models, choices: Sequence[Choice]) -> tuple[RunSet, list[dict[str, Any]]]:
    """Return all models as arrays, and as the rows of a table with every number of each."""
    within = {c.name: (c.parent, c.within) for c in choices if c.parent is not None}
    runs = RunSet({choice.name: choice.names for choice in choices}, (), within)
    cells: list[CellRuns] = []
    rows: list[dict[str, Any]] = []
    for cell, grid in models.read():
        cells.append(_cell_runs(cell, grid, models.seeds))
        rows += _rows(cell, grid, level_names(runs, cell.design.levels))
    return replace(runs, cells=tuple(cells)), rows


def _cell_runs(cell: Cell, grid: Grid, seeds: tuple[int, ...]) -> CellRuns:
    there = [numbers for of_seeds in grid for numbers in of_seeds.values() if numbers is not None]
    names = list(dict.fromkeys(q for one in there for q, class_ in one.values if class_ == OVERALL))
    bounded = list(dict.fromkeys(name for one in there for name in one.draws))
    nothing = Numbers({}, {})
    each = [[of_seeds[seed] or nothing for seed in seeds] for of_seeds in grid]
    values = {
        name: np.array([[one.values.get((name, OVERALL), np.nan) for one in row] for row in each])
        for name in names
    }
    length = max((len(draws) for one in there for draws in one.draws.values()), default=0)
    unknown = np.full(length, np.nan, dtype=np.float32)
    draws = {
        name: np.array([[one.draws.get(name, unknown) for one in row] for row in each], np.float32)
        for name in bounded
    }
    single = dict.fromkeys(key for one in there for key in one.values if key[1] != OVERALL)
    of_classes = {
        key: np.array([[one.values.get(key, np.nan) for one in row] for row in each]) for key in single
    }
    experiments = tuple(config.name for config in cell.configs)
    return CellRuns(cell.about, cell.design.levels, seeds, values, draws, of_classes, experiments)


def _rows(cell: Cell, grid: Grid, settings: Sequence[dict[str, str | None]]) -> Iterator[dict[str, Any]]:
    """Yield a row for every number of every model, with what was chosen in its setting."""
    for chosen, of_seeds in zip(settings, grid, strict=True):
        for seed, numbers in of_seeds.items():
            for (quantity, class_), value in numbers.values.items() if numbers else ():
                low = high = None
                if class_ == OVERALL and numbers and quantity in numbers.draws:
                    low, high = percentiles(numbers.draws[quantity])
                row = {"seed": seed, "quantity": quantity, "class": class_, "value": value}
                yield dict(cell.about) | chosen | row | {"low": low, "high": high}
