"""Kendall's τ-b and its p-value against SciPy."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from attex.agreement import kendall_tau

values = st.one_of(st.integers(0, 4).map(float), st.floats(-5, 5), st.just(0.0))
texts = st.lists(st.tuples(values, values, st.booleans()), min_size=1, max_size=45)


def check(a: np.ndarray, b: np.ndarray, mask: np.ndarray) -> None:
    found = kendall_tau(torch.tensor(a)[None], torch.tensor(b)[None], torch.tensor(mask)[None])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = kendalltau(a[mask], b[mask])
    assert found.p_value is not None
    np.testing.assert_allclose(found.value.item(), expected.statistic, atol=1e-12)
    np.testing.assert_allclose(found.p_value.item(), expected.pvalue, atol=1e-12)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_equals_scipy_with_ties_and_holes_in_the_mask(text: list[tuple[float, float, bool]]) -> None:
    a, b, mask = (np.array(column) for column in zip(*text, strict=True))
    check(a, b, mask)


@pytest.mark.parametrize("n", [2, 3, 10, 33, 34, 60, 170])
@pytest.mark.parametrize("kind", ["random", "same", "reversed", "one_swap", "sparse"])
def test_equals_scipy_at_the_edges_of_the_exact_p_value(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    a = np.sort(rng.normal(size=n))
    b = {
        "random": rng.normal(size=n),
        "same": a.copy(),
        "reversed": -a,
        "one_swap": np.concatenate([a[1::-1], a[2:]]),
        "sparse": np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
    }[kind]
    check(a, b, np.ones(n, dtype=bool))


def test_does_not_depend_on_the_batch() -> None:
    rng = np.random.default_rng(5)
    a, b = torch.tensor(rng.normal(size=(40, 30))), torch.tensor(rng.normal(size=(40, 30)))
    mask = torch.arange(30) < torch.tensor(rng.integers(1, 31, size=40))[:, None]
    together = kendall_tau(a, b, mask)
    for row in range(40):
        alone = kendall_tau(a[row : row + 1], b[row : row + 1], mask[row : row + 1])
        assert torch.equal(alone.value.nan_to_num(9), together.value[row : row + 1].nan_to_num(9))


@pytest.mark.parametrize("broken", ["constant", "nan", "one_token", "empty"])
def test_undefined_is_nan(broken: str) -> None:
    a, b = torch.arange(4.0)[None], torch.arange(4.0)[None].clone()
    mask = torch.ones(1, 4, dtype=torch.bool)
    if broken == "constant":
        b[:] = 1.0
    elif broken == "nan":
        b[0, 2] = float("nan")
    else:
        mask[0, int(broken == "one_token") :] = False
    found = kendall_tau(a, b, mask)
    assert found.p_value is not None
    assert found.value.isnan().all()
    assert found.p_value.isnan().all()


def test_nan_off_the_mask_does_not_matter_and_float32_is_taken() -> None:
    a = torch.tensor([[0.1, 0.2, float("nan"), 0.3]])
    mask = torch.tensor([[True, True, False, True]])
    found = kendall_tau(a, a, mask)
    assert found.value.tolist() == [1.0]
    assert found.value.dtype == torch.float64


def test_an_empty_batch_gives_an_empty_answer() -> None:
    nothing = torch.empty(0, 5)
    assert kendall_tau(nothing, nothing, nothing.bool()).value.shape == (0,)
