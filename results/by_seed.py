"""Numbers of models that differ in their seed only, and a study of them that stands aside."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attex.claims.verdict import CHANCE, UNLIMITED, Interval, pooled, quantile
from results.markdown import number, table


@dataclass(frozen=True)
class Seeds:
    """One number of the models that differ in their seed only."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(np.mean(self.values)) if self.values else math.nan

    @property
    def least(self) -> float:
        """The least of the seeds."""
        return min(self.values, default=math.nan)

    @property
    def most(self) -> float:
        """The most of the seeds."""
        return max(self.values, default=math.nan)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __sub__(self, other: "Seeds") -> "Seeds":
        """Subtract what the same models have of something else, seed by seed."""
        if not self or not other:
            return Seeds(())
        return Seeds(tuple(a - b for a, b in zip(self.values, other.values, strict=True)))

    def __str__(self) -> str:
        if not self.values:
            return "–"
        if len(self.values) == 1:
            return number(self.mean)
        return f"{number(self.mean)} ({number(self.least)} to {number(self.most)})"


@dataclass(frozen=True)
class Mean(Interval):
    """A mean over seeds with its 95 % interval, m ± t·s/√S, and the seeds that it is of."""

    seeds: Seeds

    def __bool__(self) -> bool:
        return bool(self.seeds)

    def __str__(self) -> str:
        ends = f" [{number(self.low)}, {number(self.high)}]" if self and self.half == self.half else ""
        return f"{number(self.mean)}{ends}"


def mean_of(
    some: Seeds,
    alike: Iterable[Sequence[Seeds]],
    limits: tuple[float, float] = UNLIMITED,
) -> Mean:
    """Return a mean with its interval, whose s is pooled over cells that should vary alike.

    Of each cell `alike` has the numbers that are like `some`, which is one of them. No such number is
    beyond `limits`.
    """
    spread = pooled([[one.values for one in cell] for cell in alike])
    count = max(len(some.values), 1)
    half = quantile(spread.freedom, 1 - CHANCE) * spread.deviation / math.sqrt(count)
    return Mean(some.mean, half, some, limits=limits)


def mean_of_all(cells: Sequence[Seeds]) -> Mean:
    """Return the mean over the seeds of all cells; s is between seeds, within cells."""
    every = Seeds(tuple(value for cell in cells for value in cell.values))
    return mean_of(every, [[cell] for cell in cells])


def chance(value: Seeds, calibrated: Seeds) -> Seeds:
    """Return what shuffled scores give under a statistic that scores a list against itself 1.

    Calibrated is (value − chance) / (ceiling − chance), and that ceiling is 1: the two sorted have the
    same list. So chance is (value − calibrated) / (1 − calibrated).
    """
    return Seeds(tuple((v - c) / (1 - c) for v, c in zip(value.values, calibrated.values, strict=True)))


def ceiling(tau: Seeds, calibrated: Seeds) -> Seeds:
    """Return the most that τ could be: τ of shuffled scores is 0, so calibrated is τ / ceiling."""
    return Seeds(tuple(t / c for t, c in zip(tau.values, calibrated.values, strict=True)))


def built_in(calibrated: Seeds, beyond_permuted: Seeds) -> Seeds:
    """Return the share of what is above chance that the same weights have on other words.

    Both numbers are shares of the same way, from chance to ceiling.
    """
    pairs = zip(calibrated.values, beyond_permuted.values, strict=True)
    return Seeds(tuple(1 - beyond / whole for whole, beyond in pairs))


@dataclass(frozen=True)
class Aside:
    """A further study of one model: by what was chosen, numbers that were published of it.

    `nearest` is the setting in which the published numbers are least far, by the largest distance.
    """

    choices: tuple[str, ...]
    published: Mapping[str, float]
    rows: Mapping[tuple[str, ...], Mapping[str, Seeds]]

    def distance(self, levels: tuple[str, ...]) -> float:
        """How far the number that is furthest is from the published one."""
        return max(abs(self.rows[levels][q].mean - value) for q, value in self.published.items())

    @property
    def nearest(self) -> dict[str, str]:
        """What is chosen where the published numbers are nearest."""
        levels: tuple[str, ...] = min(self.rows, key=self.distance)
        return dict(zip(self.choices, levels, strict=True))

    def __str__(self) -> str:
        header = [*self.choices, *(f"{q}, published {number(v)}" for q, v in self.published.items())]
        rows = [[*levels, *(str(by[q]) for q in self.published)] for levels, by in self.rows.items()]
        return table(header, rows)
