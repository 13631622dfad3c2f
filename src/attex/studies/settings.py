"""Every quantity of every setting: its mean over seeds, with its interval."""

from collections.abc import Iterator
from typing import Any

import numpy as np

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
    """Lay out every quantity of every setting: mean over seeds, and a 95 % interval."""
    return [row for cell in runs.cells for row in _rows(runs, cell)]


def _rows(runs: RunSet, cell: CellRuns) -> Iterator[dict[str, Any]]:
    chosen = level_names(runs, cell.levels)
    for quantity, values in cell.values.items():
        bounds = bounded(values, cell.draws.get(quantity))
        columns = zip(bounds.value, bounds.low, bounds.high, bounds.seeds, strict=True)
        for levels, (value, low, high, seeds) in zip(chosen, columns, strict=True):
            numbers = {"value": float(value), "low": float(low), "high": float(high)}
            yield dict(cell.cell) | levels | {"quantity": quantity, "seeds": int(seeds)} | numbers
