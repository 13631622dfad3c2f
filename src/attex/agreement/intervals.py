"""Percentile bootstrap intervals over texts, and over seeds × texts."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

DRAWS = 2_000
LEVEL = 95.0


def bootstrap(
    *values: ArrayLike,
    statistic: Callable[..., float] = np.mean,
    draws: int = DRAWS,
    level: float = LEVEL,
    seed: int = 0,
) -> tuple[float, float]:
    """Bound any statistic of N texts, or of S seeds × N texts: [N] or [S,N] → (low, high).

    Texts are drawn with replacement, the same for all seeds, and seeds likewise where there are
    several (crossed); the bounds are percentiles of what the statistic then gives. It is called once
    for each draw, with arrays of the shape of the values. Draws for which it gives NaN are left out;
    what is NaN among the values is left to the statistic (`np.nanmean` leaves it out). NaN where
    there is no text. The same call gives the same bounds.

    Args:
        *values: one array, or several of one shape, which are drawn alike: a statistic of pairs.
        statistic: called with as many arrays as there are values.
        draws: how often it is called.
        level: how many per cent of the draws lie between the bounds.
        seed: where the draws start.

    Raises:
        ValueError: if the arrays are not of one shape, [N] or [S,N], or a number is out of its range.

    Example:
        Of ten texts with one right answer, 35 % of all draws miss it (0.9¹⁰), and more than 97.5 %
        have at most three:

        >>> import numpy as np
        >>> from attex.agreement import bootstrap
        >>> right = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        >>> bootstrap(right)
        (0.0, 0.3)
        >>> bootstrap(right, right, statistic=lambda a, b: (a - b).max())
        (0.0, 0.0)
    """
    arrays = [np.asarray(each) for each in values]
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or arrays[0].ndim not in (1, 2):
        raise ValueError(f"expected arrays of one shape, [N] or [S,N], not {[*shapes]}")
    if draws < 1:
        raise ValueError(f"draws = {draws} is less than 1")
    if not 0 < level < 100:
        raise ValueError(f"level = {level} is not between 0 and 100")
    *several, texts = arrays[0].shape
    seeds = several[0] if several else 1
    if not texts or not seeds:
        return float("nan"), float("nan")
    columns = _drawn(texts, draws, seed)
    rows = _drawn(seeds, draws, seed + 1) if seeds > 1 else np.zeros((draws, 1), dtype=int)
    replicates = np.empty(draws)
    for draw, (row, column) in enumerate(zip(rows, columns, strict=True)):
        chosen = np.ix_(row, column) if several else column
        replicates[draw] = statistic(*(array[chosen] for array in arrays))
    return percentiles(replicates, level)


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


def text_counts(texts: int, draws: int, seed: int = 0) -> np.ndarray:
    """Say how often each text is drawn in each of `draws` samples with replacement: [draws,texts]."""
    return _counts(texts, draws, seed)


def percentiles(drawn: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Bound the middle `level` per cent of what was drawn; NaN is left out, and given where all is."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.percentile(known, [(100 - level) / 2, (100 + level) / 2])
    return float(low), float(high)


@functools.lru_cache(maxsize=4)
def _counts(items: int, draws: int, seed: int) -> np.ndarray:
    """How often each of `items` is drawn in each of `draws` samples with replacement."""
    drawn = _drawn(items, draws, seed) + items * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * items)
    return counts.reshape(draws, items).astype(float)


def _drawn(items: int, draws: int, seed: int) -> np.ndarray:
    """Draw as many of `items` as there are, with replacement: [draws,items]."""
    return np.random.default_rng([seed, items]).integers(0, items, size=(draws, items))
