"""The released top-k statistics against their definitions, and against court-of-xai's own cases."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from score_rows import batch, check, columns, one, texts

from attex.agreement import top_k_buckets, top_k_published


def published(a: np.ndarray, b: np.ndarray, k: int, p: float = 0.5) -> float:
    k = min(k, len(a))
    if k == 0:
        return np.nan
    first, second = ({*np.argsort(-x, kind="stable")[:k].tolist()} for x in (a, b))
    common = sorted(first & second)
    z = len(common)
    tau = kendalltau(a[common], b[common]).statistic if z > 1 else np.nan
    d = 0.0 if np.isnan(tau) else z**2 * (1 - tau) / 2
    d += sum(a[i] < a[j] for i in common for j in first - second)
    d += sum(b[i] < b[j] for i in common for j in second - first)
    d += 2 * p * (k - z) * (k - z - 1) / 2
    return 1 - 2 * d / (2 * k - z) ** 2


def buckets(a: np.ndarray, b: np.ndarray, k: int, p: float = 0.5) -> float:
    if len(a) == 0:
        return np.nan
    first, second = ([i for i in range(len(x)) if x[i] in sorted({*x})[-k:]] for x in (a, b))
    pairs = {frozenset(pair) for pair in product(first, second) if pair[0] != pair[1]}
    penalty = 0.0
    for i, j in (sorted(pair) for pair in pairs):
        signs = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        penalty += 1 if signs[0] * signs[1] < 0 else p if (signs[0] == 0) != (signs[1] == 0) else 0
    return 1 - 2 * penalty / len(pairs) if pairs else 1.0


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 24, 100])
@pytest.mark.parametrize("p", [0.5, 0.0, 1.0])
def test_equal_to_their_definitions(k: int, p: float) -> None:
    rows = batch()
    check(top_k_published(*rows, k=k, p=p), rows, lambda a, b: published(a, b, k, p))
    check(top_k_buckets(*rows, k=k, p=p), rows, lambda a, b: buckets(a, b, k, p))


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(1, 16), st.sampled_from([0.0, 0.5, 1.0]))
def test_equal_to_their_definitions_on_any_text(
    text: list[tuple[float, float, bool]], k: int, p: float
) -> None:
    rows = one(*columns(text))
    check(top_k_published(*rows, k=k, p=p), rows, lambda a, b: published(a, b, k, p))
    check(top_k_buckets(*rows, k=k, p=p), rows, lambda a, b: buckets(a, b, k, p))


@pytest.mark.parametrize(("k", "expected"), [(1, 1.0), (2, 0.875), (5, 0.80)])
def test_what_the_published_code_gives_disjoint_lists(k: int, expected: float) -> None:
    a = torch.arange(12.0)[None]
    found = top_k_published(a, -a, torch.ones(1, 12, dtype=torch.bool), k=k)
    assert found.value.item() == pytest.approx(expected, abs=1e-12)
    assert found.depth is not None
    assert found.depth.tolist() == [k]


@pytest.mark.parametrize(("k", "expected"), [(1, 1.00), (2, 0.85), (3, 0.79), (5, 0.72), (10, 0.57)])
def test_what_the_published_code_gives_unrelated_scores(k: int, expected: float) -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = torch.rand(2, 20_000, 20, generator=generator, dtype=torch.float64)
    value = top_k_published(a, b, torch.ones_like(a, dtype=torch.bool), k=k).value
    assert value.mean().item() == pytest.approx(expected, abs=0.01)


def test_ties_at_the_edge_go_to_the_first_token() -> None:
    a = torch.tensor([[0.5, 0.5, 0.5, 1.0]])
    b = torch.tensor([[0.1, 0.2, 0.9, 1.0]])
    # A = {3, 0, 1}, B = {3, 2, 1}: of Z = {3, 1} only b's 1 is below what a does not list.
    found = top_k_published(a, b, torch.ones(1, 4, dtype=torch.bool), k=3)
    assert found.value.item() == 1 - 2 * 1 / 4**2


@pytest.mark.parametrize(
    ("k", "p", "expected"), [(7, 0.5, 1 - 2 * 13 / 21), (2, 0.5, 1 - 2 * 10 / 13), (1, 0.5, -1.0)]
)
def test_court_of_xai_worked_example(k: int, p: float, expected: float) -> None:
    """8 pairs opposite and 10 tied once of 21; with two buckets 8 and 4 of 13."""
    a = torch.tensor([[1, 2, 3, 1, 1, 2, 2]])
    b = torch.tensor([[3, 2, 1, 2, 1, 2, 1]])
    found = top_k_buckets(a, b, torch.ones(1, 7, dtype=torch.bool), k=k, p=p)
    assert found.value.item() == pytest.approx(expected, abs=1e-12)


def test_no_token_and_no_k_are_undefined() -> None:
    a = torch.rand(2, 5)
    mask = torch.tensor([[False] * 5, [True] * 5])
    for statistic in (top_k_published, top_k_buckets):
        found = statistic(a, a, mask, k=torch.tensor([3, 0]))
        assert found.depth is not None
        assert found.value.isnan().all()
        assert found.depth.isnan().all()
