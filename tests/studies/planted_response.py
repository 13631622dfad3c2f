"""A response with known effects, and shares of variance as plain numbers."""

import numpy as np

from attex.studies.shares import Shares

NAMES = tuple("abcdefghijk")


def four(found: Shares) -> list[float]:
    """Return the four shares that sum to 1."""
    return [each.share for each in (found.all_choices, found.all_pairs, found.lack_of_fit, found.seeds)]


def every(found: Shares) -> list[float]:
    """Return the shares of all choices and pairs."""
    return [each.share for each in (*found.choices, *found.pairs)]


def planted(levels: np.ndarray) -> np.ndarray:
    """A response with known effects: a strong, a middling and a weak choice, one pair, and no more."""
    a, b, c = levels[:, :3].T
    alone = np.take([-1.2, 0.1, 1.1], a) + np.take([0, 0.5, -0.3], b) + np.take([0.25, -0.25, 0], c)
    return alone + 0.6 * ((a == 2) & (b == 1))
