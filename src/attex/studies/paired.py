"""A conclusion in every universe: paired differences, each with its own interval and verdict."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attex.foundations.errors import UserError
from attex.studies.bounds import Bounds, bounded
from attex.studies.conclusion import Conclusion, Number
from attex.studies.run_set import CellRuns, RunSet

HOLDS, UNDECIDED, REVERSED, UNDEFINED = "holds", "undecided", "reversed", "undefined"
VERDICTS = (HOLDS, UNDECIDED, REVERSED)
DEVELOPMENT_ACCURACY = "development_accuracy"


@dataclass(frozen=True)
class PairedCell:
    """A conclusion in one cell, or in two that differ in the compared factor only.

    `cell` names the cell; of two, the compared factor reads as 'average − lstm'. `settings` [U] and
    `partners` [U] say which rows of the two cells were compared. `differences` [U,S] are those of models
    with the same setting, seed and texts: above 0 on the side of the conclusion. `verdict` [U] is
    'holds' or 'reversed' where the interval of their mean is on one side of 0, 'undecided' where 0 is
    in it, and 'undefined' where there is no difference. `accurate` [U] is False where either partner
    is less accurate on the development texts than was asked.
    """

    cell: Mapping[str, str]
    settings: np.ndarray
    partners: np.ndarray
    levels: np.ndarray
    seeds: tuple[int, ...]
    differences: np.ndarray
    bounds: Bounds
    verdict: np.ndarray
    accurate: np.ndarray


def paired(
    runs: RunSet, conclusion: Conclusion, least_accuracy: float | Mapping[str, float] = 0.0
) -> tuple[PairedCell, ...]:
    """Ask a conclusion of all models of a study: one entry for each cell, or pair of cells.

    Cells that lack a quantity, and pairs without a setting and a seed in common, are left out;
    `missing` says before training whether any is left.

    Args:
        runs: the models.
        conclusion: what is asked.
        least_accuracy: what a universe must have on development texts, as the mean over its seeds, to
            count as accurate: one number, or one by dataset.

    Raises:
        UserError: if an accuracy is asked for and the models do not have it.
    """
    cells = runs.cells
    asked = (
        _ask(conclusion, cells[i], cells[j], least_accuracy)
        for i, j in conclusion.pairs([one.cell for one in cells])
    )
    return tuple(one for one in asked if one is not None)


def verdicts(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Say of each interval on which side of 0 it is: low [U], high [U] → words [U]."""
    known = [low > 0, high < 0, np.isnan(low) | np.isnan(high)]
    return np.select(known, [HOLDS, REVERSED, UNDEFINED], UNDECIDED)


def same_settings(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Match equal rows: [U,F], [V,F] → the rows of both that belong together.

    A setting that a design has twice, as where a choice has fewer levels than slots, is one universe
    with one set of models: only its first row is taken.
    """
    ours, theirs = _first_rows(first), _first_rows(second)
    pairs = [(number, theirs[setting]) for setting, number in ours.items() if setting in theirs]
    matched = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return matched[:, 0], matched[:, 1]


def _first_rows(levels: np.ndarray) -> dict[tuple[int, ...], int]:
    rows: dict[tuple[int, ...], int] = {}
    for number, setting in enumerate(map(tuple, levels.tolist())):
        rows.setdefault(setting, number)
    return rows


def _ask(
    conclusion: Conclusion, more: CellRuns, less: CellRuns, least: float | Mapping[str, float]
) -> PairedCell | None:
    settings, partners = same_settings(more.levels, less.levels)
    seeds = tuple(seed for seed in more.seeds if seed in less.seeds)
    first = _Side(more, settings, seeds).of(conclusion.more)
    second = _Side(less, partners, seeds).of(conclusion.less)
    if first is None or second is None or not len(settings) or not seeds:
        return None
    differences = np.broadcast_to(first[0] - second[0], (len(settings), len(seeds))).astype(float)
    draws = None if first[1] is None or second[1] is None else first[1] - second[1]
    bounds = bounded(differences, draws)
    return PairedCell(
        _named(conclusion, more, less),
        settings,
        partners,
        more.levels[settings],
        seeds,
        differences,
        bounds,
        verdicts(bounds.low, bounds.high),
        _accurate(more, least)[settings] & _accurate(less, least)[partners],
    )


@dataclass(frozen=True)
class _Side:
    """One of the two partners: the models of a cell with these settings and seeds."""

    models: CellRuns
    settings: np.ndarray
    seeds: tuple[int, ...]

    def of(self, side: Number | float) -> tuple[np.ndarray, np.ndarray | None] | None:
        """Return values [U,S] and draws [U,S,D], if it has any; None if there is no such number."""
        if not isinstance(side, Number):
            return np.array(side, dtype=float), np.zeros(1)
        name = side.known_as(self.models.values)
        if name is None:
            return None
        chosen = np.ix_(
            self.settings, np.array([self.models.seeds.index(seed) for seed in self.seeds], dtype=int)
        )
        draws = self.models.draws.get(name)
        return self.models.values[name][chosen], None if draws is None else draws[chosen]


def _named(conclusion: Conclusion, more: CellRuns, less: CellRuns) -> dict[str, str]:
    factor = conclusion.factor
    compared = {} if factor is None else {factor: f"{more.cell[factor]} − {less.cell[factor]}"}
    return {**more.cell, **compared}


def _accurate(models: CellRuns, least: float | Mapping[str, float]) -> np.ndarray:
    wanted = least if isinstance(least, float | int) else least.get(models.cell.get("dataset", ""), 0.0)
    if not wanted:
        return np.ones(len(models.levels), dtype=bool)
    if DEVELOPMENT_ACCURACY not in models.values:
        raise UserError(
            f"a least accuracy of {wanted:g} is asked for, and the models have no"
            f" '{DEVELOPMENT_ACCURACY}'"
        )
    enough: np.ndarray = bounded(models.values[DEVELOPMENT_ACCURACY]).value >= wanted
    return enough
