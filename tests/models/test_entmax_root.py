"""Thresholds of α-entmax by Newton's method, against bisection and sorting."""

from functools import partial

import pytest
import torch
from entmax import entmax15, entmax_bisect, sparsemax

from attex.models import entmax_root as module
from attex.models.entmax_root import entmax_of_power, entmax_root

SORTED = {1: sparsemax, 2: entmax15}


@pytest.mark.parametrize("alpha", [1.01, 1.1, 1.37, 1.5, 1.9, 2.0, 2.5, 4.0])
@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_a_root_by_newton_is_the_one_that_bisection_finds(alpha: float, spread: float) -> None:
    drawn = torch.Generator().manual_seed(0)
    z = (spread * torch.randn(20, 60, generator=drawn, dtype=torch.float64)).requires_grad_()
    directions = torch.randn(20, 60, generator=drawn, dtype=torch.float64)
    found = []
    for project in (entmax_root, partial(entmax_bisect, n_iter=60)):
        power = torch.tensor(alpha, dtype=torch.float64, requires_grad=True)
        weights = project(z, power)
        slopes = torch.autograd.grad((weights * directions).sum(), (z, power))
        found.append((weights, *slopes))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)


def test_rows_do_not_change_each_other() -> None:
    z = torch.randn(50, 30, generator=torch.Generator().manual_seed(1))
    alpha = torch.tensor(1.3)
    alone = torch.cat([entmax_root(row[None], alpha) for row in z])
    torch.testing.assert_close(entmax_root(z, alpha), alone, rtol=0, atol=1e-7)


@pytest.mark.parametrize("power", SORTED)
@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("length", [1, 2, 7, 400])
def test_steps_end_where_sorting_does(power: int, spread: float, length: int) -> None:
    drawn = torch.Generator().manual_seed(length)
    shape = (4, 5, length)
    z = (spread * torch.randn(shape, generator=drawn, dtype=torch.float64)).requires_grad_()
    directions = torch.randn(shape, generator=drawn, dtype=torch.float64)
    found = []
    for weights in (entmax_of_power(z, power), SORTED[power](z, dim=-1)):
        found.append((weights, *torch.autograd.grad((weights * directions).sum(), z)))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("power", SORTED)
def test_energies_that_leave_one_at_a_time_are_all_waited_for(power: int) -> None:
    # Each step drops a few of these only: the most steps that a row can need.
    z = -torch.logspace(0, -9, 60, base=2, dtype=torch.float64)[None]
    expected = SORTED[power](z, dim=-1)
    torch.testing.assert_close(entmax_of_power(z, power), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("power", SORTED)
def test_single_precision_is_as_near_as_sorting_is(power: int) -> None:
    z = 3 * torch.randn(200, 300, generator=torch.Generator().manual_seed(2))
    exact = SORTED[power](z.double(), dim=-1)
    ours, theirs = entmax_of_power(z, power), SORTED[power](z, dim=-1)
    assert (ours - exact).abs().max() <= max((theirs - exact).abs().max(), 1e-6)
    torch.testing.assert_close(ours.sum(-1), torch.ones(200), rtol=0, atol=1e-6)


@pytest.mark.parametrize("power", SORTED)
def test_a_row_is_the_same_to_the_bit_whatever_is_beside_it(
    power: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    z = 2 * torch.randn(50, 30, generator=torch.Generator().manual_seed(1))
    together = entmax_of_power(z, power)
    assert torch.equal(together, torch.cat([entmax_of_power(row[None], power) for row in z]))
    # Three rows at a time, the last part with fewer.
    monkeypatch.setattr(module, "_NEAR_A_CORE", 3 * z[0].numel() * z.element_size())
    assert torch.equal(entmax_of_power(z, power), together)


@pytest.mark.parametrize("power", SORTED)
def test_energies_that_are_no_numbers_give_none_and_end(power: int) -> None:
    z = torch.tensor([[0.0, float("nan"), 1.0], [0.0, 0.5, 1.0]])
    found = entmax_of_power(z, power)
    assert found[0].isnan().all()
    torch.testing.assert_close(found[1:], SORTED[power](z[1:], dim=-1))


def test_heads_may_have_an_alpha_each(monkeypatch: pytest.MonkeyPatch) -> None:
    z = torch.randn(3, 2, 4, 30, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    alphas = torch.tensor([1.3, 1.8], dtype=torch.float64).view(2, 1, 1).requires_grad_()
    # Five rows at a time: parts end within a head.
    monkeypatch.setattr(module, "_NEAR_A_CORE", 5 * z.shape[-1] * z.element_size())
    together = entmax_root(z, alphas)
    (slopes,) = torch.autograd.grad(together.square().sum(), alphas)
    for head, alpha in enumerate((1.3, 1.8)):
        power = torch.tensor(alpha, dtype=torch.float64, requires_grad=True)
        alone = entmax_bisect(z[:, head], power, n_iter=60)
        torch.testing.assert_close(together[:, head], alone, rtol=1e-9, atol=1e-12)
        (slope,) = torch.autograd.grad(alone.square().sum(), power)
        torch.testing.assert_close(slopes[head].squeeze(), slope, rtol=1e-6, atol=1e-9)
