"""RACU: how much more a model misses a measure's tokens than any others, when trained without them."""

from dataclasses import dataclass

import numpy as np

from attex.studies.bounds import bounded


@dataclass(frozen=True)
class Racu:
    """The relative area between curves, with its interval.

    NaN where it cannot be told that random tokens cost anything: where the interval of what they cost,
    over seeds and texts, has 0 in it.

    `as_released` is the mean over seeds of what each comes to alone, clipped to [−1, 1], as in Madsen
    et al.'s code. `seeds` counts those whose curves are whole.
    """

    value: float
    low: float
    high: float
    as_released: float
    seeds: int


def racu(
    shares: np.ndarray,
    measure: np.ndarray,
    random: np.ndarray,
    measure_draws: np.ndarray | None = None,
    random_draws: np.ndarray | None = None,
) -> Racu:
    """RACU = Σ ∫(random − measure) / Σ ∫(random − random where all is masked), summed over seeds.

    [K], [K,S], [K,S] and, where texts were drawn again, [K,S,D] twice: K shares, from 0 to 1, S seeds.
    The integrals are trapezoids. The ratio is not clipped. Its interval is that of the mean of
    R + (A − R·B) / mean B over seeds, where A and B are a seed's two areas: to first order the ratio
    moves as this mean does, and at the seeds that were drawn it is the ratio itself.
    """
    above, below = areas(shares, measure, random)
    whole = ~np.isnan(above + below)
    above, below = above[whole], below[whole]
    of_texts = None
    if measure_draws is not None and random_draws is not None:
        of_texts = areas(shares, measure_draws[:, whole], random_draws[:, whole])
    lost = bounded(below[None], None if of_texts is None else of_texts[1][None])
    if not whole.any() or lost.low[0] <= 0:
        nothing = float("nan")
        return Racu(nothing, nothing, nothing, nothing, int(whole.sum()))
    ratio, size = above.sum() / below.sum(), below.mean()
    draws = None if of_texts is None else (ratio + (of_texts[0] - ratio * of_texts[1]) / size)[None]
    bounds = bounded((ratio + (above - ratio * below) / size)[None], draws)
    alone = np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)
    return Racu(
        float(ratio),
        float(bounds.low[0]),
        float(bounds.high[0]),
        float(np.nanmean(alone.clip(-1, 1))) if (below != 0).any() else float("nan"),
        int(whole.sum()),
    )


def areas(shares: np.ndarray, measure: np.ndarray, random: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the area between the curves, and the one that it is divided by: [S] each, or [S,D].

    [K], [K,S] and [K,S], or [K,S,D] twice.
    """
    between = np.trapezoid(random - measure, shares, axis=0)
    lost = np.trapezoid(random - random[-1], shares, axis=0)
    return between, lost
