"""What all parts of a page look at: the models, and which quantities and cells come first."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attex.analyses.agreement import file_name
from attex.analyses.quantity import OVERALL
from attex.claims.ledger import PAPERS, published
from attex.studies.option_weights import exists
from attex.studies.run_set import CellRuns, RunSet

_DRAWN_CELLS = 4
"""As many cells have figures of their own; tables have all."""


@dataclass(frozen=True)
class Subject:
    """The models, and the quantities that are looked at, the one that the study is about first."""

    runs: RunSet
    quantities: Sequence[str]

    @functools.cached_property
    def drawn(self) -> list[CellRuns]:
        """The cells with the most settings, the widest spread first: they have figures of their own."""
        most = max(len(cell.levels) for cell in self.runs.cells)
        largest = [cell for cell in self.runs.cells if len(cell.levels) == most]
        return sorted(largest, key=self._spread, reverse=True)[:_DRAWN_CELLS]

    def _spread(self, cell: CellRuns) -> float:
        values = cell.values.get(self.quantities[0], np.full((1, 1), np.nan))
        if np.isnan(values).all():
            return 0.0
        low, high = np.nanpercentile(values, (5, 95))
        return float(high - low)

    def pairs(self) -> Iterator[tuple[CellRuns, str]]:
        """Yield every cell with every quantity that it has, those that are drawn first."""
        others = [cell for cell in self.runs.cells if not any(cell is one for one in self.drawn)]
        for cell in (*self.drawn, *others):
            for quantity in self.quantities:
                if quantity in cell.values and not np.isnan(cell.values[quantity]).all():
                    yield cell, quantity

    def chosen(self, levels: np.ndarray) -> np.ndarray:
        """Return the levels of settings [U,F], −1 where a nested choice does not exist."""
        there = [exists(self.runs, levels, number) for number in range(levels.shape[1])]
        return np.where(np.stack(there, axis=1), levels, -1) if there else levels


def cell_name(cell: CellRuns) -> str:
    """Name a cell in a sentence or a figure."""
    return " ".join(cell.cell.values())


def chart_name(*words: str) -> str:
    """Name a chart."""
    return file_name("_".join(words))


def published_values(cell: CellRuns, quantity: str) -> dict[str, float]:
    """Return the published values of a quantity of a cell, by the paper."""
    claims = published(quantity=quantity, class_=OVERALL, **cell.cell)
    return {PAPERS[claim.paper]: claim.mean for claim in claims}


def minus(text: str) -> str:
    """Write negative numbers of a sentence with a minus sign."""
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)
