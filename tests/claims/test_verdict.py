"""The rule of the verdict, against SciPy's t and against replications that are perfect by making."""

import math

import numpy as np
import pytest
from scipy import stats

from attex.claims.verdict import (
    CHANCE,
    UNLIMITED,
    Prediction,
    Spread,
    Verdict,
    are_different,
    change,
    judge,
    pooled,
    predict,
)

RNG = np.random.default_rng(0)


def test_the_spread_of_one_cell_is_the_standard_deviation() -> None:
    values = RNG.normal(size=5).tolist()
    found = pooled([[values]])
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert found.freedom == 4


def test_spreads_are_pooled_as_in_an_analysis_of_variance() -> None:
    cells = [RNG.normal(place, 1.0, 4).tolist() for place in (0, 5, 9)]
    found = pooled([[values] for values in cells])
    # In a one-way analysis of variance F = between / within: solved for the mean square within.
    every = np.concatenate(cells)
    between = sum(len(c) * (np.mean(c) - every.mean()) ** 2 for c in cells) / 2
    assert found.deviation**2 == pytest.approx(between / stats.f_oneway(*cells).statistic)
    assert found.freedom == pytest.approx(3 + 3 + 3)


def test_cells_weigh_alike_however_many_seeds_they_have() -> None:
    one, other = RNG.normal(size=16).tolist(), RNG.normal(size=3).tolist()
    found = pooled([[one], [other]])
    assert found.deviation**2 == pytest.approx((np.var(one, ddof=1) + np.var(other, ddof=1)) / 2)
    # More seeds of one cell leave the other's weight as it is, and the freedom does not fall.
    assert pooled([[one[:3]], [other]]).freedom == pytest.approx(4)
    assert found.freedom == pytest.approx(4 / (1 / 15 + 1 / 2))


def test_with_unlike_numbers_of_seeds_nineteen_of_twenty_draws_lie_inside() -> None:
    sizes, inside, rounds = (16, 3, 3, 2), 0, 4_000
    for _ in range(rounds):
        cells = [RNG.normal(size=size).tolist() for size in sizes]
        found = predict(cells[1], pooled([[values] for values in cells]))
        assert found is not None
        inside += found.has(RNG.normal())
    # Four standard errors of the share.
    assert inside / rounds == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / rounds))


def test_classes_of_the_same_models_add_no_freedom_and_missing_values_take_it() -> None:
    one, two = RNG.normal(size=(2, 4)).tolist()
    found = pooled([[one, two], [[*one[:2], math.nan]]])
    assert found.freedom == pytest.approx(4 / (1 / 3 + 1))
    of_classes = (np.var(one, ddof=1) + np.var(two, ddof=1)) / 2
    assert found.deviation**2 == pytest.approx((of_classes + np.var(one[:2], ddof=1)) / 2)
    assert pooled([[[0.3]], [[0.4]]]).freedom == 0


@pytest.mark.parametrize(("seeds", "freedom"), [(2, 4), (3, 8), (1, 2), (5, 4)])
def test_the_interval_is_that_of_a_prediction(seeds: int, freedom: int) -> None:
    values = RNG.normal(size=seeds).tolist()
    found = predict([*values, math.nan], Spread(0.3, freedom))
    assert found is not None
    scale = 0.3 * math.sqrt(1 + 1 / seeds)
    low, high = stats.t.interval(0.95, freedom, loc=np.mean(values), scale=scale)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.seeds == seeds


def test_an_interval_ends_where_the_number_must_and_what_is_said_of_it_stays() -> None:
    free, share = (predict([0.99, 0.97], Spread(0.05, 4), limits=ends) for ends in (UNLIMITED, (0, 1)))
    assert free is not None
    assert share is not None
    assert free.high > 1
    assert (share.low, share.high, share.half) == (free.low, 1, free.half)
    assert all(judge(published, share, 0.1) is judge(published, free, 0.1) for published in (0, 0.9, 1))
    unknown = predict([0.9], pooled([[[0.9]]]), limits=(0, 1))
    assert unknown is not None
    assert math.isnan(unknown.low)
    assert math.isnan(unknown.high)


def test_nothing_is_predicted_from_nothing_and_little_from_one_seed() -> None:
    assert predict([], Spread(0.1, 4)) is None
    alone = predict([0.3], pooled([[[0.3]]]))
    assert alone is not None
    assert math.isnan(alone.half)
    assert judge(0.3, alone, 0.1) is Verdict.UNCERTAIN


@pytest.mark.parametrize(
    ("published", "half", "widest", "expected"),
    [
        (0.35, 0.05, 0.1, Verdict.REPRODUCED),
        (0.35, 0.10, 0.1, Verdict.REPRODUCED),
        (0.35, 0.11, 0.1, Verdict.UNCERTAIN),
        (0.36, 0.05, 0.1, Verdict.DIFFERS),
        (0.90, 0.50, 0.1, Verdict.DIFFERS),
        (0.31, 0.05, 0.02, Verdict.UNCERTAIN),
    ],
)
def test_the_rule(published: float, half: float, widest: float, expected: Verdict) -> None:
    assert judge(published, Prediction(0.3, half, 3, Spread(0.02, 8)), widest) is expected


@pytest.mark.parametrize(("cells", "seeds"), [(1, 3), (4, 2), (4, 3)])
def test_a_perfect_replication_is_called_different_one_time_in_twenty(cells: int, seeds: int) -> None:
    rng, times = np.random.default_rng(1), 4000
    differ = 0
    for _ in range(times):
        places = rng.uniform(-0.5, 0.5, cells)
        ours = rng.normal(places[:, None], 0.07, (cells, seeds))
        published = rng.normal(places[0], 0.07)
        found = predict(ours[0].tolist(), pooled([[row.tolist()] for row in ours]))
        assert found is not None
        differ += judge(published, found, 0.1) is Verdict.DIFFERS
    # Four standard errors of a share of 5 %.
    assert abs(differ / times - CHANCE) < 4 * math.sqrt(CHANCE * (1 - CHANCE) / times)


def test_two_means_are_compared_as_students_t_does() -> None:
    for shift in (0.0, 0.5, 1.0, 2.0, 4.0):
        one, two = RNG.normal(size=4), RNG.normal(shift, size=3)
        both = [predict(v.tolist(), pooled([[v.tolist()]])) for v in (one, two)]
        p_value = stats.ttest_ind(one, two).pvalue
        for level in (0.05, 0.01):
            assert are_different(both[0], both[1], level) == (p_value <= level)  # type: ignore[arg-type]


def test_of_single_seeds_nothing_is_known_to_differ() -> None:
    one, two = (predict([value], Spread(math.nan, 0)) for value in (0.1, 0.9))
    assert one is not None
    assert two is not None
    assert not are_different(one, two)


def test_a_change_has_the_interval_of_a_t_test() -> None:
    before, after = RNG.normal(size=4).tolist(), (3 + RNG.normal(size=3)).tolist()
    whole, half = (predict(values, pooled([[values]])) for values in (before, after))
    assert whole is not None
    assert half is not None
    found, theirs = change(whole, half), stats.ttest_ind(after, before).confidence_interval(0.95)
    assert found.mean == pytest.approx(np.mean(after) - np.mean(before))
    assert (found.low, found.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
    # It has no change in it where the two are not told apart.
    assert found.has(0) == (not are_different(whole, half))
