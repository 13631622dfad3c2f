"""Weighted τ against SciPy, AP correlation against its definition written out."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from scipy.stats import weightedtau
from score_rows import batch, check, columns, one, texts

from attex.agreement import tau_ap, weighted_tau


def vigna(a: np.ndarray, b: np.ndarray) -> float:
    return weightedtau(a, b).statistic if len(a) else np.nan


def average_precision(reference: np.ndarray, ranking: np.ndarray) -> float:
    if len({*reference}) < 2 or len({*ranking}) < 2:
        return np.nan
    shares = []
    for i in range(len(ranking)):
        above = [j for j in range(len(ranking)) if ranking[j] > ranking[i]]
        if above:
            shares.append(np.mean([np.sign(reference[j] - reference[i]) for j in above]))
    return float(np.mean(shares))


def yilmaz(reference: np.ndarray, ranking: np.ndarray) -> float:
    """The published formula, which knows no ties."""
    order = np.argsort(-ranking)
    n = len(order)
    terms = [sum(reference[order[:r]] > reference[order[r]]) / r for r in range(1, n)]
    return 2 / (n - 1) * sum(terms) - 1


def test_weighted_tau_equals_scipy() -> None:
    rows = batch()
    found = weighted_tau(*rows)
    check(found, rows, vigna)
    assert found.p_value is None


def test_weighted_tau_equals_scipy_on_long_texts() -> None:
    rows = batch(width=150, each=3)
    check(weighted_tau(*rows), rows, vigna)


def test_tau_ap_equals_its_definition() -> None:
    rows = batch()
    check(tau_ap(*rows), rows, average_precision)
    check(
        tau_ap(*rows, symmetric=True),
        rows,
        lambda a, b: (average_precision(a, b) + average_precision(b, a)) / 2,
    )


@settings(max_examples=300, deadline=None)
@given(texts)
def test_equal_to_their_oracles_on_any_text(text: list[tuple[float, float, bool]]) -> None:
    rows = one(*columns(text))
    check(weighted_tau(*rows), rows, vigna)
    check(tau_ap(*rows), rows, average_precision)
    itself = tau_ap(rows[0], rows[0], rows[2]).value
    assert itself.isnan() or itself.item() == pytest.approx(1.0)


@pytest.mark.parametrize("n", [2, 3, 12, 60])
def test_tau_ap_is_the_published_formula_without_ties(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = torch.tensor(rng.normal(size=(2, 8, n)))
    rows = a, b, torch.ones(8, n, dtype=torch.bool)
    check(tau_ap(*rows), rows, yilmaz)


def test_tau_ap_punishes_the_top_of_the_ranking() -> None:
    reference = torch.tensor([[4.0, 3.0, 2.0, 1.0]])
    mask = torch.ones(1, 4, dtype=torch.bool)
    top_swapped, bottom_swapped = torch.tensor([[3.0, 4, 2, 1]]), torch.tensor([[4.0, 3, 1, 2]])
    assert tau_ap(reference, top_swapped, mask).value < tau_ap(reference, bottom_swapped, mask).value
