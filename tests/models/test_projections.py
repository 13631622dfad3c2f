"""Projections against their definition as an optimisation problem."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from attex.models import projections
from attex.models.projection import PROJECTIONS

NAMES = [entry.name for entry in PROJECTIONS]
energies_and_masks = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-30, 30, width=32), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


def euclidean_projection(z: np.ndarray) -> np.ndarray:
    """Solve argmin ‖p − z‖² on the simplex by root finding: p = max(z − τ, 0) with Σp = 1."""
    excess = lambda tau: np.maximum(z - tau, 0).sum() - 1  # noqa: E731
    tau = brentq(excess, z.min() - 2, z.max(), xtol=1e-14)
    return np.maximum(z - tau, 0)


@settings(max_examples=200, deadline=None)
@given(energies_and_masks)
def test_every_projection_is_a_distribution_over_the_mask(case: tuple[list[float], list[bool]]) -> None:
    z, mask = torch.tensor(case[0], dtype=torch.float64), torch.tensor(case[1])
    for name in NAMES:
        weights = getattr(projections, name)(z, mask)
        assert weights.dtype == z.dtype
        assert (weights[~mask] == 0).all()
        assert (weights >= 0).all()
        assert abs(weights.sum().item() - float(mask.any())) < 1e-9


@settings(max_examples=200, deadline=None)
@given(energies_and_masks)
def test_sparsemax_solves_its_optimisation_problem(case: tuple[list[float], list[bool]]) -> None:
    z, mask = torch.tensor(case[0], dtype=torch.float64), torch.tensor(case[1])
    if mask.any():
        expected = euclidean_projection(z[mask].numpy())
        np.testing.assert_allclose(projections.sparsemax(z, mask)[mask].numpy(), expected, atol=1e-9)


def test_softmax_is_torchs_over_the_positions_that_count() -> None:
    z, mask = torch.randn(5, 9, dtype=torch.float64), torch.rand(5, 9) > 0.4
    for row in range(5):
        expected = torch.softmax(z[row][mask[row]], dim=0)
        assert torch.allclose(projections.softmax(z, mask)[row][mask[row]], expected, atol=1e-12)


def test_uniform_gives_each_counted_position_the_same() -> None:
    mask = torch.tensor([[True, False, True, True]])
    third = torch.tensor([[1.0, 0.0, 1.0, 1.0]]) / 3
    assert torch.allclose(projections.uniform(torch.randn(1, 4), mask), third)


@pytest.mark.parametrize("name", ["softmax", "sparsemax"])
def test_gradients_are_right(name: str) -> None:
    torch.manual_seed(1)
    z = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 0, 1, 0, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    assert torch.autograd.gradcheck(lambda x: getattr(projections, name)(x, mask), z)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_without_a_position_has_zeros_and_finite_gradients(name: str) -> None:
    z = torch.randn(2, 4, requires_grad=True)
    mask = torch.tensor([[False] * 4, [True] * 4])
    weights = getattr(projections, name)(z, mask)
    assert (weights[0] == 0).all()
    if weights.requires_grad:
        weights.square().sum().backward()
        assert z.grad is not None
        assert z.grad.isfinite().all()
