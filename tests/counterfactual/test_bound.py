"""The bound of means, against a linear program, and the bound of each text."""

import numpy as np
import pytest
import scipy
import torch
from toys import make_batch, make_model

from attex.counterfactual import bound_of_means, frozen_bound, moved_apart
from attex.models.classifier import AttentionModel
from attex.models.guided import GuidedAttention

GRID = torch.cat([torch.zeros(1), torch.logspace(-3, 0, 9)]).double()


def by_linear_program(limits: np.ndarray, grid: np.ndarray, moved: float) -> float:
    """Let every text be anywhere on the grid, with any probabilities, at most so far on average."""
    texts, cells = limits.shape
    each_text = np.kron(np.eye(texts), np.ones(cells))
    found = scipy.optimize.linprog(
        -limits.flatten() / texts,
        A_ub=np.tile(grid, texts)[None] / texts,
        b_ub=[moved],
        A_eq=each_text,
        b_eq=np.ones(texts),
    )
    return float(-found.fun)


def test_the_bound_of_means_is_that_of_a_linear_program() -> None:
    rng = np.random.default_rng(0)
    # Rising, and concave nowhere in particular.
    limits = np.sort(rng.uniform(0, np.log(2), (12, len(GRID))), axis=1)
    moved = [0.0, 0.002, 0.05, 0.3, 1.0]
    found = bound_of_means(torch.from_numpy(limits), GRID, torch.tensor(moved))
    for t, value in zip(moved, found.tolist(), strict=True):
        # Charged with the lower ε of a cell, credited with the higher J.
        expected = by_linear_program(limits[:, 1:], GRID[:-1].numpy(), t)
        assert value == pytest.approx(expected, abs=1e-6)
        assert value >= by_linear_program(limits, GRID.numpy(), t) - 1e-9


def test_the_mean_of_any_attentions_is_below_the_bound_of_means() -> None:
    base, batch = make_model("average"), make_batch([5, 9, 2, 14, 7, 7, 3])
    limits = torch.stack([frozen_bound(base, batch, float(epsilon)) for epsilon in GRID], dim=1)
    for seed in range(30):
        other = under(base, seed)
        tvd, jsd = moved_apart(base, other, batch)
        assert (jsd <= frozen_bound(base, batch, tvd) + 1e-12).all()
        assert jsd.mean() <= bound_of_means(limits, GRID, tvd.mean()[None])


def under(base: AttentionModel, seed: int) -> AttentionModel:
    """The same states and readout under an attention that has nothing to do with the base's."""
    return GuidedAttention(base, make_model("lstm", seed=seed + 1, spread=1.0 + seed % 5))


def test_more_outputs_have_no_such_bound() -> None:
    with pytest.raises(ValueError, match="two classes"):
        frozen_bound(make_model("average", classes=3), make_batch([4]), 0.1)
