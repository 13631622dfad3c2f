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
    counted), `kept` (`all` universes, or only the `accurate` ones, if any is not), `weighting`, and

    - `universes`: how many there are; `undefined`: how many of them have no difference; `n_holds`,
      `n_undecided`, `n_reversed`: how many say so, unweighed;
    - `seeds`: the fewest that one has; 1 means that nothing is known of other seeds;
    - `holds`, `undecided`, `reversed`: shares of the defined ones, each with `_low` and `_high`;
    - `difference`, `low`, `high`: the mean difference over the defined ones;
    - `p`, `p_holm`: of all choices over all cells, for the hypothesis that this mean is 0.

    Weighting `options`: every level of a choice weighs the same within a cell (see `option_weights`),
    and every cell the same. Weighting `universes`, for comparison and not by choice: every universe
    weighs the same.

    Intervals of shares draw seeds and texts again (see `verdicts_again`). What is drawn comes on top of
    the noise that is in the differences already. So only the spread of the shares that come of it is
    used, around the share that was seen.

    The test is of the mean over this design, whose universes were chosen and not drawn. So what is
    random are seeds (independent between universes) and texts (shared by those of a dataset), and
    t = mean / √(variance over seeds + variance over texts), two-sided, with Satterthwaite's freedom.
    It is not made where no universe has two seeds. Holm's correction is over the conclusions.
    """
    accurate = all(one.accurate.all() for cells in asked.values() for one in cells)
    groups = list(_groups(runs, (ALL,) if accurate else (ALL, ACCURATE)))
    rows = [
        {"conclusion": title} | row
        for title, cells in asked.items()
        if cells
        for row in _rows(runs, groups, cells, replicates)
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

    choice: str
    level: str
    kept: str
    weighting: str

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
class _Counted:
    """A cell as it counts in G groups: who is a member [U,G], and with which weight [U,G].

    `again` are its verdicts as they would be with other seeds and texts.
    """

    one: PairedCell
    members: np.ndarray
    weights: np.ndarray
    again: Mapping[str, np.ndarray]


def _rows(
    runs: RunSet, groups: Sequence[_Group], cells: Sequence[PairedCell], replicates: int
) -> Iterator[dict[str, Any]]:
    again = verdicts_again(cells, replicates)
    counted = [_count(runs, groups, *each) for each in zip(cells, again, strict=True)]
    names = dict.fromkeys(key for one in cells for key in one.cell)
    for row in _laid_out(groups, counted):
        yield dict.fromkeys(names, ALL) | row | ({"p": float("nan")} if row["choice"] else {})
    for each in counted:
        for row in _laid_out(groups, [each]):
            yield dict.fromkeys(names, "") | dict(each.one.cell) | row | {"p": float("nan")}


def _groups(runs: RunSet, which: Sequence[str]) -> Iterator[_Group]:
    for kept in which:
        yield from (_Group("", "", kept, weighting) for weighting in (OPTIONS, UNIVERSES))
        for choice, levels in runs.choices.items():
            yield from (_Group(choice, level, kept, OPTIONS) for level in levels)


def _count(
    runs: RunSet, groups: Sequence[_Group], one: PairedCell, again: Mapping[str, np.ndarray]
) -> _Counted:
    members = np.stack([group.members(runs, one) for group in groups], axis=1)
    counted = members & (one.verdict != UNDEFINED)[:, None]
    by_options = np.array([group.weighting == OPTIONS for group in groups])
    weights = np.where(by_options, option_weights(runs, one.levels)[:, None], 1.0) * counted
    # By options a cell weighs 1, as every other, in each group that it has anything to say of.
    scale = np.where(by_options & counted.any(axis=0), weights.sum(axis=0), 1.0)
    return _Counted(one, members, weights / scale, again)


def _laid_out(groups: Sequence[_Group], cells: Sequence[_Counted]) -> Iterator[dict[str, Any]]:
    """Make the rows of all groups that have a universe in these cells."""
    verdict = np.concatenate([each.one.verdict for each in cells])
    members = np.concatenate([each.members for each in cells])
    weight = np.sum([each.weights.sum(axis=0) for each in cells], axis=0)
    # A group without a defined universe has no shares: NaN.
    total = np.where(weight > 0, weight, np.nan)
    columns = {
        "universes": members.sum(axis=0),
        "undefined": members[verdict == UNDEFINED].sum(axis=0),
        "seeds": _fewest_seeds(cells),
    }
    for name in VERDICTS:
        columns[f"n_{name}"] = members[verdict == name].sum(axis=0)
        columns |= _share(name, cells, total)
    columns |= _mean_difference(cells, total)
    for number, group in enumerate(groups):
        if columns["universes"][number]:
            yield vars(group) | {name: column[number].item() for name, column in columns.items()}


def _fewest_seeds(cells: Sequence[_Counted]) -> np.ndarray:
    """Return the fewest seeds that a defined universe of each group has: [G], 0 where there is none."""
    seeds = np.concatenate([each.one.bounds.seeds for each in cells])[:, None]
    weights = np.concatenate([each.weights for each in cells])
    fewest = np.where(weights > 0, seeds, np.inf).min(axis=0)
    return np.where(np.isinf(fewest), 0, fewest).astype(int)


def _share(verdict: str, cells: Sequence[_Counted], total: np.ndarray) -> dict[str, np.ndarray]:
    """Return the share of a verdict with its interval: [G] each."""
    share = np.sum([each.weights.T @ (each.one.verdict == verdict) for each in cells], axis=0) / total
    drawn = np.sum([each.weights.T @ each.again[verdict] for each in cells], axis=0) / total[:, None]
    low, high = share + np.percentile(drawn, _PERCENTS, axis=1) - drawn.mean(axis=1)
    # A share that hardly ever moves has both percentiles on one side of their mean.
    low, high = np.clip(low, 0.0, share), np.clip(high, share, 1.0)
    return {verdict: share, f"{verdict}_low": low, f"{verdict}_high": high}


def _mean_difference(cells: Sequence[_Counted], total: np.ndarray) -> dict[str, np.ndarray]:
    """Return the mean over universes, its interval, and how likely one as far from 0 is: [G] each."""
    mean, terms, moved = np.zeros_like(total), [], dict[str, np.ndarray]()
    for each in cells:
        bounds, shares = each.one.bounds, each.weights / total
        mean += np.nan_to_num(bounds.value) @ shares
        terms.append((bounds.mean_variance @ shares**2, bounds.seed_freedom))
        moves = shares.T @ bounds.text_draws
        moved[dataset_of(each.one)] = moved.get(dataset_of(each.one), 0.0) + moves
    terms += [
        (moves.var(axis=1, ddof=1), moves.shape[1] - 1) for moves in moved.values() if moves.shape[1] > 1
    ]
    variance = np.sum([part for part, _ in terms], axis=0)
    half = half_width(variance, terms)
    p = np.full_like(mean, np.nan)
    if any(each.one.bounds.seed_freedom for each in cells):
        error = np.sqrt(np.where(variance > 0, variance, np.nan))
        p = two_sided(mean / error, satterthwaite(variance, terms))
    return {"difference": mean, "low": mean - half, "high": mean + half, "p": p}
