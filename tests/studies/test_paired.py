"""Paired differences: matched as they should be, and with intervals that hold what they say."""

import numpy as np
import pytest
from scipy import stats
from simulated import OTHER, TAU, blurred, cell, factorial, study

from attex.foundations.errors import UserError
from attex.studies.bounds import bounded
from attex.studies.conclusion import Conclusion, Number
from attex.studies.paired import paired, same_settings, verdicts

ABOVE_ZERO = Conclusion("τ is above 0", Number((TAU,)), 0.0)
TANH_ABOVE_SDP = Conclusion(
    "tanh agrees more", Number((TAU,), {"attention": "tanh"}), Number((TAU,), {"attention": "sdp"})
)


@pytest.mark.parametrize(
    ("settings", "seeds", "noise"),
    [
        (27, 2, {}),
        (27, 2, {"over_seeds": 0.0}),
        (27, 2, {"over_seeds": 0.3}),
        (27, 2, {"over_texts": 0.0, "both": 0.1}),
        (9, 5, {}),
        (1, 3, {}),
    ],
)
def test_intervals_hold_the_truth_at_their_level(
    settings: int, seeds: int, noise: dict[str, float]
) -> None:
    rng = np.random.default_rng(settings + seeds)
    times = max(200, 600 // settings)
    held = []
    for _ in range(times):
        truth = rng.normal(0, 0.1, settings)
        bounds = bounded(*blurred(truth, rng, seeds=seeds, texts=150, draws=150, **noise))
        held.append(((bounds.low <= truth) & (truth <= bounds.high)).mean())
    # Settings share their texts, so studies and not settings are what is independent here.
    error = max(np.std(held) / np.sqrt(times), 0.005)
    assert np.mean(held) == pytest.approx(0.95, abs=3 * error + 0.01)


def test_the_variance_over_seeds_leaves_out_what_texts_do() -> None:
    rng = np.random.default_rng(0)
    found = [
        bounded(*blurred(np.zeros(50), rng, over_seeds=0.1, both=1.0, texts=100)).seed_variance
        for _ in range(40)
    ]
    # Texts alone move the seeds of a setting apart by a variance of 1 / 100.
    assert np.mean(found) == pytest.approx(0.1**2, abs=0.0015)


def test_without_texts_the_interval_of_one_setting_is_students() -> None:
    values = np.array([[0.1, 0.4, 0.3, 0.2]])
    bounds = bounded(values)
    low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values[0]))
    assert bounds.low == pytest.approx(low)
    assert bounds.high == pytest.approx(high)


def test_one_seed_is_bounded_over_texts_alone() -> None:
    draws = np.random.default_rng(0).normal(0.2, 0.05, (1, 1, 5_000))
    bounds = bounded(np.array([[0.2]]), draws)
    assert bounds.high[0] - 0.2 == pytest.approx(1.96 * 0.05, rel=0.05)
    assert np.isnan(bounds.seed_variance)
    assert bounds.seed_freedom == 0


def test_a_seed_without_a_number_is_left_out_and_a_setting_without_any_is_undefined() -> None:
    nan = np.nan
    values = np.array([[0.2, nan, 0.4], [nan, nan, nan], [0.1, 0.2, 0.3]])
    draws = np.repeat(values[..., None], 3, axis=2) + np.array([-0.01, 0.0, 0.01])
    draws[2, 0, 0] = nan
    bounds = bounded(values, draws)
    assert bounds.value.tolist() == pytest.approx([0.3, nan, 0.2], nan_ok=True)
    assert bounds.seeds.tolist() == [2, 0, 3]
    assert np.isnan(bounds.low).tolist() == [False, True, False]
    (one,) = paired(study(cell({TAU: values}, {TAU: draws})), ABOVE_ZERO)
    assert (one.verdict == "undefined").tolist() == [False, True, False]


def test_verdicts_by_the_side_of_zero() -> None:
    low, high = np.array([0.1, -0.1, -0.2, 0.0, np.nan]), np.array([0.2, 0.1, -0.1, 0.1, np.nan])
    assert verdicts(low, high).tolist() == ["holds", "undecided", "reversed", "undecided", "undefined"]


