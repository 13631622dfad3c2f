"""What bounds numbers of several seeds: the seeds that were drawn, and the texts that were looked at."""

from dataclasses import dataclass, replace

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.

LEVEL = 0.95


@dataclass(frozen=True)
class Bounds:
    """Means over seeds with their intervals, one for each of U settings.

    `value`, `low` and `high` are NaN where no seed has a number. `seeds` [U] counts those that have
    one. `text_draws` [U,D] is how far the mean moves when the texts are drawn again (0 without draws).
    `seed_variance` is the variance of a number over seeds, the same for all settings: NaN where no
    setting has two seeds, and `seed_freedom` is then 0.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    seeds: np.ndarray
    text_draws: np.ndarray
    seed_variance: float
    seed_freedom: int

    @property
    def mean_variance(self) -> np.ndarray:
        """What the seeds contribute to the variance of each mean: [U], 0 where that is not known."""
        of_seeds: np.ndarray = np.nan_to_num(self.seed_variance) / np.maximum(self.seeds, 1)
        return of_seeds

    def within(self, limits: tuple[float, float]) -> "Bounds":
        """Return the same with intervals that end where the number must, as a share does at 0 and 1."""
        return replace(self, low=np.maximum(self.low, limits[0]), high=np.minimum(self.high, limits[1]))


def bounded(values: np.ndarray, draws: np.ndarray | None = None) -> Bounds:
    """Bound the mean over seeds of each of U settings: values [U,S], draws [U,S,D].

    The variance of a mean is that over texts plus that over seeds:

    - Texts: the variance over draws of the mean over seeds. The draws are the same texts for all seeds
      of a setting. Without draws this part is left out, and the interval is over seeds alone.
    - Seeds: σ²/S. Two seeds hardly tell σ², so it is pooled over all settings: the mean of their
      variances over seeds, less what texts contribute to these by moving the seeds of a setting
      apart (that is in the first part already), and at least 0. So an interval has its level
      on average over settings; one whose seeds differ more than usual has it less often. With one
      seed this part is left out: the interval then says nothing of other seeds.

    The interval is mean ± t·√variance with Satterthwaite's degrees of freedom. Percentiles of some
    two hundred draws would be coarse in the tails, and would not know of the seeds.
    """
    known = ~np.isnan(values)
    seeds = known.sum(axis=1)
    value = _mean(values, known, seeds)
    residuals = np.where(known, values - value[:, None], 0.0)
    freedom = int(np.maximum(seeds - 1, 0).sum())
    between = float((residuals**2).sum() / freedom) if freedom else float("nan")
    if draws is None or draws.shape[-1] < 2:
        text_draws, apart = np.zeros((len(values), 1)), 0.0
    else:
        moved = _moved(draws, known)
        text_draws = moved.sum(axis=1) / np.maximum(seeds, 1)[:, None]
        spread = np.where(known[..., None], moved - text_draws[:, None], 0.0)
        apart = float((spread**2).sum() / (freedom * draws.shape[-1])) if freedom else 0.0
    seed_variance = max(between - apart, 0.0) if freedom else float("nan")
    count = text_draws.shape[1]
    of_texts = text_draws.var(axis=1, ddof=1) if count > 1 else np.zeros(len(values))
    of_seeds = np.nan_to_num(seed_variance) / np.maximum(seeds, 1)
    # What is subtracted is estimated, too: the freedom goes by what it is subtracted from.
    uncertain = [(np.nan_to_num(between) / np.maximum(seeds, 1), freedom), (of_texts, count - 1)]
    half = half_width(of_texts + of_seeds, uncertain)
    return Bounds(value, value - half, value + half, seeds, text_draws, seed_variance, freedom)


def bounded_apart(values: np.ndarray, draws: np.ndarray | None = None) -> list[Bounds]:
    """Bound each of U settings by its own seeds alone: for kinds of models that are not alike."""
    return [
        bounded(values[place : place + 1], None if draws is None else draws[place : place + 1])
        for place in range(len(values))
    ]


def half_width(
    variance: np.ndarray, parts: list[tuple[np.ndarray, int]], level: float = LEVEL
) -> np.ndarray:
    """Return t·√variance; each part of a variance is estimated with so many degrees of freedom."""
    reach: np.ndarray = student(level, satterthwaite(variance, parts)) * np.sqrt(variance)
    return reach


def satterthwaite(variance: np.ndarray, parts: list[tuple[np.ndarray, int]]) -> np.ndarray:
    """Return the degrees of freedom of a variance with parts: (Σ v)² / Σ(v²/freedom), at least 1."""
    doubt = sum((part**2 / freedom for part, freedom in parts if freedom > 0), np.zeros_like(variance))
    freedom = np.full_like(variance, np.inf)
    np.divide(variance**2, doubt, out=freedom, where=doubt > 0)
    return np.asarray(np.maximum(freedom, 1.0))


def student(level: float, freedom: np.ndarray) -> np.ndarray:
    """Return how many standard errors an interval of this level reaches to each side."""
    # SciPy's statistics take a second to import; this is the same quantile.
    normal = scipy.special.ndtri((1 + level) / 2)
    finite = scipy.special.stdtrit(np.where(np.isinf(freedom), 1.0, freedom), (1 + level) / 2)
    return np.asarray(np.where(np.isinf(freedom), normal, finite))


def two_sided(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Return how often Student's t is as far from 0 as this."""
    finite = scipy.special.stdtr(np.where(np.isinf(freedom), 1.0, freedom), -np.abs(t))
    return np.asarray(2 * np.where(np.isinf(freedom), scipy.special.ndtr(-np.abs(t)), finite))


def _mean(values: np.ndarray, known: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    total = np.where(known, values, 0.0).sum(axis=1)
    mean = np.full(len(values), np.nan)
    np.divide(total, seeds, out=mean, where=seeds > 0)
    return mean


def _moved(draws: np.ndarray, known: np.ndarray) -> np.ndarray:
    """How far each draw is from the mean of its model's draws: [U,S,D]; 0 where either is unknown."""
    there = ~np.isnan(draws) & known[..., None]
    count = np.maximum(there.sum(axis=2, keepdims=True), 1)
    centre = np.where(there, draws, 0.0).sum(axis=2, keepdims=True) / count
    moved: np.ndarray = np.where(there, draws - centre, 0.0)
    return moved
