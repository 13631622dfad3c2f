"""What models reach that are trained on texts without their most important tokens."""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attex.analyses.headline import Headline
from attex.analyses.summary import frame
from attex.charts.estimates import estimates_chart
from attex.charts.retraining import retraining_chart
from attex.config.masking import TRUTH
from attex.report.study_page import Part
from attex.studies.bounds import bounded_apart
from attex.studies.parts.subject import Subject, cell_name, chart_name, minus
from attex.studies.racu import racu
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names

MASKING, MEASURE, SHARE = "masking", "measure", "share"
"""The choices that a study of kind `roar` brings."""

_OWN = (MASKING, MEASURE, SHARE)
Setting = tuple[tuple[str, str | None], ...]
"""What of the file's own choices a curve belongs to."""


@dataclass(frozen=True)
class Curve:
    """The settings of one measure by the share that is masked: their places among a cell's."""

    cell: CellRuns
    setting: Setting
    masking: str
    measure: str
    places: Sequence[int]

    def about(self) -> dict[str, Any]:
        """Return the columns that say whose curve it is."""
        named = dict(self.cell.cell) | dict(self.setting)
        return named | {MASKING: self.masking, MEASURE: self.measure}

    def values(self, quantity: str) -> np.ndarray:
        """Return a quantity by share and seed: [K,S]."""
        unknown = np.full((len(self.cell.levels), len(self.cell.seeds)), np.nan)
        found: np.ndarray = self.cell.values.get(quantity, unknown)[list(self.places)]
        return found

    def draws(self, quantity: str) -> np.ndarray | None:
        """Return it for drawn texts: [K,S,D]; None where it is none that can be drawn."""
        draws = self.cell.draws.get(quantity)
        return None if draws is None else draws[list(self.places)].astype(float)


@dataclass(frozen=True)
class Retrained:
    """The models of a study of kind `roar`, by measure and share; `chance` is the measure by chance."""

    runs: RunSet
    quantity: str
    chance: str
    shares: Sequence[float]

    @functools.cached_property
    def curves(self) -> list[Curve]:
        """The curves of all cells, settings, ways of masking and measures."""
        return [curve for cell in self.runs.cells for curve in self._of_cell(cell)]

    def _of_cell(self, cell: CellRuns) -> Iterator[Curve]:
        places: dict[tuple[Setting, str, str], dict[str, int]] = {}
        for place, chosen in enumerate(level_names(self.runs, cell.levels)):
            setting = tuple((name, level) for name, level in chosen.items() if name not in _OWN)
            key = setting, str(chosen[MASKING]), str(chosen[MEASURE])
            places.setdefault(key, {})[str(chosen[SHARE])] = place
        for (setting, masking, measure), by_share in places.items():
            yield Curve(cell, setting, masking, measure, [*by_share.values()])

    def points(self) -> list[dict[str, Any]]:
        """Lay out every point of every curve: the mean over seeds, and its interval."""
        rows = []
        for curve in self.curves:
            each = bounded_apart(curve.values(self.quantity), curve.draws(self.quantity))
            for share, bounds in zip(self.shares, each, strict=True):
                ends = {"value": bounds.value, "low": bounds.low, "high": bounds.high}
                numbers = {end: float(column[0]) for end, column in ends.items()}
                quantity = {SHARE: share, "quantity": self.quantity, "seeds": int(bounds.seeds[0])}
                rows.append(curve.about() | quantity | numbers)
        return rows

    @functools.cached_property
    def racus(self) -> list[dict[str, Any]]:
        """Sum up every curve: its RACU, with the interval."""
        random = {self._key(curve): curve for curve in self.curves if curve.measure == self.chance}
        rows, shares = [], np.array(self.shares)
        for curve in self.curves:
            other = random[self._key(curve)]
            found = racu(
                shares,
                curve.values(self.quantity),
                other.values(self.quantity),
                curve.draws(self.quantity),
                other.draws(self.quantity),
            )
            numbers = {"racu": found.value, "low": found.low, "high": found.high}
            released = {"as_released": found.as_released, "seeds": found.seeds}
            rows.append(curve.about() | numbers | released)
        return rows

    def _key(self, curve: Curve) -> tuple[str, Setting, str]:
        return cell_name(curve.cell), curve.setting, curve.masking

    def lead(self) -> list[str]:
        """Say of the first measure what it comes to, in every cell and way of masking."""
        first = self.runs.choices[MEASURE][0]
        return [self.sentence(row) for row in self.racus if row[MEASURE] == first]

    def sentence(self, row: Mapping[str, Any]) -> str:
        """Say what a curve comes to, and which seeds it is of where not all have it."""
        start = f"{_of(row)}: {row[MEASURE]} ({row[MASKING]}) has "
        planned = max(len(cell.seeds) for cell in self.runs.cells)
        if not row["seeds"]:
            return f"{start}no RACU yet: no seed has its whole curve."
        if math.isnan(row["racu"]):
            return f"{start}no RACU: it cannot be told that random tokens cost the model anything."
        some = f" (seeds with a whole curve: {row['seeds']} of {planned})"
        return _said(row, start, self.racus) + (f"{some}." if row["seeds"] < planned else ".")

    def headlines(self) -> list[Headline]:
        """Ask of every curve but that by chance whether the model misses the tokens."""
        return [
            Headline(
                f"Does {_of(row)} miss the tokens that {row[MEASURE]} finds important, when it is "
                f"trained without them ({row[MASKING]})?",
                "RACU",
                _number(row["racu"]),
                _number(row["low"]),
                _number(row["high"]),
                chance=0.0,
            )
            for row in self.racus
            if row[MEASURE] != self.chance
        ]


