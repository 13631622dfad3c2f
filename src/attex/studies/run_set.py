"""The models of a study as arrays: what was chosen for each, and the numbers that came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class CellRuns:
    """The models of one cell: U settings of the choices, S seeds of each.

    `levels` [U,F] says which level of each choice a setting has. `values` holds each quantity [U,S],
    NaN where a model has none. `draws` holds it again for D drawn samples of the texts [U,S,D]: the same
    texts for every model on the same data, so that differences of draws are paired. `of_classes` holds
    quantities of the texts that are decided for one class, [U,S] by quantity and class. `experiments`
    [U] names the experiment of each setting.
    """

    cell: Mapping[str, str]
    levels: np.ndarray
    seeds: tuple[int, ...]
    values: Mapping[str, np.ndarray]
    draws: Mapping[str, np.ndarray]
    of_classes: Mapping[tuple[str, str], np.ndarray] = field(default_factory=dict)
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunSet:
    """All models of a study.

    `choices` names the levels of each choice; `within` says of a nested one which choice it hangs on,
    and at which of that choice's levels it exists at all.
    """

    choices: Mapping[str, tuple[str, ...]]
    cells: tuple[CellRuns, ...]
    within: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def of(self, **cell: str) -> tuple[CellRuns, ...]:
        """Return the cells that have these names, as `dataset='sst'`."""
        return tuple(c for c in self.cells if cell.items() <= c.cell.items())
