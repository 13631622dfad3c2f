"""Every quantity of every setting: its mean over seeds, with its interval."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from attex.claims.quantities import limits
from attex.studies.bounds import bounded
from attex.studies.run_set import CellRuns, RunSet


def level_names(runs: RunSet, levels: np.ndarray) -> list[dict[str, str | None]]:
    """Name the levels of settings [U,F] by choice; None where a nested choice does not exist."""
    named = []
    for row in levels.tolist():
        chosen = {c: names[level] for (c, names), level in zip(runs.choices.items(), row, strict=True)}
        nowhere = [c for c, (parent, within) in runs.within.items() if chosen[parent] not in within]
        named.append(chosen | dict.fromkeys(nowhere))
    return named


def setting_rows(runs: RunSet) -> list[dict[str, Any]]:
    """Lay out every quantity of every setting: mean over seeds, and a 95 % interval.

    What is undefined in all settings of a cell has no rows; `undefined_everywhere` counts it.
    """
    return [row for cell in runs.cells for row in _rows(runs, cell)]


def undefined_everywhere(runs: RunSet) -> Counter[str]:
    """Count, by quantity, the cells in which it is undefined in every setting."""
    return Counter(q for cell in runs.cells for q, values in cell.values.items() if _nowhere(values))


def _nowhere(values: np.ndarray) -> bool:
    return bool(np.isnan(values).all())


def _rows(runs: RunSet, cell: CellRuns) -> Iterator[dict[str, Any]]:
    chosen = level_names(runs, cell.levels)
    defined = {name: values for name, values in cell.values.items() if not _nowhere(values)}
    for quantity, values in defined.items():
        bounds = bounded(values, cell.draws.get(quantity)).within(limits(quantity))
        columns = zip(bounds.value, bounds.low, bounds.high, bounds.seeds, strict=True)
        for levels, (value, low, high, seeds) in zip(chosen, columns, strict=True):
            numbers = {"value": float(value), "low": float(low), "high": float(high)}
            yield dict(cell.cell) | levels | {"quantity": quantity, "seeds": int(seeds)} | numbers
