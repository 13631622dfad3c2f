"""Pearson's and Spearman's correlation and their p-values against SciPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from scipy.stats import pearsonr, spearmanr
from score_rows import batch, check, columns, one, texts

from attex.agreement import Agreement, pearson, spearman

PAIRS = [(pearson, pearsonr), (spearman, spearmanr)]


def oracle(scipy: Callable[..., Any], field: str) -> Callable[[np.ndarray, np.ndarray], float]:
    return lambda a, b: getattr(scipy(a, b), field) if len(a) > 1 else np.nan


def check_both(found: Agreement, rows: Any, scipy: Callable[..., Any]) -> None:
    check(found, rows, oracle(scipy, "statistic"))
    assert found.p_value is not None
    # Near |r| = 1 a p-value is the square root of a rounding error, theirs and ours.
    steady = found.value.isnan() | (1 - found.value.abs() > 1e-12)
    check(Agreement(found.p_value[steady]), tuple(x[steady] for x in rows), oracle(scipy, "pvalue"))
    extreme = found.p_value[~steady & (rows[2].sum(dim=1) > 2)]
    assert (extreme < 1e-5).all()


@pytest.mark.parametrize(("statistic", "scipy"), PAIRS)
@pytest.mark.parametrize("width", [3, 24, 150])
def test_equal_to_scipy(statistic: Any, scipy: Any, width: int) -> None:
    rows = batch(width)
    check_both(statistic(*rows), rows, scipy)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_equal_to_scipy_on_any_text(text: list[tuple[float, float, bool]]) -> None:
    rows = one(*columns(text))
    for statistic, scipy in PAIRS:
        check_both(statistic(*rows), rows, scipy)


def test_the_p_value_of_two_tokens_is_scipys() -> None:
    a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[2.0, 1.0]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    certain, unknown = pearson(a, b, mask).p_value, spearman(a, b, mask).p_value
    assert certain is not None
    assert unknown is not None
    assert certain.item() == 1.0
    assert unknown.isnan().item()


def test_tiny_and_huge_scores_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    a, b = torch.tensor(rng.normal(size=(2, 5, 30)))
    mask = torch.ones(5, 30, dtype=torch.bool)
    usual = pearson(a, b, mask).value
    torch.testing.assert_close(pearson(a * 1e-200, b * 1e200, mask).value, usual, rtol=0, atol=1e-12)
