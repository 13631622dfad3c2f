"""In how many universes a conclusion holds: per cell, over cells, and by what was chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attex.studies.bounds import half_width, satterthwaite, two_sided
from attex.studies.option_weights import exists, option_weights
from attex.studies.other_draws import dataset_of, verdicts_again
from attex.studies.paired import UNDEFINED, VERDICTS, PairedCell
from attex.studies.run_set import RunSet

ALL, ACCURATE = "all", "accurate"
OPTIONS, UNIVERSES = "options", "universes"
REPLICATES = 1_000
_PERCENTS = (2.5, 97.5)


def share_rows(
    runs: RunSet, asked: Mapping[str, Sequence[PairedCell]], replicates: int = REPLICATES
) -> list[dict[str, Any]]:
    """Count verdicts: rows per conclusion, over all cells and for each, of all universes and by choice.

    A row has the columns of the cell (`all` over cells), `choice` and `level` (both empty where all are
    counted), `kept` (`all` universes, or only the `accurate` ones, where some are not), `weighting`, and

    - `universes`, `undefined`: how many there are, and how many of them have no difference;
    - `seeds`: the fewest that one has; 1 means that nothing is known of other seeds;
    - `holds`, `undecided`, `reversed`: shares of the defined ones, each with `_low` and `_high`;
    - `difference`, `low`, `high`: the mean difference over the defined ones;
    - `p`, `p_holm`: of all choices over all cells, for the hypothesis that this mean is 0.

    Weighting `options`: every level of a choice weighs the same within a cell (see `option_weights`),
    and every cell the same. Weighting `universes`: every universe weighs the same.

    Intervals of shares draw seeds and texts again (see `verdicts_again`). What is drawn comes on top of
    the noise that is in the differences already. So only the spread of the shares that come of it is
    used, around the share that was seen.

    The test is of the mean over this design, whose universes were chosen and not drawn. So what is
    random are seeds (independent between universes) and texts (shared by those of a dataset), and
    t = mean / √(variance over seeds + variance over texts), two-sided, with Satterthwaite's freedom.
    It is not made where no universe has two seeds. Holm's correction is over the conclusions.
    """
    rows = [
        {"conclusion": title} | row
        for title, cells in asked.items()
        if cells
        for row in _rows(runs, cells, replicates)
    ]
    for family in {(row["kept"], row["weighting"]) for row in rows}:
        tested = [row for row in rows if (row["kept"], row["weighting"]) == family]
        corrected = holm(np.array([row["p"] for row in tested]))
        for row, p in zip(tested, corrected, strict=True):
            row["p_holm"] = float(p)
    return rows


def holm(p: np.ndarray) -> np.ndarray:
    """Correct p-values for their number (Holm 1979): [C] → [C]; NaN is not counted and stays.

    The k-th smallest of m is multiplied by m − k + 1, is at least what the smaller ones became, and
    at most 1.
    """
    corrected = np.full(len(p), np.nan)
    order = np.argsort(p)[: int((~np.isnan(p)).sum())]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return corrected


@dataclass(frozen=True)
class _Group:
    """Universes that are counted together: all that are kept, or those at one level of a choice."""

    kept: str
    weighting: str
    choice: str = ""
    level: str = ""

    def members(self, runs: RunSet, one: PairedCell) -> np.ndarray:
        """Say which universes of a cell belong to it: [U]."""
        inside = one.accurate if self.kept == ACCURATE else np.ones(len(one.verdict), dtype=bool)
        if not self.choice:
            return inside
        number = list(runs.choices).index(self.choice)
        at = runs.choices[self.choice].index(self.level)
        at_level = exists(runs, one.levels, number) & (one.levels[:, number] == at)
        return np.asarray(inside & at_level)


@dataclass(frozen=True)
class _Part:
    """A cell with the weights of its universes [U], and its verdicts taken anew."""

    one: PairedCell
    even: np.ndarray
    again: Mapping[str, np.ndarray]

    def weights(self, group: _Group, members: np.ndarray) -> np.ndarray:
        """Weigh the universes of a group: [U], 0 where one is not defined."""
        counted: np.ndarray = members & (self.one.verdict != UNDEFINED)
        if group.weighting == UNIVERSES:
            return counted.astype(float)
        chosen = np.where(counted, self.even, 0.0)
        return np.asarray(chosen / (chosen.sum() or 1.0))


def _rows(runs: RunSet, cells: Sequence[PairedCell], replicates: int) -> Iterator[dict[str, Any]]:
    again = verdicts_again(cells, replicates)
    parts = [
        _Part(one, option_weights(runs, one.levels), taken)
        for one, taken in zip(cells, again, strict=True)
    ]
    names = dict.fromkeys(key for one in cells for key in one.cell)
    groups = list(_groups(runs, cells))
    for where, some in [({}, parts), *((part.one.cell, [part]) for part in parts)]:
        about = dict.fromkeys(names, "") | dict(where) if where else dict.fromkeys(names, ALL)
        for group in groups:
            row = _row(runs, group, some)
            if row is not None:
                untested = {} if not where and not group.choice else {"p": float("nan")}
                yield about | row | untested


def _groups(runs: RunSet, cells: Sequence[PairedCell]) -> Iterator[_Group]:
    levels = [(choice, level) for choice, names in runs.choices.items() for level in names]
    for kept in (ALL,) if all(one.accurate.all() for one in cells) else (ALL, ACCURATE):
        for weighting in (OPTIONS, UNIVERSES):
            for choice, level in [("", ""), *levels]:
                yield _Group(kept, weighting, choice, level)


def _row(runs: RunSet, group: _Group, parts: Sequence[_Part]) -> dict[str, Any] | None:
    members = [group.members(runs, part.one) for part in parts]
    universes = int(sum(inside.sum() for inside in members))
    if not universes:
        return None
    undefined = [
        inside & (part.one.verdict == UNDEFINED) for part, inside in zip(parts, members, strict=True)
    ]
    weighed = [(part, part.weights(group, inside)) for part, inside in zip(parts, members, strict=True)]
    counted = [part.one.bounds.seeds[weights > 0] for part, weights in weighed]
    row: dict[str, Any] = {
        "choice": group.choice,
        "level": group.level,
        "kept": group.kept,
        "weighting": group.weighting,
        "universes": universes,
        "undefined": int(sum(inside.sum() for inside in undefined)),
        "seeds": int(min((some.min() for some in counted if some.size), default=0)),
    }
    for verdict in VERDICTS:
        row |= _share(verdict, weighed)
    return row | _mean_difference(weighed)


def _share(verdict: str, weighed: Sequence[tuple[_Part, np.ndarray]]) -> dict[str, float]:
    total = sum(float(weights.sum()) for _, weights in weighed)
    if not total:
        return dict.fromkeys((verdict, f"{verdict}_low", f"{verdict}_high"), float("nan"))
    share = sum(weights @ (part.one.verdict == verdict) for part, weights in weighed) / total
    drawn = np.sum([weights @ part.again[verdict] for part, weights in weighed], axis=0) / total
    low, high = share + np.percentile(drawn, _PERCENTS) - drawn.mean()
    return {
        verdict: float(share),
        # A share that hardly ever moves has percentiles on one side of their mean.
        f"{verdict}_low": float(np.clip(low, 0.0, share)),
        f"{verdict}_high": float(np.clip(high, share, 1.0)),
    }


def _mean_difference(weighed: Sequence[tuple[_Part, np.ndarray]]) -> dict[str, float]:
    """Return the mean over universes, its interval, and how likely one as far from 0 is by chance."""
    total = sum(float(weights.sum()) for _, weights in weighed)
    if not total:
        return dict.fromkeys(("difference", "low", "high", "p"), float("nan"))
    mean, terms, moved = 0.0, [], dict[str, np.ndarray]()
    for part, weights in weighed:
        bounds, share = part.one.bounds, weights / total
        mean += float(share @ np.nan_to_num(bounds.value))
        terms.append((np.array(share**2 @ bounds.mean_variance), bounds.seed_freedom))
        name, moves = dataset_of(part.one), share @ bounds.text_draws
        moved[name] = moved.get(name, np.zeros_like(moves)) + moves
    terms += [(moves.var(ddof=1), moves.size - 1) for moves in moved.values() if moves.size > 1]
    variance = np.array(sum(part for part, _ in terms))
    half = float(half_width(variance, terms))
    p = float("nan")
    if variance > 0 and any(part.one.bounds.seed_freedom for part, _ in weighed):
        p = two_sided(mean / float(np.sqrt(variance)), float(satterthwaite(variance, terms)))
    return {"difference": mean, "low": mean - half, "high": mean + half, "p": p}
