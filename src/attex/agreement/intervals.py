"""Percentile bootstrap intervals over texts, and over seeds × texts."""

import functools

import numpy as np

DRAWS = 2_000
LEVEL = 95.0


def mean_interval(
    values: np.ndarray, included: np.ndarray, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Bound the mean of the included values of S seeds × N texts: [S,N], [S,N] → (low, high).

    Texts are drawn with replacement, the same for all seeds, and seeds likewise where there are
    several (crossed); what is not included is left out after drawing. NaN without any value.
    """
    weights = included.astype(float)
    totals = np.where(included, values, 0.0)
    texts = _counts(values.shape[1], draws, seed)
    seeds = _counts(values.shape[0], draws, seed + 1) if len(values) > 1 else np.ones((draws, 1))
    above = ((texts @ totals.T) * seeds).sum(axis=1)
    below = ((texts @ weights.T) * seeds).sum(axis=1)
    means = above[below > 0] / below[below > 0]
    if not len(means):
        return float("nan"), float("nan")
    low, high = np.percentile(means, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return float(low), float(high)


@functools.lru_cache(maxsize=4)
def _counts(items: int, draws: int, seed: int) -> np.ndarray:
    """How often each of `items` is drawn in each of `draws` samples with replacement."""
    rng = np.random.default_rng([seed, items])
    drawn = rng.integers(0, items, size=(draws, items))
    drawn += items * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * items)
    return counts.reshape(draws, items).astype(float)
