"""Bootstrap intervals against theory and against drawing by hand."""

import numpy as np
import pytest

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
