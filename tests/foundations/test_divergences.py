"""Output distributions and their distance, against decimal arithmetic of 60 digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from attex.foundations.divergences import (
    distribution,
    jensen_shannon,
    normalised_entropy,
    total_variation,
)

LOGIT = st.floats(-40, 40, width=32)
MANY = st.lists(LOGIT, min_size=2, max_size=5)
PAIR = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(LOGIT, min_size=n, max_size=n)] * 2),
)
BINARY = [
    (0.0, 0.0),
    (0.3, -1.2),
    (40.0, 41.0),
    (-40.0, 40.0),
    (-40.0, -39.0),
    (40.0, 40.000001),
    (17.0, 17.000001),
    (-300.0, -299.0),
]


def exactly(logits: list[float]) -> list[Decimal]:
    """The distribution of the logits; one logit is a sigmoid."""
    if len(logits) == 1:
        logits = [0.0, *logits]
    powers = [Decimal(logit).exp() for logit in logits]
    return [power / sum(powers) for power in powers]


def exact_distance(a: list[float], b: list[float]) -> float:
    with localcontext(prec=200):
        return float(sum(abs(p - q) for p, q in zip(exactly(a), exactly(b), strict=True)) / 2)


def distance(a: list[float], b: list[float]) -> float:
    return total_variation(torch.tensor(a).double(), torch.tensor(b).double()).item()


@pytest.mark.parametrize(("a", "b"), BINARY)
def test_distance_of_two_sigmoids_has_full_relative_precision(a: float, b: float) -> None:
    a, b = (torch.tensor(logit).item() for logit in (a, b))
    assert distance([a], [b]) == pytest.approx(exact_distance([a], [b]), rel=1e-13, abs=0)


@pytest.mark.parametrize("logits", [[-40.0], [40.0], [0.5], [1.0, -2.0, 3.0], [40.0, -40.0, 0.0]])
def test_the_distribution_keeps_the_small_side_of_a_saturated_output(logits: list[float]) -> None:
    with localcontext(prec=200):
        expected = [float(p) for p in exactly(logits)]
    found = distribution(torch.tensor(logits))
    assert found.dtype == torch.float64
    assert found.tolist() == pytest.approx(expected, rel=1e-14, abs=0)


@given(MANY)
def test_a_distribution_is_non_negative_and_sums_to_one(logits: list[float]) -> None:
    found = distribution(torch.tensor(logits))
    assert found.shape == (len(logits),)
    assert (found >= 0).all()
    assert found.sum().item() == pytest.approx(1, abs=1e-14)


@given(PAIR)
def test_distance_of_several_classes_is_exact_to_rounding(pair: tuple[list[float], ...]) -> None:
    assert distance(*pair) == pytest.approx(exact_distance(*pair), rel=1e-9, abs=1e-15)


@given(LOGIT, LOGIT)
def test_distance_of_sigmoids_is_that_of_the_two_class_softmax(a: float, b: float) -> None:
    assert distance([a], [b]) == pytest.approx(distance([0, a], [0, b]), abs=1e-14)


@given(LOGIT, LOGIT)
def test_distance_of_sigmoids_is_symmetric_bounded_and_zero_for_equals_only(a: float, b: float) -> None:
    found = distance([a], [b])
    assert found == distance([b], [a])
    assert 0 <= found <= 1
    assert (found == 0) == (a == b)


@given(PAIR)
def test_distance_of_several_classes_is_symmetric_and_bounded(pair: tuple[list[float], ...]) -> None:
    a, b = pair
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1 + 1e-14
    assert distance(a, a) == 0


@pytest.mark.parametrize("outputs", [1, 3])
def test_leading_dimensions_are_kept(outputs: int) -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(4, 5, outputs, generator=generator) for _ in "ab")
    found = total_variation(a, b)
    assert found.shape == (4, 5)
    for row, column in ((0, 0), (3, 4)):
        one = exact_distance(a[row, column].tolist(), b[row, column].tolist())
        assert found[row, column].item() == pytest.approx(one, rel=1e-12)


def test_float32_logits_that_float32_sigmoids_would_tie_are_kept_apart() -> None:
    a, b = torch.tensor([20.0]), torch.tensor([20.5])
    assert torch.sigmoid(a) == torch.sigmoid(b)
    assert total_variation(a, b).item() > 0


def test_jensen_shannon_is_scipys_squared_distance() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, q = rng.dirichlet(np.full(6, 0.3), size=2)
        p[rng.integers(6)] = 0.0
        p /= p.sum()
        found = float(jensen_shannon(torch.tensor(p), torch.tensor(q)))
        assert found == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-12)
    one, other = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 1.0])
    assert float(jensen_shannon(one, other)) == pytest.approx(np.log(2))
    assert float(jensen_shannon(one, one)) == 0.0


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12), st.integers(0, 3))
def test_normalised_entropy_is_scipys_over_the_logarithm(weights: list[float], padding: int) -> None:
    padded = torch.tensor([weights + [7.0] * padding], dtype=torch.float64)
    mask = torch.arange(padded.shape[1])[None] < len(weights)
    found = normalised_entropy(padded, mask).item()
    if len(weights) < 2 or sum(weights) == 0:
        assert np.isnan(found)
    else:
        expected = entropy(weights) / np.log(len(weights))
        assert found == pytest.approx(expected, abs=1e-9)
        assert -1e-12 <= found <= 1 + 1e-12


def test_normalised_entropy_at_its_ends() -> None:
    mask = torch.ones(5, dtype=torch.bool)
    assert normalised_entropy(torch.full((5,), 0.2), mask).item() == pytest.approx(1)
    for n in range(2, 500):
        assert normalised_entropy(torch.full((n,), 0.3), torch.ones(n, dtype=torch.bool)).item() <= 1
    assert normalised_entropy(torch.tensor([0.0, 0, 3, 0, 0]), mask).item() == 0
    assert normalised_entropy(torch.zeros(5), mask).isnan()
