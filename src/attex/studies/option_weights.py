"""Which settings a choice exists in, and weights that make its levels count the same."""

import numpy as np

from attex.studies.run_set import RunSet


def option_weights(runs: RunSet, levels: np.ndarray) -> np.ndarray:
    """Weigh settings so that the levels of every choice weigh the same: [U,F] → [U], with a sum of 1.

    A choice of two levels that fills three slots of a design has one of them twice as often. Weights
    are scaled for one choice after the other until all are even (iterative proportional fitting). A
    nested choice is even among the settings in which it exists; a level that no setting has is not
    counted.
    """
    weights = np.full(len(levels), 1 / max(len(levels), 1))
    for _ in range(1_000):
        before = weights.copy()
        for number in range(levels.shape[1]):
            there = exists(runs, levels, number)
            present = np.unique(levels[there, number])
            total = weights[there].sum()
            for level in present:
                at = there & (levels[:, number] == level)
                weights[at] *= total / len(present) / weights[at].sum()
        if np.allclose(weights, before, rtol=1e-12, atol=0):
            break
    return weights


def exists(runs: RunSet, levels: np.ndarray, number: int) -> np.ndarray:
    """Say for which settings a choice exists: those whose parent has a level that it hangs on: [U]."""
    names = list(runs.choices)
    there: np.ndarray = levels[:, number] >= 0
    if names[number] in runs.within:
        parent, at = runs.within[names[number]]
        there &= np.isin(levels[:, names.index(parent)], [runs.choices[parent].index(one) for one in at])
    return there
