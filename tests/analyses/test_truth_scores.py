"""Scores against known tokens, checked with scikit-learn and by brute force."""

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from attex.analyses.truth_scores import (
    average_precision,
    chance_average_precision,
    chance_precision,
    precision_at_truth,
)

tokens = st.lists(
    st.tuples(st.one_of(st.just(0.0), st.integers(0, 3).map(float), st.floats(0, 1)), st.booleans()),
    min_size=1,
    max_size=15,
)


def padded(scores: list[float], truth: list[bool]) -> list[torch.Tensor]:
    """Put two positions that do not count behind each vector, with the strongest values."""
    return [
        torch.tensor([[*scores, 9.0, 9.0]], dtype=torch.float64),
        torch.tensor([[*truth, True, True]]),
    ]


@settings(max_examples=300, deadline=None)
@given(tokens)
def test_average_precision_is_scikit_learns(text: list[tuple[float, bool]]) -> None:
    scores, truth = (list(column) for column in zip(*text, strict=True))
    s, t = padded(scores, truth)
    mask = torch.arange(len(text) + 2)[None] < len(text)
    found = average_precision(s, t & mask, mask).item()
    if any(truth):
        assert found == pytest.approx(average_precision_score(truth, scores))
    else:
        assert np.isnan(found)


@settings(max_examples=100, deadline=None)
@given(tokens.filter(lambda text: len(text) <= 6 and any(decides for _, decides in text)))
def test_precision_is_the_mean_over_all_ways_to_break_ties(text: list[tuple[float, bool]]) -> None:
    scores, truth = (np.array(column) for column in zip(*text, strict=True))
    k = truth.sum()
    hits = [
        truth[sorted(range(len(text)), key=lambda i: (-scores[i], order[i]))[:k]].mean()
        for order in permutations(range(len(text)))
    ]
    s, t = padded(scores.tolist(), truth.tolist())
    mask = torch.arange(len(text) + 2)[None] < len(text)
    assert precision_at_truth(s, t & mask, mask).item() == pytest.approx(np.mean(hits))


@pytest.mark.parametrize(("true", "n"), [(1, 1), (1, 4), (2, 5), (5, 5), (3, 6)])
def test_chance_is_the_mean_over_all_rankings(true: int, n: int) -> None:
    truth = torch.arange(n)[None] < true
    mask = torch.ones(1, n, dtype=torch.bool)
    rankings = [torch.tensor([order], dtype=torch.float64) for order in permutations(range(n))]
    precision = np.mean([precision_at_truth(r, truth, mask).item() for r in rankings])
    area = np.mean([average_precision(r, truth, mask).item() for r in rankings])
    assert chance_precision(np.array([true]), np.array([n]))[0] == pytest.approx(precision)
    assert chance_average_precision(np.array([true]), np.array([n]))[0] == pytest.approx(area)


def test_a_nan_score_makes_the_text_undefined() -> None:
    scores = torch.tensor([[0.1, float("nan"), 0.3]])
    truth = torch.tensor([[True, False, False]])
    mask = torch.ones(1, 3, dtype=torch.bool)
    assert average_precision(scores, truth, mask).isnan().all()
    assert precision_at_truth(scores, truth, mask).isnan().all()
