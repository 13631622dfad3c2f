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
    return ratio_interval(np.where(included, values, 0.0), included.astype(float), draws, seed)


def ratio_interval(
    above: np.ndarray, below: np.ndarray, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Bound Σ above / Σ below of S seeds × N texts, drawn as for a mean: [S,N], [S,N] → (low, high).

    Both are 0 where a text does not count. A draw whose denominator is 0 is left out.
    """
    return percentiles(ratio_draws(above, below, draws, seed))


def ratio_draws(above: np.ndarray, below: np.ndarray, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Draw Σ above / Σ below again and again: [draws], NaN where the denominator is 0.

    Arrays of the same shape are drawn alike, so that the draws of two ratios are paired.
    """
    texts = _counts(above.shape[1], draws, seed)
    seeds = _counts(above.shape[0], draws, seed + 1) if len(above) > 1 else np.ones((draws, 1))
    numerator = ((texts @ above.T) * seeds).sum(axis=1)
    denominator = ((texts @ below.T) * seeds).sum(axis=1)
    drawn = np.full(draws, np.nan)
    np.divide(numerator, denominator, out=drawn, where=denominator != 0)
    return drawn


def percentiles(drawn: np.ndarray) -> tuple[float, float]:
    """Return the bounds of what was drawn at 95 %; NaN is left out, and given where all is."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.percentile(known, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return float(low), float(high)


@functools.lru_cache(maxsize=4)
def _counts(items: int, draws: int, seed: int) -> np.ndarray:
    """How often each of `items` is drawn in each of `draws` samples with replacement."""
    rng = np.random.default_rng([seed, items])
    drawn = rng.integers(0, items, size=(draws, items))
    drawn += items * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * items)
    return counts.reshape(draws, items).astype(float)
