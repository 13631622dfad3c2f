"""Fagin's top-k correlation and Jaccard overlap against their definitions, written out."""

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from score_rows import batch, check, columns, one, texts

from attex.agreement import jaccard_at_k, kendall_tau, top_k


def drops_after(x: np.ndarray, rank: int) -> bool:
    down = sorted(x, reverse=True)
    if rank == len(x):
        return len(x) == 1 or down[-1] != down[-2]
    return down[rank - 1] != down[rank]


def k_eff(a: np.ndarray, b: np.ndarray, k: int) -> int:
    fits = [r for r in range(1, min(k, len(a)) + 1) if drops_after(a, r) and drops_after(b, r)]
    return max(fits, default=0)


def listed(x: np.ndarray, k: int) -> dict[int, float]:
    return {int(i): x[i] for i in np.argsort(-x)[:k]}


def distance(first: dict[int, float], second: dict[int, float], p: float) -> float:
    total = 0.0
    for i, j in combinations(sorted({*first, *second}), 2):
        signs = [
            np.sign(x.get(i, -np.inf) - x.get(j, -np.inf)) if {i, j} & {*x} else 0
            for x in (first, second)
        ]
        total += 1 if signs[0] * signs[1] < 0 else p if (signs[0] == 0) != (signs[1] == 0) else 0
    return total


def largest(k: int, n: int, p: float) -> float:
    m = min(k, n - k)
    return k * (k - 1) / 2 + k * m + (p - 0.5) * m * (m - 1)


def fagin(a: np.ndarray, b: np.ndarray, k: int, p: float = 0.5) -> float:
    depth = k_eff(a, b, k)
    if depth == 0 or len(a) < 2:
        return np.nan
    return 1 - 2 * distance(listed(a, depth), listed(b, depth), p) / largest(depth, len(a), p)


def overlap(a: np.ndarray, b: np.ndarray, k: int) -> float:
    depth = k_eff(a, b, k)
    first, second = {*listed(a, depth)}, {*listed(b, depth)}
    return len(first & second) / len(first | second) if depth else np.nan


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 24, 100])
@pytest.mark.parametrize("p", [0.5, 0.0, 1.0])
def test_top_k_equals_its_definition(k: int, p: float) -> None:
    rows = batch()
    found = top_k(*rows, k=k, p=p)
    check(found, rows, lambda a, b: fagin(a, b, k, p))
    assert found.p_value is None


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 24, 100])
def test_jaccard_equals_its_definition(k: int) -> None:
    rows = batch()
    check(jaccard_at_k(*rows, k=k), rows, lambda a, b: overlap(a, b, k))


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(1, 16), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_properties(text: list[tuple[float, float, bool]], k: int, p: float) -> None:
    a, b, mask = columns(text)
    rows = one(a, b, mask)
    found = top_k(*rows, k=k, p=p)
    check(found, rows, lambda a, b: fagin(a, b, k, p) if len(a) else np.nan)
    check(jaccard_at_k(*rows, k=k), rows, lambda a, b: overlap(a, b, k) if len(a) else np.nan)
    assert found.value.isnan() or -1 <= found.value <= 1
    swapped = top_k(rows[1], rows[0], rows[2], k=k, p=p)
    assert torch.allclose(swapped.value, found.value, rtol=0, atol=1e-12, equal_nan=True)
    order = np.random.default_rng(0).permutation(len(a))
    moved = top_k(*one(a[order], b[order], mask[order]), k=k, p=p)
    assert torch.allclose(moved.value, found.value, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("p", [0.0, 0.25, 0.5, 1.0])
def test_no_two_lists_are_further_apart_than_minus_one(n: int, p: float) -> None:
    ranks = torch.tensor(list(permutations(range(n))))
    first = torch.arange(n).expand_as(ranks)
    for k in range(1, n + 1):
        value = top_k(first, ranks, torch.ones_like(ranks, dtype=torch.bool), k=k, p=p).value
        assert value.min().item() == pytest.approx(-1.0)
        assert value.max().item() == pytest.approx(1.0)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_disjoint_lists_score_minus_one(k: int) -> None:
    a = torch.arange(12.0)[None]
    found = top_k(a, -a, torch.ones(1, 12, dtype=torch.bool), k=k)
    assert found.value.item() == -1.0
    assert jaccard_at_k(a, -a, torch.ones(1, 12, dtype=torch.bool), k=k).value.item() == 0.0


def test_the_whole_list_without_ties_gives_kendalls_tau() -> None:
    rng = np.random.default_rng(0)
    a, b = torch.tensor(rng.normal(size=(2, 50, 17)))
    mask = torch.ones(50, 17, dtype=torch.bool)
    torch.testing.assert_close(
        top_k(a, b, mask, k=17).value, kendall_tau(a, b, mask).value, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(("k", "expected"), [(2, 2), (4, 4), (5, 4), (20, 4)])
def test_sparse_against_untied_compares_the_support(k: int, expected: int) -> None:
    rng = np.random.default_rng(1)
    b = torch.tensor(rng.normal(size=(1, 20)))
    a = torch.zeros(1, 20)
    a[0, [3, 4, 11, 17]] = torch.tensor([0.4, 0.3, 0.2, 0.1])
    found = top_k(a, b, torch.ones(1, 20, dtype=torch.bool), k=k)
    assert found.depth is not None
    assert found.depth.tolist() == [expected]


def test_depth_is_the_effective_k_and_nan_where_undefined() -> None:
    rows = batch()
    for found in (top_k(*rows, k=5), jaccard_at_k(*rows, k=5)):
        expected = [k_eff(a[m].numpy(), b[m].numpy(), 5) for a, b, m in zip(*rows, strict=True)]
        assert found.depth is not None
        assert torch.equal(found.depth.isnan(), found.value.isnan())
        defined = ~found.value.isnan()
        assert torch.equal(found.depth[defined], torch.tensor(expected, dtype=torch.float64)[defined])


def test_one_k_per_text() -> None:
    rows = batch()
    ks = torch.arange(len(rows[0])) % 7
    together = top_k(*rows, k=ks)
    for k in range(7):
        chosen = ks == k
        alone = top_k(*(x[chosen] for x in rows), k=k).value if k else torch.tensor(float("nan"))
        torch.testing.assert_close(
            together.value[chosen], alone.double().expand(int(chosen.sum())), equal_nan=True
        )


def expectation(n: int, k: int) -> float:
    """The exact mean over unrelated untied scores, by the size z of the lists' overlap (p = ½)."""
    mean = 0.0
    for z in range(max(0, 2 * k - n), k + 1):
        share = comb(k, z) * comb(n - k, k - z) / comb(n, k)
        mean_distance = comb(z, 2) / 2 + z * (k - z) + (k - z) ** 2 + comb(k - z, 2)
        mean += share * (1 - 2 * mean_distance / largest(k, n, 0.5))
    return mean


@pytest.mark.parametrize(
    ("k", "expected"), [(1, -0.90), (2, -0.76), (3, -0.64), (5, -0.40), (10, 0.09), (20, 0.0)]
)
def test_what_unrelated_scores_average(k: int, expected: float) -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = torch.rand(2, 20_000, 20, generator=generator, dtype=torch.float64)
    value = top_k(a, b, torch.ones_like(a, dtype=torch.bool), k=k).value
    assert value.mean().item() == pytest.approx(expectation(20, k), abs=0.01)
    assert expectation(20, k) == pytest.approx(expected, abs=0.005)


def test_a_penalty_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        top_k(*batch(), k=2, p=1.5)
