"""Shares of variance against group means, and least squares by brute force."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_response import NAMES, every, four, planted

from attex.studies.designs import design_for
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.variance import shares, shares_of
from attex.studies.wild import factors, multipliers


def by_group_means(levels: np.ndarray, values: np.ndarray) -> tuple[list[float], list[float]]:
    """ω² of a balanced design by the textbook, from means of groups: → terms, and the four."""
    universes, seeds = values.shape
    grand = values.mean()
    of_universe = values.mean(axis=1)
    pure = ((values - of_universe[:, None]) ** 2).sum()
    error = pure / (universes * (seeds - 1))
    total = ((values - grand) ** 2).sum()

    def around(*choices: int) -> tuple[float, int]:
        groups = np.unique(levels[:, choices], axis=0, return_inverse=True)[1].ravel()
        means = [of_universe[groups == group].mean() for group in range(groups.max() + 1)]
        sizes = np.bincount(groups) * seeds
        return float((sizes * (np.array(means) - grand) ** 2).sum()), len(means) - 1

    count = levels.shape[1]
    alone = [around(choice) for choice in range(count)]
    pairs = []
    for one, other in itertools.combinations(range(count), 2):
        squares, freedom = around(one, other)
        pairs.append(
            (
                squares - alone[one][0] - alone[other][0],
                freedom - alone[one][1] - alone[other][1],
            )
        )
    omega = [(squares - freedom * error) / (total + error) for squares, freedom in (*alone, *pairs)]
    explained = sum(squares for squares, _ in (*alone, *pairs))
    left = universes - 1 - sum(freedom for _, freedom in (*alone, *pairs))
    lack = (total - pure - explained - left * error) / (total + error)
    return omega, [sum(omega[:count]), sum(omega[count:]), lack, values.size * error / (total + error)]


@pytest.mark.parametrize("counts", [[3, 2, 4], [2, 2], [3] * 6, [3, 2, 3, 3, 2, 3], [3] * 9])
@pytest.mark.parametrize("seeds", [2, 3])
def test_a_balanced_design_gives_what_group_means_give(counts: list[int], seeds: int) -> None:
    levels = design_for(counts).levels
    generator = np.random.default_rng(len(counts))
    values = (
        generator.normal(size=(len(levels), seeds))
        + levels @ generator.normal(size=len(counts))[:, None]
    )
    values += levels[:, :1] * levels[:, 1:2]
    found = shares(levels, values, NAMES[: len(counts)], draws=10)
    omega, summed = by_group_means(levels, values)
    assert np.allclose(every(found), omega, atol=1e-10)
    assert np.allclose(np.nan_to_num(four(found)), summed, atol=1e-10)
    for choice, effect in enumerate(found.effects):
        means = [values[levels[:, choice] == level].mean() for level in effect.levels]
        assert np.allclose(effect.means, means)
        assert effect.span == pytest.approx(np.ptp(means))


def dummies(levels: np.ndarray, *choices: int) -> np.ndarray:
    """One column for each combination of levels."""
    groups = np.unique(levels[:, choices], axis=0, return_inverse=True)[1].ravel()
    return np.eye(groups.max() + 1)[groups]


def left_over(values: np.ndarray, columns: list[np.ndarray]) -> float:
    """The residual sum of squares by brute force."""
    stacked = np.column_stack([np.ones(len(values)), *columns])
    return float(((values - stacked @ np.linalg.lstsq(stacked, values, rcond=None)[0]) ** 2).sum())


@pytest.mark.parametrize(
    ("counts", "missing"), [([4, 3, 5, 3, 4], 0), ([4, 3, 5, 3, 4], 40), ([3] * 6, 25)]
)
def test_a_design_that_overlaps_gives_what_least_squares_over_models_gives(
    counts: list[int], missing: int
) -> None:
    levels = design_for(counts).levels
    generator = np.random.default_rng(1)
    values = generator.normal(size=(len(levels), 2)) + levels[:, :1] * levels[:, 1:2]
    values.ravel()[generator.choice(values.size, missing, replace=False)] = np.nan
    found = shares(levels, values, NAMES[: len(counts)], draws=10)
    assert found.undefined == missing
    assert found.models == values.size - missing
    assert any("no value" in note for note in found.notes) == bool(missing)

    long = np.repeat(levels, 2, axis=0)[np.isfinite(values.ravel())]
    flat = values.ravel()[np.isfinite(values.ravel())]
    which = np.repeat(np.arange(len(levels)), 2)[np.isfinite(values.ravel())]
    mains = [dummies(long, choice) for choice in range(len(counts))]
    couples = list(itertools.combinations(range(len(counts)), 2))
    pairs = [dummies(long, *couple) for couple in couples]
    pure = left_over(flat, [np.eye(len(levels))[which]])
    error = pure / (len(flat) - len(np.unique(which)))
    total = left_over(flat, [])
    scale = total + error
    for choice, main in enumerate(mains):
        others = mains[:choice] + mains[choice + 1 :]
        squares = left_over(flat, others) - left_over(flat, mains)
        expected = (squares - (main.shape[1] - 1) * error) / scale
        assert found.choices[choice].share == pytest.approx(expected, abs=1e-9)
    for place in range(0, len(couples), 4):
        others = pairs[:place] + pairs[place + 1 :]
        squares = left_over(flat, mains + others) - left_over(flat, mains + pairs)
        assert found.pairs[place].share == pytest.approx(
            (squares - found.pairs[place].freedom * error) / scale, abs=1e-9
        )
    assert sum(four(found)) == pytest.approx(1)
    lack = left_over(flat, mains + pairs) - pure
    expected = (lack - found.lack_of_fit.freedom * error) / scale
    assert found.lack_of_fit.share == pytest.approx(expected, abs=1e-9)


def test_a_block_of_27_tells_choices_apart_and_no_pair() -> None:
    levels = design_for([3] * 9, blocks=1).levels
    values = planted(levels)[:, None] + 0.1 * np.random.default_rng(0).normal(size=(27, 2))
    found = shares(levels, values, NAMES[:9])
    assert [each.freedom for each in found.choices] == [2] * 9
    assert all(each.freedom == 0 and np.isnan(each.share) for each in found.pairs)
    assert found.lack_of_fit.freedom == 27 - 1 - 18
    assert any("36 of 36 pairs" in note for note in found.notes)
    assert np.nansum(four(found)) == pytest.approx(1)


def test_some_pairs_are_told_apart_where_a_design_tells_them() -> None:
    levels = design_for([3] * 6, blocks=3).levels
    found = shares(levels, np.random.default_rng(0).normal(size=(81, 2)), NAMES[:6], draws=2)
    mains = [dummies(levels, choice) for choice in range(6)]
    couples = list(itertools.combinations(range(6), 2))
    pairs = [dummies(levels, *couple) for couple in couples]
    rank = np.linalg.matrix_rank(np.column_stack([*mains, *pairs]))
    for place, each in enumerate(found.pairs):
        without = np.linalg.matrix_rank(np.column_stack(mains + pairs[:place] + pairs[place + 1 :]))
        assert each.freedom == (4 if rank - without == 4 else 0)


def test_one_model_in_each_setting_has_the_residual_for_noise() -> None:
    levels = design_for([3] * 3).levels
    values = planted(levels)[:, None] + np.random.default_rng(0).normal(size=(27, 1))
    found = shares(levels, values, NAMES[:3])
    mains = [dummies(levels, choice) for choice in range(3)]
    pairs = [dummies(levels, *couple) for couple in itertools.combinations(range(3), 2)]
    flat = values[:, 0]
    error = left_over(flat, mains + pairs) / 8
    squares = left_over(flat, mains[1:]) - left_over(flat, mains)
    assert found.choices[0].share == pytest.approx((squares - 2 * error) / (left_over(flat, []) + error))
    assert np.isnan(found.lack_of_fit.share)
    assert np.nansum(four(found)) == pytest.approx(1)
    assert any("one model in each setting" in note for note in found.notes)


def test_two_by_two_with_one_seed_takes_the_pair_for_noise_and_one_choice_has_none() -> None:
    levels = design_for([2, 2]).levels
    found = shares(levels, np.array([[0.0], [1.0], [2.0], [4.0]]), "ab")
    # Means 0.5 and 3, 1 and 2.5: SS 6.25 and 2.25 of 8.75, so 0.25 is left on one degree of freedom.
    assert [each.share for each in found.choices] == pytest.approx([6 / 9, 2 / 9])
    assert not found.pairs
    assert any("pairs of choices take the place of noise" in note for note in found.notes)
    alone = shares(np.array([[0], [1]]), np.array([[0.0], [1.0]]), "a")
    assert np.isnan(alone.choices[0].share)
    assert alone.effects[0].means == pytest.approx([0, 1])
    assert np.isnan(alone.effects[0].low).all()
    assert any("no share can be given" in note for note in alone.notes)


def test_two_by_two_with_two_seeds_by_hand_says_that_its_intervals_are_rough() -> None:
    levels = design_for([2, 2]).levels
    found = shares(levels, np.array([[0, 2], [0, 2], [2, 4], [2, 4]]), "ab")
    assert every(found) == pytest.approx([6 / 18, -2 / 18, -2 / 18])
    assert found.seeds.share == pytest.approx(16 / 18)
    assert found.deviation**2 == pytest.approx(18 / 8)
    assert any("4 degrees of freedom only" in note for note in found.notes)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_has_no_variance_to_share_out(value: float) -> None:
    found = shares(design_for([2, 3]).levels, np.full((6, 2), value), "ab")
    assert np.isnan(every(found)).all()
    assert found.effects[0].means == pytest.approx(value)
    assert found.deviation == 0
    assert any("same value" in note for note in found.notes)


def test_choices_that_change_together_are_not_told_apart() -> None:
    levels = design_for([3, 2]).levels[:, [0, 0, 1]]
    found = shares(levels, np.random.default_rng(0).normal(size=(6, 2)), "abc")
    assert [each.freedom for each in found.choices] == [0, 0, 1]
    assert any("due to a, b" in note for note in found.notes)
    assert np.nansum(four(found)) == pytest.approx(1)


def test_a_nested_choice_is_decomposed_within_its_branch() -> None:
    # Vectors: none, one kind, another; their length exists where there are vectors.
    levels = np.array([*itertools.product(range(3), range(3), range(2))])
    generator = np.random.default_rng(0)
    values = np.where(levels[:, :1] > 0, levels[:, 1:2], 0) + 0.1 * generator.normal(size=(18, 2))
    values[levels[:, 0] == 0] = np.tile(generator.normal(size=(2, 2)), (3, 1))
    found = shares(levels, values, ("vectors", "length", "rate"), {"length": ("vectors", (1, 2))})
    # Settings without vectors that differ in length only are the same models: 2 + 12 different ones.
    assert found.seeds.freedom == 14
    with_vectors = levels[:, 0] > 0
    inner = values[with_vectors]
    means = [inner[levels[with_vectors, 1] == level].mean() for level in range(3)]
    squares = 8 * ((np.array(means) - inner.mean()) ** 2).sum()
    different = values[[0, 1, *range(6, 18)]]
    error = ((different - different.mean(axis=1, keepdims=True)) ** 2).sum() / 14
    assert found.choices[1].share * found.deviation**2 * 36 == pytest.approx(squares - 2 * error)
    assert found.effects[1].means == pytest.approx(means)
    assert np.nansum(four(found)) == pytest.approx(1)
    (branch,) = found.branches
    assert (branch.parent, branch.at) == ("vectors", (1, 2))
    alone = shares(levels[with_vectors] - [1, 0, 0], inner, ("vectors", "length", "rate"))
    assert every(branch.shares) == pytest.approx(every(alone))


def test_models_that_stand_for_several_settings_count_their_noise_once() -> None:
    # Nothing but noise: each share of variance is 0 on average, and that of seeds 1.
    levels = np.array([*itertools.product(range(3), range(3), range(3))])
    generator = np.random.default_rng(0)
    found = []
    for _ in range(200):
        values = generator.normal(size=(27, 2))
        values[:9] = np.tile(generator.normal(size=(3, 2)), (3, 1))
        one = shares(levels, values, "abc", {"b": ("a", (1, 2))}, draws=2)
        found.append(np.array([*every(one), one.lack_of_fit.share]) * one.deviation**2)
    apart = np.mean(found, axis=0) / (np.std(found, axis=0) / np.sqrt(len(found)))
    assert np.abs(apart).max() < 4


@settings(max_examples=20, deadline=None)
@given(st.floats(-50, 50), st.floats(0.01, 100), st.integers(0, 10**6))
def test_units_and_the_order_of_universes_change_no_share(shift: float, scale: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    levels = design_for([3, 2, 3]).levels
    values = generator.normal(size=(18, 3))
    order = generator.permutation(18)
    first = shares(levels, values, "abc", draws=50)
    scaled = shares(levels, shift + scale * values, "abc", draws=50)
    moved = shares(levels[order], values[order], "abc", draws=50)
    assert every(scaled) == pytest.approx(every(first), abs=1e-6)
    assert [each.low for each in scaled.pairs] == pytest.approx(
        [each.low for each in first.pairs], abs=1e-6
    )
    assert every(moved) == pytest.approx(every(first), abs=1e-9)
    assert scaled.effects[0].span == pytest.approx(scale * first.effects[0].span, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("draw", [multipliers, factors])
@pytest.mark.parametrize("freedom", [1, 2, 5])
def test_squares_of_drawn_noise_vary_like_those_of_normal_noise(
    draw: Callable[..., np.ndarray], freedom: int
) -> None:
    drawn = draw((freedom,) * 100, 4000, 0)
    measured = np.random.default_rng(1).chisquare(freedom, size=200_000) / freedom
    # s² was measured on ν degrees of freedom; E[s⁴] times the variance of the multiplier's square is the
    # variance of a square of normal noise: 2 for one value, 2/ν for a mean square.
    if draw is multipliers:
        assert drawn.mean() == pytest.approx(0, abs=0.01)
        assert np.mean(measured**2) * (drawn**2).var() == pytest.approx(2, rel=0.05)
        assert (drawn**2).mean() == pytest.approx(1, abs=0.02)
    else:
        assert drawn.mean() == pytest.approx(1, abs=0.01)
        assert np.mean(measured**2) * drawn.var() == pytest.approx(2 / freedom, rel=0.05)


def test_the_same_call_gives_the_same_bounds_and_the_shares_of_a_study_are_these() -> None:
    levels = design_for([3, 3]).levels
    values = np.random.default_rng(0).normal(size=(9, 2))
    cell = CellRuns({"dataset": "sst"}, levels, (0, 1), {"tau": values}, {})
    names = {"vectors": ("none", "glove", "word2vec"), "length": ("1", "3", "5")}
    runs = RunSet(names, (cell,), {"length": ("vectors", ("glove", "word2vec"))})
    found = shares_of(runs, cell, "tau")
    again = shares(levels, values, ("vectors", "length"), {"length": ("vectors", [1, 2])})
    assert [each.low for each in found.choices] == [each.low for each in again.choices]
    assert found.choices[1].choices == ("length",)


@pytest.mark.parametrize(
    ("levels", "values", "names", "within", "told"),
    [
        (np.zeros((4, 2)), np.zeros((3, 2)), "ab", None, "expected levels"),
        (np.zeros((4, 2)), np.zeros((4, 0)), "ab", None, "expected levels"),
        (np.zeros((4, 2)), np.zeros((4, 2)), "abc", None, "3 names for 2 choices"),
        (np.zeros((4, 2)), np.full((4, 2), np.nan), "ab", None, "no model has a value"),
        (np.zeros((4, 2)), np.zeros((4, 2)), "ab", {"b": ("z", [0])}, "no choice is called z"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    levels: np.ndarray, values: np.ndarray, names: str, within: dict | None, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        shares(levels, values, names, within)
