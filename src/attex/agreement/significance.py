"""Which of many tests are significant."""

import numpy as np


def benjamini_hochberg(p_values: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Say which tests are rejected with a false discovery rate of at most `level`: [N] → [N] bool.

    The m tests in order of p: all up to the last with p₍ᵢ₎ ≤ level · i/m (Benjamini & Hochberg
    1995). NaN, an undefined test, is neither counted nor rejected.
    """
    known = ~np.isnan(p_values)
    in_order = np.sort(p_values[known])
    below = in_order <= level * np.arange(1, len(in_order) + 1) / max(1, len(in_order))
    if not below.any():
        return np.zeros_like(known)
    limit = in_order[np.flatnonzero(below)[-1]]
    rejected: np.ndarray = known & (np.where(known, p_values, np.inf) <= limit)
    return rejected
