"""The columns that every summarised value has: n, undefined, mean, std, interval."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attex.agreement.intervals import mean_interval
from attex.analyses.headline import ALL_SEEDS as ALL_SEEDS

if TYPE_CHECKING:
    import polars as pl


def frame(rows: Sequence[dict[str, Any]]) -> "pl.DataFrame":
    """Make a tidy table of rows that share their keys."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def summarise(values: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
    """Summarise the chosen values of S seeds × N texts; NaN is undefined, and counted.

    std has ddof 0; low and high bound the mean at 95 % (bootstrap).
    """
    defined = chosen & ~np.isnan(values)
    known = values[defined]
    low, high = mean_interval(values, defined)
    return {
        "n": int(chosen.sum()),
        "undefined": int(chosen.sum() - defined.sum()),
        "mean": float(known.mean()) if known.size else float("nan"),
        "std": float(known.std()) if known.size else float("nan"),
        "low": low,
        "high": high,
    }


def seed_groups(seeds: Sequence[int]) -> Iterable[tuple[str, list[int]]]:
    """Name the rows of a table over seeds: each seed, and all together where there are several."""
    for row, seed in enumerate(seeds):
        yield str(seed), [row]
    if len(seeds) > 1:
        yield ALL_SEEDS, list(range(len(seeds)))