def test_partners_have_the_same_setting_and_seed() -> None:
    levels = factorial(3, 2)
    order = np.random.default_rng(0).permutation(6)[:4]
    tanh = cell({TAU: np.arange(12.0).reshape(6, 2)}, levels=levels)
    # Other settings, in another order, and the seeds the other way round, with one more.
    values = np.arange(12.0).reshape(6, 2)[order][:, [1, 0]] - 7.0
    sdp = cell({TAU: np.column_stack([values, np.full(4, 99.0)])}, levels=levels[order], attention="sdp")
    sdp = type(sdp)(sdp.cell, sdp.levels, (1, 0, 5), sdp.values, sdp.draws)
    (one,) = paired(study(tanh, sdp, choices={"a": ("x", "y", "z"), "b": ("x", "y")}), TANH_ABOVE_SDP)
    assert one.seeds == (0, 1)
    assert (one.differences == 7.0).all()
    assert (levels[one.settings] == sdp.levels[one.partners]).all()
    assert sorted(one.settings) == sorted(order)
    assert one.cell["attention"] == "tanh − sdp"


def test_a_difference_of_two_quantities_of_one_model_is_paired_on_its_texts() -> None:
    rng = np.random.default_rng(1)
    shared = rng.normal(0, 1, (1, 1, 200))
    first, second = (np.full((1, 1, 1), value) + shared for value in (0.3, 0.2))
    runs = study(
        cell(
            {TAU: np.array([[0.2]]), OTHER: np.array([[0.3]])},
            {TAU: second, OTHER: first + rng.normal(0, 0.01, (1, 1, 200))},
        )
    )
    (one,) = paired(runs, Conclusion("", Number((OTHER,)), Number((TAU,))))
    # Either alone moves by 1; their difference by 0.01.
    assert one.bounds.high[0] - one.bounds.low[0] == pytest.approx(4 * 0.01, rel=0.2)
    assert one.verdict.tolist() == ["holds"]


def test_a_setting_that_a_design_has_twice_is_one_universe() -> None:
    first, second = np.array([[0], [1], [0], [2]]), np.array([[2], [0], [0], [0]])
    ours, theirs = same_settings(first, second)
    assert ours.tolist() == [0, 3]
    assert theirs.tolist() == [1, 0]


def test_a_study_without_choices_has_one_universe() -> None:
    (one,) = paired(study(cell({TAU: np.ones((1, 2))}, levels=np.empty((1, 0), dtype=int))), ABOVE_ZERO)
    assert one.verdict.tolist() == ["holds"]


def test_both_partners_must_be_accurate() -> None:
    values = {TAU: np.full((3, 2), 0.5)}
    tanh = cell(values | {"development_accuracy": np.array([[0.9, 0.9], [0.9, 0.5], [0.9, 0.9]])})
    sdp = cell(
        {TAU: np.zeros((3, 2)), "development_accuracy": np.array([[0.9, 0.9], [0.9, 0.9], [0.5, 0.9]])},
        attention="sdp",
    )
    (one,) = paired(study(tanh, sdp), TANH_ABOVE_SDP, least_accuracy=0.75)
    assert one.accurate.tolist() == [True, False, False]
    (one,) = paired(study(tanh, sdp), TANH_ABOVE_SDP, least_accuracy={"imdb": 0.75})
    assert one.accurate.all()
    with pytest.raises(UserError, match="have no 'development_accuracy'"):
        paired(study(cell(values)), ABOVE_ZERO, least_accuracy=0.75)


def test_cells_without_the_quantity_or_the_partner_are_left_out() -> None:
    runs = study(cell({TAU: np.ones((1, 2))}), cell({OTHER: np.ones((1, 2))}, encoder="cnn"))
    assert [one.cell["encoder"] for one in paired(runs, ABOVE_ZERO)] == ["lstm"]
    assert paired(runs, TANH_ABOVE_SDP) == ()


def test_an_interval_ends_where_the_number_must() -> None:
    bounds = bounded(np.array([[1.0, 0.9], [0.5, 0.52], [np.nan, np.nan]]))
    assert bounds.high[0] > 1
    shares = bounds.within((0.0, 1.0))
    assert shares.high[0] == 1
    assert shares.low == pytest.approx(bounds.low, nan_ok=True)
    assert shares.high[1:] == pytest.approx(bounds.high[1:], nan_ok=True)
    assert shares.value == pytest.approx(bounds.value, nan_ok=True)
