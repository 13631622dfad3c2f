"""Which words are switched off together: drawn coalitions against the kernels that they stand for."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attex.importance.coalitions import by_size, coins, shapley


@given(st.integers(1, 14), st.integers(2, 600), st.integers(0, 9))
def test_coalitions_stand_for_the_shapley_kernel(n: int, draws: int, seed: int) -> None:
    ids, words = torch.tensor([3, 8]), torch.ones(2, n, dtype=torch.bool)
    on, weights = shapley(ids, words, draws, seed)
    kernel = np.array([1 / (k * (n - k)) for k in range(1, n)])
    for coalitions, weight in zip(on, weights, strict=True):
        there = weight > 0
        sizes = coalitions[there].sum(dim=1)
        if n == 1:
            assert not there.any()
            continue
        assert ((sizes > 0) & (sizes < n)).all()
        assert weight.sum().item() == pytest.approx(1) or draws - there.sum() < 2
        by_kernel = np.array([weight[there][sizes == k].sum() for k in range(1, n)])
        np.testing.assert_allclose(by_kernel, by_kernel[::-1], atol=1e-12)
        rows = {tuple(row.tolist()) for row in coalitions[there]}
        assert all(tuple(not switch for switch in row) in rows for row in rows)
        if draws >= 2**n - 2:
            assert len(rows) == there.sum() == 2**n - 2
            np.testing.assert_allclose(by_kernel, kernel / kernel.sum())


def test_sizes_of_drawn_coalitions_follow_their_rules() -> None:
    n, draws = 20, 40_000
    ids, words = torch.tensor([5]), torch.ones(1, n, dtype=torch.bool)
    on, weights = shapley(ids, words, draws, 0)
    kernel = np.array([1 / (k * (n - k)) for k in range(1, n)])
    sizes = on[0].sum(dim=1)
    found = [weights[0][sizes == k].sum().item() for k in range(1, n)]
    np.testing.assert_allclose(found, kernel / kernel.sum(), atol=0.004)
    off = n - by_size(ids, words, draws, 0)[0].sum(dim=1)
    assert off[0] == 0
    np.testing.assert_allclose(np.bincount(off[1:], minlength=n + 1)[1:] / draws, 1 / n, atol=0.004)
    each = coins(ids, words, draws, 0)[0].double().mean(dim=0)
    np.testing.assert_allclose(each, 0.5, atol=0.01)


def test_half_of_the_draws_are_the_first_half() -> None:
    ids, words = torch.tensor([5, 6]), torch.ones(2, 9, dtype=torch.bool)
    for draw in (by_size, coins):
        all_of_them, half = (draw(ids, words, draws, 1) for draws in (60, 30))
        assert torch.equal(all_of_them[:, :30], half)
        assert not torch.equal(all_of_them, draw(ids, words, 60, 2))
