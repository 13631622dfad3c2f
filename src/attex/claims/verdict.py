"""The verdict on a published number, which is itself one draw: is it one that we could have drawn?

With m the mean over S seeds and s the standard deviation between seeds, another model's number lies in
m ± t·s·√(1 + 1/S) 19 times of 20. s is pooled over cells that should vary alike, and t has the
degrees of freedom that this pooling has.
"""

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.

CHANCE = 0.05
"""How often the number of a perfect replication is called different."""

UNLIMITED = (-math.inf, math.inf)
"""The limits of a number that can be any."""


class Verdict(enum.StrEnum):
    """What is said of a published number."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNCERTAIN = "too uncertain"
    NOT_RUN = "not run"
    NOT_PUBLIC = "data not public"


JUDGED = (Verdict.REPRODUCED, Verdict.DIFFERS, Verdict.UNCERTAIN)
"""The verdicts on numbers that we have one beside."""


@dataclass(frozen=True)
class Spread:
    """The standard deviation between seeds, and the degrees of freedom that it is known with."""

    deviation: float
    freedom: float


def pooled(cells: Iterable[Sequence[Sequence[float]]]) -> Spread:
    """Pool the spread between seeds over cells.

    A cell holds one or more numbers of the same models, each with a value for every seed: one number
    over all texts, or one for each class. What several numbers of the same models tell is not
    independent, so a cell counts its models once: it has S − 1 degrees of freedom.

    All cells weigh alike: s² is the mean of their variances. Were each weighed by its seeds, more seeds
    of one dataset would make the numbers of another uncertain. If cells vary alike, s² then has
    C² / Σ 1/(S − 1) degrees of freedom (Satterthwaite 1946): Σ(S − 1) where all have as many seeds.
    """
    variances, inverses = [], 0.0
    for cell in cells:
        every = [known for known in map(_known, cell) if len(known) > 1]
        if every:
            squares = sum(float(((known - known.mean()) ** 2).sum()) for known in every)
            variances.append(squares / sum(len(known) - 1 for known in every))
            inverses += 1 / (max(map(len, every)) - 1)
    if not variances:
        return Spread(math.nan, 0)
    return Spread(math.sqrt(sum(variances) / len(variances)), len(variances) ** 2 / inverses)


def together(spreads: Iterable[Spread]) -> Spread:
    """Pool spreads that are known already, each by its degrees of freedom."""
    known = [spread for spread in spreads if spread.freedom]
    freedom = sum(spread.freedom for spread in known)
    squares = sum(spread.freedom * spread.deviation**2 for spread in known)
    return Spread(math.sqrt(squares / freedom) if freedom else math.nan, freedom)


@dataclass(frozen=True)
class Interval:
    """A mean, and how far to both sides of it an interval reaches.

    It ends where the number does, at its `limits`: a share at 0 and at 1.
    """

    mean: float
    half: float
    limits: tuple[float, float] = field(default=UNLIMITED, kw_only=True)

    @property
    def low(self) -> float:
        """The lower end."""
        return max(self.mean - self.half, self.limits[0])

    @property
    def high(self) -> float:
        """The upper end."""
        return min(self.mean + self.half, self.limits[1])

    def has(self, value: float) -> bool:
        """Say whether a value lies inside; none does where the spread is not known."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Prediction(Interval):
    """The mean over seeds, and the interval that another number like these lies in."""

    seeds: int
    spread: Spread


def predict(
    values: Sequence[float],
    spread: Spread,
    level: float = 1 - CHANCE,
    limits: tuple[float, float] = UNLIMITED,
) -> Prediction | None:
    """Return the prediction interval m ± t·s·√(1 + 1/S); None without any value.

    One seed in one cell says nothing of its spread: then the ends are NaN.
    """
    known = _known(values)
    if not len(known):
        return None
    factor = quantile(spread.freedom, level) * math.sqrt(1 + 1 / len(known))
    half = factor * spread.deviation
    return Prediction(float(known.mean()), half, len(known), spread, limits=limits)


def judge(published: float, prediction: Prediction, widest: float) -> Verdict:
    """Say whether a published number is reproduced, differs, or cannot be told from others."""
    if math.isnan(prediction.half):
        return Verdict.UNCERTAIN
    if not prediction.has(published):
        return Verdict.DIFFERS
    return Verdict.REPRODUCED if prediction.half <= widest else Verdict.UNCERTAIN


def are_different(one: Prediction, other: Prediction, level: float = CHANCE) -> bool:
    """Say whether two means over seeds differ, by a two-sided t with both spreads pooled."""
    spread = together([one.spread, other.spread])
    if not spread.freedom:
        return False
    scale = _scale(one, other, spread)
    gap = abs(one.mean - other.mean)
    if scale == 0:
        return gap > 0
    return p_value(gap / scale, spread.freedom) <= level


def change(before: Prediction, after: Prediction) -> Interval:
    """Return by how much a mean over seeds changes, and the interval that has it 19 times of 20."""
    spread = together([before.spread, after.spread])
    half = quantile(spread.freedom, 1 - CHANCE) * _scale(before, after, spread)
    return Interval(after.mean - before.mean, half)


def _scale(one: Prediction, other: Prediction, spread: Spread) -> float:
    return spread.deviation * math.sqrt(1 / one.seeds + 1 / other.seeds)


def p_value(ratio: float, freedom: float) -> float:
    """Return how often chance alone gives a t so far from 0."""
    return float(2 * scipy.special.stdtr(freedom, -abs(ratio)))


def quantile(freedom: float, level: float) -> float:
    """Return the t between which and its opposite lies this share of all; NaN without freedom."""
    return float(scipy.special.stdtrit(freedom, (1 + level) / 2)) if freedom else math.nan


def _known(values: Sequence[float]) -> np.ndarray:
    return np.array([value for value in values if not math.isnan(value)])
