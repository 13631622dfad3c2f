"""What changes from softmax to a sparser projection: paired differences, model by model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attex.analyses.agreement import BEYOND, CALIBRATED
from attex.analyses.faithfulness import COMPREHENSIVENESS, RANDOM, SUFFICIENCY
from attex.claims.ledger import Cell
from attex.studies.conclusion import Conclusion, Number
from attex.studies.paired import PairedCell, paired
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names
from results.markdown import number
from results.study_numbers import DENSE
from results.study_page import rounded

RISES, FALLS, NEITHER, ONE_SEED = "↑", "↓", "–", "one seed"
PAIRS = ("kendall_tau(attention, leave_one_out)", "kendall_tau(attention, gradient_norm)")
OTHER_WORDS = " calibrated, permuted"
"""Ends the share of the way from chance to ceiling that the same weights have on other words."""
OVER_RANDOM = " over random"
"""Ends what the most attended words do beyond as many random ones; more is better for both."""
DIFFERENCES = {
    **{f"{pair}{OTHER_WORDS}": (f"{pair}{CALIBRATED}", f"{pair}{BEYOND}") for pair in PAIRS},
    f"{COMPREHENSIVENESS}(attention){OVER_RANDOM}": (
        f"{COMPREHENSIVENESS}(attention)",
        f"{COMPREHENSIVENESS}({RANDOM})",
    ),
    # Sufficiency is probability that is lost: what the words keep is the one less the other.
    f"{SUFFICIENCY}(attention){OVER_RANDOM}": (f"{SUFFICIENCY}({RANDOM})", f"{SUFFICIENCY}(attention)"),
}
"""Quantities that are the first less the second."""
_NUMBERS = ("seeds", "before", "after", "change", "low", "high")
CHANGED = (*(f"{pair}{ending}" for pair in PAIRS for ending in (CALIBRATED, BEYOND)), *DIFFERENCES)


@dataclass(frozen=True)
class Change:
    """How a quantity of a model changes from softmax to the projection of its cell, with bounds.

    With one seed the bounds say nothing of others.
    """

    cell: Cell
    quantity: str
    seeds: int
    before: float
    after: float
    change: float
    low: float
    high: float

    @property
    def side(self) -> str:
        """Say on which side of 0 the interval is; of one seed nothing is said."""
        if self.seeds < 2:
            return ONE_SEED
        return RISES if self.low > 0 else FALLS if self.high < 0 else NEITHER

    def __str__(self) -> str:
        change = f"{number(self.change)} [{number(self.low)}, {number(self.high)}]"
        if self.side in (RISES, FALLS):
            change = f"**{change}**"
        alone = " (one seed)" if self.side == ONE_SEED else ""
        return f"{number(self.before)} → {number(self.after)}: {change}{alone}"


def counted(changes: Sequence[Change]) -> str:
    """Count in how many models a quantity rises, falls and does neither."""
    sides = Counter(change.side for change in changes)
    return " ".join(f"{sides[side]} {side}" for side in (RISES, FALLS, NEITHER))


def change_rows(runs: RunSet) -> Iterator[dict[str, Any]]:
    """Compare every projection with softmax: the same data, model, setting, seeds and texts.

    `before` and `after` are means over the seeds that both have; `low` and `high` bound the mean
    change over texts and seeds (see `attex.studies.bounds`).
    """
    whole = replace(runs, cells=tuple(map(_with_differences, runs.cells)))
    projections = dict.fromkeys(cell.cell["projection"] for cell in runs.cells)
    for projection in projections:
        for quantity in CHANGED:
            more, less = (Number((quantity,), {"projection": p}) for p in (projection, DENSE))
            asked = Conclusion(quantity, more, less)
            for found in paired(whole, asked) if projection != DENSE else ():
                yield from _rows(whole, found, projection, quantity)


def write_changes(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write changes, and keep those that the table has of more seeds."""
    old = pl.read_csv(path).to_dicts() if path.exists() else []
    found = {tuple(row[name] for name in row if name not in _NUMBERS): row for row in old}
    for row in rows:
        about = tuple(row[name] for name in row if name not in _NUMBERS)
        if about not in found or row["seeds"] >= found[about]["seeds"]:
            found[about] = row
    if found:
        rounded(pl.DataFrame([*found.values()], infer_schema_length=None)).write_csv(path)


def _rows(runs: RunSet, found: PairedCell, projection: str, quantity: str) -> Iterator[dict[str, Any]]:
    about = {**found.cell, "projection": projection}
    (dense,) = runs.of(**{**about, "projection": DENSE})
    before = dense.values[quantity][found.partners]
    before = np.where(np.isnan(found.differences), np.nan, before)
    for place, levels in enumerate(level_names(runs, found.levels)):
        seeds = int(found.bounds.seeds[place])
        if seeds:
            first, change = float(np.nanmean(before[place])), float(found.bounds.value[place])
            yield {
                **{**about, **levels, "quantity": quantity, "seeds": seeds},
                **{"before": first, "after": first + change, "change": change},
                **{"low": float(found.bounds.low[place]), "high": float(found.bounds.high[place])},
            }


def _with_differences(cell: CellRuns) -> CellRuns:
    values, draws = dict(cell.values), dict(cell.draws)
    for name, (more, less) in DIFFERENCES.items():
        if more in values and less in values:
            values[name] = values[more] - values[less]
            draws[name] = draws[more] - draws[less]
    return replace(cell, values=values, draws=draws)
