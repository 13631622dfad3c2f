"""Bootstrap intervals against theory and against drawing by hand."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from attex.agreement import bootstrap
from attex.agreement.intervals import mean_interval, percentiles, ratio_draws


def test_one_seed_comes_near_the_normal_interval() -> None:
    values = np.random.default_rng(0).normal(3, 2, size=(1, 4000))
    low, high = mean_interval(values, np.ones_like(values, dtype=bool))
    half = 1.96 * values.std() / np.sqrt(4000)
    assert low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_seeds_that_disagree_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    texts = rng.normal(0, 1, size=(1, 500))
    alike = np.repeat(texts, 3, axis=0)
    apart = alike + np.array([[-1.0], [0.0], [1.0]])
    everything = np.ones_like(alike, dtype=bool)
    narrow, wide = (np.diff(mean_interval(values, everything))[0] for values in (alike, apart))
    one_seed = np.diff(mean_interval(texts, everything[:1]))[0]
    assert narrow == pytest.approx(one_seed)
    assert wide > 5 * narrow


def test_crossed_draws_equal_drawing_seeds_and_texts_in_loops() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(3, 60)) + np.array([[0.0], [0.5], [2.0]])
    included = rng.random((3, 60)) < 0.6
    means = []
    for _ in range(4000):
        seeds, texts = rng.integers(0, 3, 3), rng.integers(0, 60, 60)
        chosen = included[np.ix_(seeds, texts)]
        means.append(values[np.ix_(seeds, texts)][chosen].mean())
    expected = np.percentile(means, [2.5, 97.5])
    found = mean_interval(values, included, draws=4000)
    np.testing.assert_allclose(found, expected, atol=0.12)


def test_nothing_included_is_undefined_and_the_same_call_gives_the_same_answer() -> None:
    values = np.random.default_rng(3).normal(size=(2, 30))
    assert np.isnan(mean_interval(values, np.zeros_like(values, dtype=bool))).all()
    everything = np.ones_like(values, dtype=bool)
    assert mean_interval(values, everything) == mean_interval(values, everything)


def test_draws_without_a_denominator_are_undefined_and_left_out() -> None:
    above, below = np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]])
    drawn = ratio_draws(above, below)
    # Of two texts that are drawn with replacement both are the second in one case of four.
    assert np.isnan(drawn).mean() == pytest.approx(0.25, abs=0.05)
    assert np.unique(drawn[~np.isnan(drawn)]).tolist() == [0.5]
    assert percentiles(drawn) == (0.5, 0.5)
    assert np.isnan(percentiles(np.full(3, np.nan))).all()


def test_ratios_of_one_shape_are_drawn_alike() -> None:
    rng = np.random.default_rng(0)
    above, below = rng.random((2, 3, 20))
    assert ratio_draws(above + 2 * below, below) - ratio_draws(above, below) == pytest.approx(2.0)


def middle(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.median(x, axis=axis)


@pytest.mark.parametrize("level", [95.0, 80.0])
@pytest.mark.parametrize(
    ("statistic", "arrays"),
    [(np.std, 1), (middle, 1), (lambda x, y, **_: np.corrcoef(x, y)[0, 1], 2)],
    ids=["standard deviation", "median", "correlation of pairs"],
)
def test_any_statistic_is_bounded_as_scipy_does(statistic: Any, arrays: int, level: float) -> None:
    rng = np.random.default_rng(4)
    x = rng.exponential(size=80)
    given = (x, x + rng.normal(size=80))[:arrays]
    expected = scipy.stats.bootstrap(
        given,
        statistic,
        paired=arrays > 1,
        vectorized=False,
        n_resamples=8000,
        confidence_level=level / 100,
        method="percentile",
        rng=np.random.default_rng(5),
    ).confidence_interval
    found = bootstrap(*given, statistic=statistic, draws=8000, level=level)
    # Both draw: a percentile of 8000 draws is off by a few hundredths of the width.
    np.testing.assert_allclose(found, expected, atol=0.06 * (expected.high - expected.low))


def test_the_mean_is_bounded_as_the_mean_is() -> None:
    values = np.random.default_rng(6).normal(size=(3, 40))
    everything = np.ones_like(values, dtype=bool)
    assert bootstrap(values) == pytest.approx(mean_interval(values, everything))
    assert bootstrap(values[0]) == pytest.approx(mean_interval(values[:1], everything[:1]))
    assert bootstrap(values[:1]) == bootstrap(values[0])


def covered(intervals: list[tuple[float, float]], truth: float) -> float:
    return float(np.mean([low <= truth <= high for low, high in intervals]))


def test_95_of_100_intervals_hold_the_truth() -> None:
    rng = np.random.default_rng(7)
    medians = [bootstrap(rng.normal(size=99), statistic=np.median, draws=300) for _ in range(300)]
    assert covered(medians, 0.0) == pytest.approx(0.95, abs=0.035)


def test_seeds_are_part_of_what_is_uncertain() -> None:
    rng = np.random.default_rng(8)
    over_both, over_texts = [], []
    for number in range(200):
        values = rng.normal(size=(20, 1)) + rng.normal(size=(1, 60)) + rng.normal(size=(20, 60))
        over_both.append(bootstrap(values, draws=200, seed=2 * number))
        over_texts.append(bootstrap(values.mean(axis=0), draws=200, seed=2 * number))
    assert covered(over_both, 0.0) == pytest.approx(0.95, abs=0.045)
    # The mean of 20 seeds has a variance of 1/20, of which texts alone know nothing.
    assert covered(over_texts, 0.0) < 0.8


def test_bounds_of_nothing_and_of_what_is_undefined() -> None:
    assert np.isnan(bootstrap([])).all()
    assert np.isnan(bootstrap([np.nan, 1.0, np.nan], statistic=lambda x: np.nan)).all()
    known, unknown = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, np.nan]
    assert np.isfinite(bootstrap(known)).all()
    low, high = bootstrap(unknown, statistic=lambda x: x[~np.isnan(x)].max(initial=-1.0))
    assert (low, high) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("arrays", "options", "said"),
    [
        (([1.0], [1.0, 2.0]), {}, "expected arrays of one shape"),
        ((1.0,), {}, "expected arrays of one shape"),
        ((), {}, "expected arrays of one shape"),
        (([1.0],), {"draws": 0}, "draws = 0 is less than 1"),
        (([1.0],), {"level": 100.0}, "level = 100.0 is not between"),
    ],
)
def test_what_cannot_be_drawn_is_said(arrays: Any, options: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bootstrap(*arrays, **options)
