"""Chance and ceiling against all permutations, closed forms and published figures."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
import torch
from scipy.stats import false_discovery_control
from score_rows import KINDS, batch, pair

from attex.agreement import Agreement, calibrate, kendall_tau
from attex.agreement.significance import benjamini_hochberg
from attex.agreement.statistic import STATISTICS

NAMES = [entry.name for entry in STATISTICS]
LISTS = {"top_k", "top_k_published", "top_k_buckets", "jaccard_at_k"}


def options(name: str, k: int = 3) -> dict[str, int]:
    return {"k": k} if name in LISTS else {}


def row(values: np.ndarray) -> torch.Tensor:
    return torch.tensor(values)[None]


def every_order(name: str, a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    orders = np.array(list(permutations(range(len(b)))))
    first = torch.tensor(a).expand(len(orders), -1)
    whole = torch.ones_like(first, dtype=torch.bool)
    return (
        STATISTICS[name].target(first, torch.tensor(b[orders]), whole, **options(name, k)).value.numpy()
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_null_is_that_of_all_permutations(name: str, kind: str) -> None:
    rng = np.random.default_rng(1)
    for n, k in ((2, 1), (4, 2), (5, 3), (6, 2), (6, 6), (6, 4)):
        a, b = pair(kind, n, rng)
        found = calibrate(name, row(a), row(b), torch.ones(1, n, dtype=torch.bool), **options(name, k))
        if found.observed.isnan():
            assert all(x.isnan().all() for x in (found.null, found.ceiling, found.p_value))
            continue
        every = every_order(name, a, b, k)
        observed = float(found.observed)
        assert set(np.round(found.drawn.numpy().ravel(), 9)) <= set(np.round(every, 9))
        exact = name in {"kendall_tau", "spearman", "pearson", "tau_ap", "top_k", "jaccard_at_k"}
        error = 1e-12 if exact else 5 * every.std() / 999**0.5 + 1e-12
        assert float(found.null) == pytest.approx(every.mean(), abs=error)
        assert float(found.null_std) == pytest.approx(every.std(), rel=0.15, abs=1e-9)
        for p, tail in (
            (found.p_value, every >= observed - 1e-9),
            (found.p_below, every <= observed + 1e-9),
        ):
            share = tail.mean()
            assert float(p) == pytest.approx(share, abs=5 * (share * (1 - share) / 999) ** 0.5 + 0.002)
        assert float(found.p_value) == (1 + (found.drawn >= observed - 1e-12).sum()) / 1000
        assert float(found.two_sided) == min(1.0, 2 * min(float(found.p_value), float(found.p_below)))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_the_published_mean_without_ties_is_exact(k: int) -> None:
    a, b = np.random.default_rng(k).random((2, 7))
    found = calibrate(
        "top_k_published", row(a), row(b), torch.ones(1, 7, dtype=torch.bool), draws=5, k=k
    )
    assert float(found.null) == pytest.approx(every_order("top_k_published", a, b, k).mean(), abs=1e-12)


@pytest.mark.parametrize("top", [0, 5])
def test_ties_that_cross_an_edge_are_broken_by_position(top: int) -> None:
    # Lists fill up with the first zeros: where a's highest token stands decides who meets it.
    a, b = np.zeros(6), np.array([1.0, 0, 0, 0, 0, 0])
    a[top] = 1
    every = every_order("top_k_published", a, b, 3)
    found = calibrate(
        "top_k_published", row(a), row(b), torch.ones(1, 6, dtype=torch.bool), draws=4000, k=3
    )
    assert float(found.null) == pytest.approx(every.mean(), abs=5 * every.std() / 4000**0.5)


@pytest.mark.parametrize("name", NAMES)
def test_the_ceiling_is_the_statistic_of_sorted_vectors(name: str) -> None:
    a, b, mask = batch()
    found = calibrate(name, a, b, mask, draws=9, **options(name))
    for i in range(len(a)):
        if found.observed[i].isnan():
            continue
        x, y = (torch.sort(v[i][mask[i]], descending=True).values[None] for v in (a, b))
        best = STATISTICS[name].target(x, y, torch.ones_like(x, dtype=torch.bool), **options(name)).value
        assert float(found.ceiling[i]) == pytest.approx(float(best), abs=1e-12)
    # τ_AP breaks off at ties of the ranking, and the published one leaves pairs out.
    if name not in {"tau_ap", "top_k_published", "top_k_buckets"}:
        assert not (found.observed > found.ceiling + 1e-9).any()


@pytest.mark.parametrize(
    ("n", "s", "shown"), [(20, 3, 0.53), (180, 10, 0.33), (20, 20, 1.0), (9, 8, 1.0)]
)
def test_the_ceiling_of_tau_for_sparse_attention(n: int, s: int, shown: float) -> None:
    rng = np.random.default_rng(0)
    sparse = np.zeros(n)
    sparse[rng.permutation(n)[:s]] = rng.random(s) + 0.1
    found = calibrate("kendall_tau", row(sparse), row(rng.random(n)), torch.ones(1, n, dtype=torch.bool))
    assert float(found.ceiling) == pytest.approx((1 - comb(n - s, 2) / comb(n, 2)) ** 0.5, abs=1e-12)
    assert float(found.ceiling) == pytest.approx(shown, abs=0.005)


@pytest.mark.parametrize("name", ["top_k", "top_k_published"])
def test_unrelated_texts_are_calibrated_to_nothing(name: str) -> None:
    a, b = torch.rand(2, 6_000, 20, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    whole = torch.ones_like(a, dtype=torch.bool)
    for k in (2, 3, 5, 10):
        found = calibrate(name, a, b, whole, k=k)
        assert found.calibrated == pytest.approx(0.0, abs=0.02)
        assert found.uncalibrated == 0
        # All texts share their draws, so their shares err together.
        assert float((found.p_value <= 0.05).double().mean()) < 0.075


def test_at_one_token_the_published_statistic_says_nothing() -> None:
    a, b = torch.rand(2, 500, 20, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    found = calibrate("top_k_published", a, b, torch.ones_like(a, dtype=torch.bool), k=1)
    assert (found.observed == 1).all()
    assert float((found.null - 1).abs().max()) < 1e-12
    assert (found.ceiling == 1).all()
    assert np.isnan(found.calibrated)
    assert found.uncalibrated == 500
    assert calibrate("top_k", a, b, torch.ones_like(a, dtype=torch.bool), k=1).uncalibrated == 0


def test_same_vectors_are_calibrated_to_one() -> None:
    a = torch.rand(50, 12, generator=torch.Generator().manual_seed(6))
    for name in NAMES:
        found = calibrate(name, a, a, torch.ones_like(a, dtype=torch.bool), draws=99, **options(name))
        assert found.calibrated == pytest.approx(1.0)
        assert (found.p_value <= found.p_below).all()


@pytest.mark.parametrize("null", ["shuffle", "shift"])
@pytest.mark.parametrize("name", ["kendall_tau", "pearson", "top_k", "top_k_published"])
def test_company_padding_and_holes_change_nothing(name: str, null: str) -> None:
    a, b, mask = batch(width=10, each=4)
    ids = torch.arange(len(a)) * 7 + 3
    for given in (None, ids):
        together = calibrate(name, a, b, mask, draws=30, ids=given, null=null, **options(name))
        for i in range(0, len(a), 3):
            x, y = a[i][mask[i]][None], b[i][mask[i]][None]
            one = None if given is None else given[i : i + 1]
            alone = calibrate(
                name,
                x,
                y,
                torch.ones_like(x, dtype=torch.bool),
                draws=30,
                ids=one,
                null=null,
                **options(name),
            )
            for field in ("observed", "null", "ceiling", "p_value", "p_below", "null_std"):
                torch.testing.assert_close(
                    getattr(alone, field)[0],
                    getattr(together, field)[i],
                    equal_nan=True,
                    rtol=0,
                    atol=1e-12,
                )


def test_shifts_are_all_rotations_where_there_are_few() -> None:
    a, b = np.random.default_rng(0).random((2, 8))
    whole = torch.ones(1, 8, dtype=torch.bool)
    rolled = [float(kendall_tau(row(a), row(np.roll(b, -s)), whole).value) for s in range(1, 8)]
    found = calibrate("kendall_tau", row(a), row(b), whole, null="shift")
    assert found.drawn[0].tolist() == pytest.approx(rolled)
    assert float(found.null) == pytest.approx(np.mean(rolled))
    few = calibrate("kendall_tau", row(a), row(b), whole, null="shift", draws=3)
    assert set(np.round(few.drawn[0].tolist(), 9)) <= set(np.round(rolled, 9))
    assert few.drawn.shape == (1, 3)
    assert not few.drawn.isnan().any()


def test_neighbours_that_are_alike_widen_the_null_of_shifts() -> None:
    # Smooth scores: a shuffle breaks them up and makes any match look surprising.
    rng = np.random.default_rng(3)
    smooth = np.apply_along_axis(np.convolve, 2, rng.standard_normal((2, 200, 68)), np.ones(9), "valid")
    a, b = torch.tensor(smooth)
    whole = torch.ones_like(a, dtype=torch.bool)
    shuffled = calibrate("kendall_tau", a, b, whole)
    shifted = calibrate("kendall_tau", a, b, whole, null="shift")
    assert float((shuffled.two_sided <= 0.05).double().mean()) > 0.2
    assert float((shifted.two_sided <= 0.05).double().mean()) < 0.1


def test_a_function_of_ones_own_is_drawn_text_by_text() -> None:
    def first_shared(a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor) -> Agreement:
        low = -float("inf")
        same = a.where(mask, low).argmax(dim=1) == b.where(mask, low).argmax(dim=1)
        return Agreement(same.double())

    a, b = torch.rand(2, 40, 10, generator=torch.Generator().manual_seed(1))
    whole = torch.ones_like(a, dtype=torch.bool)
    found = calibrate(first_shared, a, b, whole)
    assert float(found.null.mean()) == pytest.approx(0.1, abs=0.01)
    assert (found.ceiling == 1).all()
    other = calibrate(first_shared, a, b, whole, seed=1)
    assert not found.drawn.equal(other.drawn)


def test_wrong_arguments_are_named() -> None:
    a = torch.rand(1, 4)
    whole = torch.ones(1, 4, dtype=torch.bool)
    with pytest.raises(ValueError, match="draws = 0"):
        calibrate("kendall_tau", a, a, whole, draws=0)
    with pytest.raises(ValueError, match="null = 'shfit' is not one of shuffle, shift"):
        calibrate("kendall_tau", a, a, whole, null="shfit")


def test_no_texts_at_all() -> None:
    none = torch.zeros(0, 5)
    found = calibrate("top_k", none, none, none.bool(), k=2)
    assert found.observed.shape == (0,)
    assert np.isnan(found.calibrated)


def test_benjamini_hochberg_is_scipys() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 10, 300):
        for power in (1, 3, 8):
            p = rng.random(size) ** power
            assert (benjamini_hochberg(p) == (false_discovery_control(p) <= 0.05)).all()
    p = np.array([np.nan, 0.001, np.nan, 0.9])
    assert benjamini_hochberg(p).tolist() == [False, True, False, False]
