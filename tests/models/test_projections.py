"""Projections against their definition as an optimisation problem."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from toys import BATCH_DEPENDENT

from attex.models import projection as projection_module
from attex.models import projections
from attex.models.projection import PROJECTIONS

NAMES = [entry.name for entry in PROJECTIONS if entry.name not in BATCH_DEPENDENT]
SPECS = [
    *NAMES,
    *({"type": "entmax", "alpha": alpha} for alpha in (1.0, 1.1, 1.3, 1.75, 2.0, 3.0)),
    *({"type": "sparsegen", "lam": lam} for lam in (-10.0, -1.0, 0.5, 0.9)),
    *({"type": "learned_entmax", "start": start} for start in (1.0, 1.2, 2.5)),
]
SMOOTH = [spec for spec in SPECS if spec not in ("uniform", "imposed")]
energies_and_masks = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-30, 30, width=32), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


def by_root_finding(z: np.ndarray, alpha: float) -> np.ndarray:
    """Solve argmax p·z + H_α(p) on the simplex from its optimality condition.

    p = max((α − 1) z − τ, 0)^{1/(α − 1)} with Σp = 1; α = 2 is argmin ‖p − z‖².
    """

    def weights(tau: float) -> np.ndarray:
        return np.maximum((alpha - 1) * z - tau, 0) ** (1 / (alpha - 1))

    highest = (alpha - 1) * z.max()
    tau = brentq(lambda t: weights(t).sum() - 1, highest - 1.001, highest, xtol=1e-15)
    return weights(tau)


def project(spec: object, z: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = PROJECTIONS.bind(PROJECTIONS.spec(spec))(z, mask)
    return result


@settings(max_examples=200, deadline=None)
@given(energies_and_masks)
def test_every_projection_is_a_distribution_over_the_mask(case: tuple[list[float], list[bool]]) -> None:
    z, mask = torch.tensor(case[0], dtype=torch.float64), torch.tensor(case[1])
    for spec in SPECS:
        weights = project(spec, z, mask).detach()
        assert weights.dtype == z.dtype
        assert (weights[~mask] == 0).all()
        assert (weights >= 0).all()
        assert abs(weights.sum().item() - float(mask.any())) < 1e-9


@settings(max_examples=200, deadline=None)
@given(energies_and_masks)
def test_entmax_solves_its_optimisation_problem(case: tuple[list[float], list[bool]]) -> None:
    z, mask = torch.tensor(case[0], dtype=torch.float64), torch.tensor(case[1])
    if mask.any():
        found = {2.0: projections.sparsemax(z, mask), 1.5: projections.entmax15(z, mask)}
        found |= {alpha: projections.entmax(z, mask, alpha=alpha) for alpha in (1.2, 1.7, 2.5)}
        for alpha, weights in found.items():
            expected = by_root_finding(z[mask].numpy(), alpha)
            np.testing.assert_allclose(weights[mask].numpy(), expected, atol=1e-7)


@settings(max_examples=100, deadline=None)
@given(energies_and_masks, st.floats(-20, 0.95))
def test_sparsegen_solves_its_optimisation_problem(
    case: tuple[list[float], list[bool]], lam: float
) -> None:
    z, mask = torch.tensor(case[0], dtype=torch.float64), torch.tensor(case[1])
    if mask.any():
        # The optimum of ‖p − z‖² − λ‖p‖²: p = max((z − τ)/(1 − λ), 0) with Σp = 1.
        counted = z[mask].numpy()
        low, high = counted.min() - 1.001 * (1 - lam), counted.max()
        tau = brentq(lambda t: np.maximum(counted - t, 0).sum() / (1 - lam) - 1, low, high, xtol=1e-14)
        expected = np.maximum(counted - tau, 0) / (1 - lam)
        found = projections.sparsegen(z, mask, lam=lam)[mask].numpy()
        np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize(("alpha", "same"), [(1.0, "softmax"), (1.5, "entmax15"), (2.0, "sparsemax")])
def test_entmax_meets_its_special_cases(alpha: float, same: str) -> None:
    torch.manual_seed(0)
    z, mask = torch.randn(6, 9, dtype=torch.float64) * 2, torch.rand(6, 9) > 0.3
    expected = getattr(projections, same)(z, mask)
    assert torch.equal(projections.entmax(z, mask, alpha=alpha), expected)
    near = alpha + 2e-3 if alpha == 1.0 else alpha - 1e-6
    assert torch.allclose(projections.entmax(z, mask, alpha=near), expected, atol=3e-3)


def test_imposed_takes_the_energies_as_weights_and_renormalises_what_is_left() -> None:
    given_weights = torch.tensor([[0.5, 0.25, 0.25, 0.0]])
    mask = torch.tensor([[False, True, True, True]])
    assert projections.imposed(given_weights, mask).tolist() == [[0.0, 0.5, 0.5, 0.0]]
    nothing = projections.imposed(torch.zeros(1, 4), mask)
    assert torch.equal(nothing, projections.uniform(torch.zeros(1, 4), mask))


def test_a_learned_alpha_is_held_above_one_and_can_come_back() -> None:
    projection = PROJECTIONS.bind(PROJECTIONS.spec({"type": "learned_entmax", "start": 1.0})).double()
    assert projection.alpha.item() == pytest.approx(1.01)
    z, mask = torch.tensor([[0.3, 1.1, -0.5]], dtype=torch.float64), torch.ones(1, 3, dtype=torch.bool)
    projection(z, mask).square().sum().backward()
    assert projection.raw.grad.item() != 0


def test_the_gradient_of_a_learned_alpha_is_the_difference_quotient() -> None:
    projection = PROJECTIONS.bind(PROJECTIONS.spec({"type": "learned_entmax", "start": 1.6})).double()
    z = torch.tensor([[0.3, 1.1, -0.5, 0.9]], dtype=torch.float64)
    mask, aim = torch.ones(1, 4, dtype=torch.bool), torch.tensor([1.0, -2.0, 0.5, 3.0]).double()
    (projection(z, mask) * aim).sum().backward()
    step = 1e-5
    up, down = (projections.entmax(z, mask, alpha=1.6 + d) for d in (step, -step))
    expected = ((up - down) * aim).sum().item() / (2 * step)
    assert projection.raw.grad.item() == pytest.approx(expected, rel=1e-4)


def test_softmax_is_torchs_over_the_positions_that_count() -> None:
    z, mask = torch.randn(5, 9, dtype=torch.float64), torch.rand(5, 9) > 0.4
    for row in range(5):
        expected = torch.softmax(z[row][mask[row]], dim=0)
        assert torch.allclose(projections.softmax(z, mask)[row][mask[row]], expected, atol=1e-12)


def test_uniform_gives_each_counted_position_the_same() -> None:
    mask = torch.tensor([[True, False, True, True]])
    third = torch.tensor([[1.0, 0.0, 1.0, 1.0]]) / 3
    assert torch.allclose(projections.uniform(torch.randn(1, 4), mask), third)


@pytest.mark.parametrize("spec", SMOOTH, ids=str)
def test_gradients_are_right(spec: object) -> None:
    torch.manual_seed(1)
    z = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 0, 1, 0, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    assert torch.autograd.gradcheck(lambda x: project(spec, x, mask), z, eps=1e-6, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_without_a_position_has_zeros_and_finite_gradients(name: str) -> None:
    z = torch.randn(2, 4, requires_grad=True)
    mask = torch.tensor([[False] * 4, [True] * 4])
    weights = project(name, z, mask)
    assert (weights[0] == 0).all()
    if weights.requires_grad:
        weights.square().sum().backward()
        assert z.grad is not None
        assert z.grad.isfinite().all()


def test_the_published_softmax_loses_weight_to_padding() -> None:
    z, mask = torch.zeros(1, 4), torch.tensor([[True, True, False, False]])
    assert projections.softmax_over_padding(z, mask).tolist() == [[0.25, 0.25, 0.0, 0.0]]


@pytest.mark.parametrize("name", NAMES)
def test_some_texts_at_a_time_are_projected_as_all_together(name, monkeypatch):
    torch.manual_seed(0)
    whole = PROJECTIONS.bind(PROJECTIONS.spec(name))
    energies = torch.randn(7, 2, 5, 5)
    mask = (torch.arange(5) < torch.randint(1, 6, (7, 1, 1, 1))).expand_as(energies)
    sizes: list[int] = []

    def seen(some, mask):
        sizes.append(len(some))
        return whole(some, mask)

    # Memory for three texts at a time.
    three = 3 * projection_module._WORK * energies[:1].numel() * energies.element_size()
    monkeypatch.setattr(projection_module, "budget_on", lambda device: three)
    with torch.no_grad():
        found = projection_module.in_parts(seen, energies, mask)
        torch.testing.assert_close(found, whole(energies, mask), rtol=0, atol=1e-6)
    assert sizes == [3, 3, 1]
    # A gradient keeps what was made of every text anyhow.
    projection_module.in_parts(seen, energies, mask)
    assert sizes[3:] == [7]
