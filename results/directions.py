"""Table 3 of Pruthi et al. (2020): which way every row goes, in the paper and here."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from attex.claims.ledger import Cell, published
from attex.claims.numbers import BASE, read_numbers
from attex.claims.quantities import WITHOUT
from attex.studies.bounds import half_width
from results.by_seed import Mean
from results.markdown import number, table
from results.paper_numbers import PaperNumbers
from results.study_numbers import CELL, NumberOf, StudyNumbers

_SLIP = "slip"
"""What the ledger's notes say of a number that may be misprinted."""

STAYS = 0.02
"""A change that is smaller than this is none: so near numbers of accuracy are asked to be."""

PAPER, AGAIN = "pruthi_2020", "caulfield_2021_replication_of_pruthi"
"""The paper, and the one that has run its code again."""

ATTENTION, ACCURACY, ABOVE = "attention", "accuracy", "accuracy beside models without the words"
_QUANTITIES = {ATTENTION: "impermissible_mass", ACCURACY: "accuracy"}
_DEALT_OUT = " dealt out anew"

SAME, OTHER, OPEN = "the same", "another", "not told"
"""Which way ours goes, beside the paper's."""

_MARKS = {SAME: "✓", OTHER: "✗", OPEN: "~"}


@dataclass(frozen=True)
class Direction:
    """How a number of a row changes: from λ = 0, or from models that never saw the words.

    `theirs` and `replicated` are the changes in the paper and in its replication, NaN where there is no
    number; `ours` has its 95 % interval beside it. Where a number of the paper is `misprinted`, as the
    ledger notes, ours is held against the replication.
    """

    cell: Cell
    weight: str
    what: str
    theirs: float
    replicated: float
    misprinted: bool
    ours: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Say whether ours goes the same way: up, down, or nowhere."""
        theirs = self.replicated if self.misprinted else self.theirs
        if math.isnan(theirs) or math.isnan(self.low):
            return OPEN
        if abs(theirs) < STAYS:
            if self.low > -STAYS and self.high < STAYS:
                return SAME
            return OTHER if self.high <= -STAYS or self.low >= STAYS else OPEN
        if self.low > 0 or self.high < 0:
            return SAME if self.ours * theirs > 0 else OTHER
        # Theirs changes: ours does not, if all of its interval is next to 0.
        return OTHER if self.low > -STAYS and self.high < STAYS else OPEN

    @property
    def row(self) -> str:
        """Name the row of the table."""
        return f"{self.cell[0]}, {self.cell[1]}, λ = {self.weight}"


class Directions:
    """The directions of all rows that there are models for, as a template asks for them."""

    def __init__(self, paper: PaperNumbers) -> None:
        self.every = [*_from_first(paper), *_beside_without(paper)]

    def of(self, what: str, verdict: str | None = None) -> list[Direction]:
        """Return those of a number, with a verdict."""
        return [one for one in self.every if one.what == what and verdict in (None, one.verdict)]

    def not_again(self) -> list[Direction]:
        """Return what does not go the same way, or cannot be told."""
        return [one for one in self.every if one.verdict != SAME]

    def counted(self, what: str) -> str:
        """Say in how many rows a number goes the same way."""
        return f"{len(self.of(what, SAME))} of {len(self.of(what))}"

    def swapped(self, one: Direction, swaps: StudyNumbers) -> list[str]:
        """Say how a number changes from λ = 0 under each swap of this row, and which way.

        Where the swap has moved the change, after Welch, by how much is said too: then it is a cause.
        """
        if one.what not in _QUANTITIES:
            return []
        after, before = (f"{_QUANTITIES[one.what]}(lambda={w})" for w in (one.weight, "0"))
        changes = {
            name: swaps.difference(NumberOf(one.cell, after, name), NumberOf(one.cell, before, name))
            for name in swaps.settings
        }
        told = []
        for setting in swaps.settings[1:]:
            if change := changes[setting]:
                moved = apart(change.seeds.values, changes[BASE].seeds.values)
                by = f", moved by {bounded(*moved)}" if moved[1] > 0 or moved[2] < 0 else ""
                told.append(f"{setting}: {change} {_MARKS[_with(one, change).verdict]}{by}")
        return told

    def table(self) -> str:
        """Lay out a line for each row: of every number the change in the paper, and ours."""
        kinds = list(dict.fromkeys(one.what for one in self.every))
        by_row: dict[tuple[Cell, str], dict[str, Direction]] = {}
        for one in self.every:
            by_row.setdefault((one.cell, one.weight), {})[one.what] = one
        lines = []
        for (cell, weight), row in by_row.items():
            line = [cell[0], cell[1], weight]
            for what in kinds:
                line += _pair(row[what]) if what in row else ["–", "–"]
            lines.append(line)
        heads = [head for what in kinds for head in (f"{what}, published (replicated)", "ours")]
        return table(["task", "encoder", "λ", *heads], lines)


def directions(paper: PaperNumbers) -> Directions:
    """Compare the directions of Table 3 with those of our models."""
    return Directions(paper)


def _with(one: Direction, change: Mean) -> Direction:
    low, high = (math.nan, math.nan) if math.isnan(change.half) else (change.low, change.high)
    return replace(one, ours=change.mean, low=low, high=high)


def _pair(one: Direction) -> list[str]:
    theirs = f"{number(one.theirs)} ({number(one.replicated)})"
    return [theirs, f"{bounded(one.ours, one.low, one.high)} {_MARKS[one.verdict]}"]


def bounded(value: float, low: float, high: float) -> str:
    """Write a number with its interval, if it has one."""
    return number(value) + ("" if math.isnan(low) else f" [{number(low)}, {number(high)}]")


def _from_first(paper: PaperNumbers) -> Iterator[Direction]:
    """Yield how attention and accuracy change with λ: differences of models with the same seed."""
    path = paper.folder / f"{PAPER}_deception.csv"
    rows = pl.read_csv(path).to_dicts() if path.exists() else []
    weights = list(dict.fromkeys(f"{row['weight']:g}" for row in rows))
    for what, quantity in _QUANTITIES.items():
        for row in rows:
            weight = f"{row['weight']:g}"
            if row["quantity"] == quantity and weight != weights[0]:
                cell = tuple(row[name] for name in CELL)
                names = [f"{quantity}(lambda={one})" for one in (weight, weights[0])]
                ours = (row[f"difference{end}"] for end in ("", "_low", "_high"))
                yield Direction(cell, weight, what, *_published(cell, names), *ours)


def _beside_without(paper: PaperNumbers) -> Iterator[Direction]:
    """Yield how much better models are than those that never saw the words: means over seeds."""
    values = _values(paper)
    without = f"accuracy({WITHOUT})"
    for (cell, quantity), of_seeds in values.items():
        _, asked, weight = quantity.removesuffix(")").partition("accuracy(lambda=")
        if asked and weight != "0" and (cell, without) in values:
            ours = apart(of_seeds, values[cell, without])
            yield Direction(cell, weight, ABOVE, *_published(cell, [quantity, without]), *ours)


def _values(paper: PaperNumbers) -> Mapping[tuple[Cell, str], list[float]]:
    """Return all numbers as published, of every seed once, as the first table that has it."""
    values: dict[tuple[Cell, str], dict[str, float]] = {}
    for path in sorted(paper.folder.glob("numbers*.csv")):
        for one in read_numbers(path):
            if one.setting == BASE:
                values.setdefault((one.cell, one.quantity), {}).setdefault(one.seed, one.value)
    return {about: [*of_seeds.values()] for about, of_seeds in values.items()}


def _published(cell: Cell, quantities: Sequence[str]) -> tuple[float, float, bool]:
    """Return the difference of two published numbers, in the paper and in its replication.

    Last is whether one of the paper's two may be misprinted.
    """
    about = dict(zip(CELL, cell, strict=True)) | {"dataset": cell[0].removesuffix(_DEALT_OUT)}
    paper, again = (
        {one.quantity: one for one in published(paper=name, **about) if one.quantity in quantities}
        for name in (PAPER, AGAIN)
    )
    changes = []
    for known in (paper, again):
        after, before = (known[name].mean if name in known else math.nan for name in quantities)
        changes.append(after - before)
    return changes[0], changes[1], any(_SLIP in one.note for one in paper.values())


def apart(some: Sequence[float], others: Sequence[float]) -> tuple[float, float, float]:
    """Return the difference of two means over seeds with its interval, after Welch."""
    gap = float(np.mean(some) - np.mean(others))
    if min(len(some), len(others)) < 2:
        return gap, math.nan, math.nan
    parts = [(np.array([np.var(v, ddof=1) / len(v)]), len(v) - 1) for v in (some, others)]
    variance = sum((part for part, _ in parts), np.zeros(1))
    half = float(half_width(variance, parts)[0])
    return gap, gap - half, gap + half
