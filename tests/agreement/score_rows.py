"""Pairs of score vectors of every kind that statistics must take, and their check by an oracle."""

import warnings
from collections.abc import Callable

import numpy as np
import torch
from hypothesis import strategies as st

from attex.agreement import Agreement

KINDS = ("random", "tied", "sparse", "sparse_both", "constant", "same", "reversed")

values = st.one_of(
    st.integers(0, 4).map(float), st.integers(-500, 500).map(lambda x: x / 100), st.just(0.0)
)
texts = st.lists(st.tuples(values, values, st.booleans()), min_size=1, max_size=14)
"""Texts of two scores and a flag (does the token count?) for every token."""


def columns(text: list[tuple[float, float, bool]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, b, mask = (np.array(column) for column in zip(*text, strict=True))
    return a, b, mask


def pair(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    a, b = rng.random(n), rng.random(n)
    few = rng.integers(0, 4, size=(2, n)).astype(float)
    zeros = rng.random((2, n)) < 0.6
    return {
        "random": (a, b),
        "tied": (few[0], few[1]),
        "sparse": (np.where(zeros[0], 0.0, a), b),
        "sparse_both": (np.where(zeros[0], 0.0, a), np.where(zeros[1], 0.0, b)),
        "constant": (np.full(n, 0.1), b),
        "same": (a, a.copy()),
        "reversed": (few[0], -few[0]),
    }[kind]


def batch(width: int = 24, each: int = 12) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Every kind at several lengths from 1 on, as prefixes and with holes; NaN off the mask."""
    rng = np.random.default_rng(width)
    rows = []
    for kind in KINDS:
        for i in range(each):
            n = 1 if i == 0 else int(rng.integers(1, width + 1))
            counted = np.zeros(width, dtype=bool)
            counted[np.arange(n) if i % 2 else rng.permutation(width)[:n]] = True
            a, b = np.full(width, np.nan), np.full(width, np.nan)
            a[counted], b[counted] = pair(kind, n, rng)
            rows.append((a, b, counted))
    a, b, mask = (torch.tensor(np.stack(column)) for column in zip(*rows, strict=True))
    return a, b, mask


def check(
    found: Agreement,
    rows: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    oracle: Callable[[np.ndarray, np.ndarray], float],
) -> None:
    """Compare every text's value with what the oracle makes of its counted tokens."""
    assert found.value.dtype == torch.float64
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [oracle(a[m].numpy(), b[m].numpy()) for a, b, m in zip(*rows, strict=True)]
    np.testing.assert_allclose(found.value.numpy(), expected, atol=1e-12, rtol=0)


def one(
    a: np.ndarray, b: np.ndarray, mask: np.ndarray
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.tensor(a)[None], torch.tensor(b)[None], torch.tensor(mask)[None]
