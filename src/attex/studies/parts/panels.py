"""Levels that a study brought, side by side: for each cell and each setting of the file's choices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attex.claims.quantities import limits
from attex.studies.bounds import bounded
from attex.studies.parts.subject import cell_name
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names

Bounded = tuple[float, float, float]
"""A mean over seeds, with its interval over seeds and texts; NaN where it is not known."""


@dataclass(frozen=True)
class Panel:
    """The models of one cell that differ in one choice alone; `rows` are their settings by its level."""

    cell: CellRuns
    chosen: dict[str, str | None]
    rows: dict[str, int]

    @property
    def name(self) -> str:
        """Name it in a sentence or a figure."""
        others = ", ".join(f"{choice} {level}" for choice, level in self.chosen.items() if level)
        return cell_name(self.cell) + (f" ({others})" if others else "")

    @property
    def about(self) -> dict[str, str | None]:
        """The columns that say what a row of a table is of."""
        return dict(self.cell.cell) | self.chosen

    def of(
        self, level: str, quantity: str, less: tuple[str, str] | None = None, signed: bool = False
    ) -> Bounded:
        """Return a quantity of a level; `less` is another level and quantity to take off, seed by seed.

        How far seeds differ is pooled over all levels that have the quantity. It is a share or a
        divergence: an interval ends where these do, which is at 0 unless it is `signed`.
        """
        values, draws = self._numbers(quantity)
        if level not in self.rows or np.isnan(values[self.rows[level]]).all():
            return (float("nan"),) * 3
        if less is not None:
            others, of_others = (
                x if x is None else x[self.rows[less[0]]] for x in self._numbers(less[1])
            )
            if quantity == less[1] and level != less[0]:
                # A level less itself is 0 in every seed, and tells nothing of seeds.
                values = np.where(np.arange(len(values))[:, None] == self.rows[less[0]], np.nan, values)
            values = values - others
            draws = None if draws is None or of_others is None else draws - of_others
        rows = [*self.rows.values()]
        bounds = bounded(values[rows], None if draws is None else draws[rows])
        row = rows.index(self.rows[level])
        value, low, high = (float(x[row]) for x in (bounds.value, bounds.low, bounds.high))
        # One seed and no draws of the texts: nothing bounds the number.
        unknown = draws is None and bounds.seeds[row] < 2
        if unknown:
            return value, float("nan"), float("nan")
        least, most = limits(quantity, signed or less is not None)
        return value, max(low, least), min(high, most)

    def value(self, level: str, quantity: str) -> float:
        """Return a quantity of a level: its mean over seeds; NaN where it is not known."""
        return self.of(level, quantity)[0]

    def of_class(self, level: str, quantity: str, class_: str) -> float:
        """Return a quantity of the texts of one class: its mean over seeds."""
        values = self.cell.of_classes.get((quantity, class_))
        if values is None or level not in self.rows or np.isnan(values[self.rows[level]]).all():
            return float("nan")
        return float(np.nanmean(values[self.rows[level]]))

    def _numbers(self, quantity: str) -> tuple[np.ndarray, np.ndarray | None]:
        """Return a quantity of all settings of the cell, [U,S] and [U,S,D]; NaN where there is none."""
        unknown = np.full((len(self.cell.levels), len(self.cell.seeds)), np.nan)
        return self.cell.values.get(quantity, unknown), self.cell.draws.get(quantity)


def panels(runs: RunSet, choice: str) -> Iterator[Panel]:
    """Yield every cell, and every setting of the other choices, with the levels of one choice."""
    for cell in runs.cells:
        groups: dict[tuple[str | None, ...], Panel] = {}
        for row, chosen in enumerate(level_names(runs, cell.levels)):
            level = str(chosen.pop(choice))
            panel = groups.setdefault(tuple(chosen.values()), Panel(cell, chosen, {}))
            panel.rows[level] = row
        yield from groups.values()


def columns(name: str, bounds: Bounded) -> dict[str, float]:
    """Return the columns of a number and its interval."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), bounds, strict=True))


def told(bounds: Sequence[float], digits: int = 3) -> str:
    """Write a number with its interval in a sentence."""
    value, low, high = bounds
    if low != low:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