def retrained_part(retrained: Retrained) -> Part:
    """Draw the curves of the measures, and lay out what each comes to."""
    points, racus = retrained.points(), retrained.racus
    charts = {}
    for cell in Subject(retrained.runs, [retrained.quantity]).drawn:
        for number, setting in enumerate(
            dict.fromkeys(c.setting for c in retrained.curves if c.cell is cell)
        ):
            mine = dict(cell.cell) | dict(setting)
            name = " ".join([cell_name(cell), *(f"{c} {level}" for c, level in setting)])
            drawn = [row for row in points if mine.items() <= row.items()]
            of_measures = [row for row in racus if mine.items() <= row.items()]
            place = [cell_name(cell)] + ([str(number)] if setting else [])
            charts[chart_name("retrained", *place)] = retraining_chart(
                drawn,
                retrained.runs.choices[MEASURE],
                retrained.chance,
                f"Trained without the top tokens: {name}",
                retrained.quantity,
            )
            estimates = [_estimate(row) for row in of_measures if row[MEASURE] != retrained.chance]
            if not all(math.isnan(one["value"]) for one in estimates):
                charts[chart_name("racu", *place)] = estimates_chart(
                    estimates, f"RACU: {name}", "RACU", 0.0, "what random tokens come to"
                )
    return Part(
        "Does the model miss what a measure finds important?",
        "The tokens that a measure scores highest are masked in all texts, and a new model is trained "
        "on the rest. If the measure is right, it does worse than one trained without random tokens. "
        "RACU is the area between the two curves, over that between the curve of random tokens and its "
        "end, where all is masked. It is 0 for random tokens, and below 0 for a measure that leaves the "
        "model more of what it needs. It cannot be 1: even the tokens that truly decide take a step to "
        "mask. What these come to, where they are known, is the most that can be. Recursive masking "
        "takes the measure anew at every step, so that a word that says the same as another is found "
        "when that one is gone.",
        [retrained.sentence(row) for row in racus if row[MEASURE] not in (retrained.chance, TRUTH)],
        {"tables/racu": frame(racus), "tables/retrained": frame(points)},
        charts,
    )


def _estimate(row: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {"value": row["racu"], "low": row["low"], "high": row["high"]}
    return {"group": row[MASKING], "name": row[MEASURE]} | numbers


def _of(row: Mapping[str, Any]) -> str:
    """Name the models of a row."""
    own = (MASKING, MEASURE, "racu", "low", "high", "as_released", "seeds")
    return " ".join(str(value) for name, value in row.items() if name not in own and value is not None)


def _said(row: Mapping[str, Any], start: str, racus: Sequence[Mapping[str, Any]]) -> str:
    """Say what a RACU means, beside that of the tokens that truly decide, if these are known."""
    said = (
        "the model misses its tokens"
        if row["low"] > 0
        else "the model misses random tokens more"
        if row["high"] < 0
        else "which does not tell it from random tokens"
    )
    sentence = (
        minus(f"{start}RACU {row['racu']:.2f} [{row['low']:.2f}, {row['high']:.2f}]") + f", {said}"
    )
    truth = next((one for one in racus if one[MEASURE] == TRUTH and _same(one, row)), None)
    if truth is None or math.isnan(truth["racu"]):
        return sentence
    reached = minus(f"{truth['racu']:.2f} [{truth['low']:.2f}, {truth['high']:.2f}]")
    return f"{sentence}; the tokens that truly decide come to {reached}"


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _of(one) == _of(other) and one[MASKING] == other[MASKING]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
