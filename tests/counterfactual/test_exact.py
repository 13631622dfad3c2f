"""The exact adversary against the vertices of the polytope, found by solving for each."""

from itertools import combinations

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, rel_entr

from attex.counterfactual import adversarial_exact


def jsd(p: np.ndarray, q: np.ndarray) -> float:
    middle = (p + q) / 2
    return float((rel_entr(p, middle).sum() + rel_entr(q, middle).sum()) / 2)


def all_vertices(s: np.ndarray, low: float, high: float) -> list[np.ndarray]:
    """Solve for every choice of n − 1 tight constraints besides Σ x = 1, and keep what is feasible."""
    n = len(s)
    faces = [(np.eye(n)[t], 0.0) for t in range(n)]
    faces += [(s, edge) for edge in (low, high) if np.isfinite(edge)]
    found = []
    for chosen in combinations(faces, n - 1):
        matrix = np.array([np.ones(n), *(row for row, _ in chosen)])
        if np.linalg.matrix_rank(matrix) < n:
            continue
        x = np.linalg.solve(matrix, np.array([1.0, *(value for _, value in chosen)]))
        if (x > -1e-9).all() and low - 1e-7 <= s @ x <= high + 1e-7:
            found.append(np.clip(x, 0, None))
    return found


def edges(output: float, bias: float, epsilon: float) -> tuple[float, float]:
    """Return the bounds of s·α′, with as many digits as a saturated output needs."""
    with mpmath.workdps(60):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(output)))
        logit = [
            mpmath.log(x / (1 - x)) - bias if 0 < x < 1 else None for x in (p - epsilon, p + epsilon)
        ]
    low, high = logit
    return (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))


def brute_force(s: np.ndarray, attention: np.ndarray, bias: float, epsilon: float) -> float:
    low, high = edges(s @ attention + bias, bias, epsilon)
    return max((jsd(x, attention) for x in all_vertices(s, low, high)), default=0.0)


def all_pairs(s: np.ndarray, attention: np.ndarray, bias: float, epsilon: float) -> float:
    """Look at every token and every pair of tokens, as many as n²."""
    low, high = edges(s @ attention + bias, bias, epsilon)
    n, best = len(s), 0.0
    for t in range(n):
        if low - 1e-9 <= s[t] <= high + 1e-9:
            best = max(best, jsd(np.eye(n)[t], attention))
    for i, j in combinations(range(n), 2):
        for edge in (low, high):
            if np.isfinite(edge) and s[i] != s[j] and 0 <= (w := (edge - s[j]) / (s[i] - s[j])) <= 1:
                best = max(best, jsd(w * np.eye(n)[i] + (1 - w) * np.eye(n)[j], attention))
    return best


def draw(rng: np.random.Generator, n: int, kind: str) -> tuple[np.ndarray, np.ndarray, float]:
    s = rng.normal(size=n) * {"saturated": 30.0}.get(kind, 2.0)
    if kind == "equal":
        s = np.full(n, float(rng.normal()))
    if kind == "tied":
        s = rng.integers(-1, 2, n).astype(float)
    attention = rng.dirichlet(np.full(n, 0.4))
    if kind == "sparse":
        attention = np.where(rng.random(n) < 0.5, 0.0, attention)
        attention = attention / attention.sum() if attention.sum() else np.eye(n)[0]
    return s, attention, float(rng.normal() * 0.5)


def solve(s: np.ndarray, attention: np.ndarray, bias: float, epsilon: float) -> tuple[float, np.ndarray]:
    row, weights = torch.tensor(s)[None], torch.tensor(attention)[None]
    found, other = adversarial_exact(row, weights, torch.ones_like(row, dtype=torch.bool), bias, epsilon)
    return float(found), other[0].numpy()


@pytest.mark.parametrize("kind", ["dense", "sparse", "equal", "tied", "saturated"])
@pytest.mark.parametrize("epsilon", [0.0, 1e-4, 0.01, 0.2, 0.9])
def test_the_maximum_is_at_the_best_vertex(kind: str, epsilon: float) -> None:
    rng = np.random.default_rng(0)
    for trial in range(25):
        s, attention, bias = draw(rng, 1 + trial % 5, kind)
        found, other = solve(s, attention, bias, epsilon)
        assert found == pytest.approx(brute_force(s, attention, bias, epsilon), abs=1e-9)
        assert other.sum() == pytest.approx(1.0)
        assert (other >= 0).all()
        assert abs(expit(s @ other + bias) - expit(s @ attention + bias)) <= epsilon + 1e-9
        assert jsd(other, attention) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("kind", ["dense", "sparse", "tied", "saturated"])
@pytest.mark.parametrize("n", [8, 30, 90])
def test_looking_at_few_pairs_finds_what_all_pairs_have(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    # All pairs of a long text take long.
    for _ in range(4 if n > 50 else 12):
        s, attention, bias = draw(rng, n, kind)
        for epsilon in (0.0, 0.01, 0.1):
            expected = all_pairs(s, attention, bias, epsilon)
            assert solve(s, attention, bias, epsilon)[0] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), min_size=1, max_size=7),
    st.sampled_from([0.0, 0.01, 0.3]),
)
def test_ties_of_logits_and_attention(tokens: list[tuple[int, int]], epsilon: float) -> None:
    s, weights = np.array(tokens, dtype=float).T
    attention = weights / weights.sum() if weights.sum() else np.full(len(s), 1 / len(s))
    assert solve(s, attention, 0.0, epsilon)[0] == pytest.approx(
        all_pairs(s, attention, 0.0, epsilon), abs=1e-9
    )


def test_no_feasible_attention_does_better() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        s, attention, bias = draw(rng, 12, "dense")
        best = solve(s, attention, bias, 0.05)[0]
        samples = rng.dirichlet(np.full(12, 0.1), size=3000)
        feasible = np.abs(expit(samples @ s + bias) - expit(s @ attention + bias)) <= 0.05
        assert all(jsd(x, attention) <= best + 1e-9 for x in samples[feasible])


def test_padding_company_and_holes_change_nothing() -> None:
    rng = np.random.default_rng(2)
    texts = [draw(rng, n, kind) for n in (1, 4, 9) for kind in ("dense", "sparse")]
    width = 14
    s, attention = np.full((len(texts), width), np.nan), np.full((len(texts), width), 7.0)
    mask = np.zeros((len(texts), width), dtype=bool)
    for row, (logits, weights, _) in enumerate(texts):
        where = np.sort(rng.permutation(width)[: len(logits)])
        s[row, where], attention[row, where], mask[row, where] = logits, weights, True
    bias = torch.tensor([bias for *_, bias in texts], dtype=torch.float64)
    found, other = adversarial_exact(
        torch.tensor(s),
        torch.tensor(attention),
        torch.tensor(mask),
        bias,
        torch.full((len(texts),), 0.02, dtype=torch.float64),
    )
    assert (other[~torch.tensor(mask)] == 0).all()
    for row, (logits, weights, b) in enumerate(texts):
        alone, weights_alone = solve(logits, weights, b, 0.02)
        assert float(found[row]) == pytest.approx(alone, abs=1e-12)
        assert other[row][torch.tensor(mask[row])].numpy() == pytest.approx(weights_alone, abs=1e-12)


def test_one_token_has_no_other_attention_and_no_token_none_at_all() -> None:
    one = torch.ones(2, 1)
    mask = torch.tensor([[True], [False]])
    found, other = adversarial_exact(one, one, mask, 0.0, 0.1)
    assert float(found[0]) == 0.0
    assert found[1].isnan()
    assert other.tolist() == [[1.0], [0.0]]


def test_sparse_attention_can_be_left_altogether() -> None:
    # Two tokens without weight on both sides of the output: all of it moves there.
    s, attention = np.array([0.0, 1.0, -1.0]), np.array([1.0, 0.0, 0.0])
    assert solve(s, attention, 0.0, 0.0)[0] == pytest.approx(np.log(2))
