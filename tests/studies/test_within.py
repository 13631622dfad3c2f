"""Regression within settings: the same as with a dummy for each, and right where raw numbers mislead."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from simulated import cell, study

from attex.studies.fixed_effects import correlation_between, within_settings
from attex.studies.within import faithfulness_rows

OUTCOME = "auprc(attention)"
PREDICTOR = "kendall_tau(attention, gradient) calibrated"
CONTROL = "kendall_tau(attention, gradient) permuted"
LEFT_OUT = "kendall_tau(attention, leave_one_out) calibrated"
ADJUSTERS = ("accuracy", "confidence", "entropy(attention)")


def with_dummies(y: np.ndarray, x: np.ndarray, setting: np.ndarray) -> np.ndarray:
    """Least squares with a column for each setting: the slopes of x."""
    dummies = (setting[:, None] == np.unique(setting)).astype(float)
    return np.linalg.lstsq(np.column_stack([x, dummies]), y, rcond=None)[0][: x.shape[1]]


def models(rng: np.random.Generator, settings: int, seeds: int, columns: int) -> tuple[np.ndarray, ...]:
    setting = np.repeat(np.arange(settings), seeds)
    x = rng.normal(size=(settings * seeds, columns)) + rng.normal(size=(settings, columns))[setting]
    y = x @ np.arange(1, columns + 1) + 3 * rng.normal(size=settings)[setting] + rng.normal(size=len(x))
    return y, x, setting


def test_slopes_and_errors_are_those_of_dummies_and_of_leaving_settings_out() -> None:
    rng = np.random.default_rng(0)
    y, x, setting = models(rng, 12, 3, 4)
    y, x, setting = y[:-1], x[:-1], setting[:-1]
    fit = within_settings(y, x[:, :2], x[:, 2:], setting)
    slopes = with_dummies(y, x, setting)
    without = np.array(
        [with_dummies(y[setting != g], x[setting != g], setting[setting != g]) for g in range(12)]
    )
    errors = np.sqrt(11 / 12 * ((without - slopes) ** 2).sum(axis=0))
    reach = stats.t.ppf(0.975, 11)
    for number, found in enumerate(fit.slopes):
        assert found.slope == pytest.approx(slopes[number])
        assert found.low == pytest.approx(slopes[number] - reach * errors[number])
        assert found.high == pytest.approx(slopes[number] + reach * errors[number])
        assert found.p == pytest.approx(2 * stats.t.sf(abs(slopes[number] / errors[number]), 11))
    assert (fit.models, fit.settings, fit.left_out) == (35, 12, 0)


def test_the_partial_correlation_is_that_of_what_dummies_and_others_leave() -> None:
    y, x, setting = models(np.random.default_rng(1), 10, 3, 3)
    (found,) = within_settings(y, x[:, :1], x[:, 1:], setting).slopes
    others = np.column_stack([x[:, 1:], (setting[:, None] == np.unique(setting)).astype(float)])
    left = [one - others @ np.linalg.lstsq(others, one, rcond=None)[0] for one in (y, x[:, 0])]
    assert found.correlation == pytest.approx(stats.pearsonr(*left)[0])
    within = np.concatenate([x[setting == g, 0] - x[setting == g, 0].mean() for g in range(10)])
    assert found.spread == pytest.approx(np.sqrt((within**2).sum() / 20))
    means = [[one[setting == g].mean() for g in range(10)] for one in (y, x[:, 0])]
    assert correlation_between(y, x[:, 0], setting) == pytest.approx(stats.pearsonr(*means)[0])


@pytest.mark.parametrize(("settings", "seeds"), [(27, 2), (12, 3)])
def test_intervals_hold_the_slope_at_their_level(settings: int, seeds: int) -> None:
    rng = np.random.default_rng(2)
    held = []
    for _ in range(300):
        setting = np.repeat(np.arange(settings), seeds)
        x = rng.normal(size=(len(setting), 3))
        # Settings differ in their level and in their noise.
        noise = rng.gamma(2, 1, settings)[setting] * rng.normal(size=len(setting))
        y = 0.5 * x[:, 0] + rng.normal(size=settings)[setting] + noise
        (found,) = within_settings(y, x[:, :1], x[:, 1:], setting).slopes
        held.append(found.low <= 0.5 <= found.high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.035)


def confounded(rng: np.random.Generator, settings: int = 60, seeds: int = 4) -> dict[str, np.ndarray]:
    """Models in which a choice raises agreement and spoils the truth, and agreement itself helps."""
    choice = rng.normal(size=(settings, 1))
    seed_effect = rng.normal(size=(settings, seeds))
    columns = {name: rng.normal(size=(settings, seeds)) for name in ADJUSTERS}
    columns[PREDICTOR] = 0.3 + 0.10 * choice + 0.03 * seed_effect
    columns[CONTROL] = 0.3 + 0.10 * choice + 0.03 * rng.normal(size=(settings, seeds))
    columns[OUTCOME] = (
        0.6
        - 0.08 * choice
        + 0.4 * 0.03 * seed_effect
        + 0.01 * columns["accuracy"]
        + 0.02 * rng.normal(size=(settings, seeds))
    )
    return columns


def rows_of(columns: dict[str, np.ndarray], **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in faithfulness_rows(study(cell(columns))) if wanted.items() <= row.items()]


def test_raw_numbers_say_the_opposite_of_those_within_settings_and_the_control_says_nothing() -> None:
    columns = confounded(np.random.default_rng(0))
    (own,) = rows_of(columns, predictor=PREDICTOR)
    assert own["correlation_between"] < -0.5
    assert own["correlation_within"] > 0.2
    assert own["low"] <= 0.4 <= own["high"]
    assert own["p"] < 0.01
    assert (own["models"], own["settings"], own["attention"]) == (240, 60, "own")
    (control,) = rows_of(columns, predictor=CONTROL)
    assert control["correlation_between"] < -0.5
    assert control["low"] <= 0 <= control["high"]
    assert control["attention"] == "permuted"


def test_a_setting_that_a_design_has_twice_counts_once() -> None:
    columns = confounded(np.random.default_rng(0))
    twice = {name: np.concatenate([values, values[:20]]) for name, values in columns.items()}
    levels = np.concatenate([np.arange(60), np.arange(20)])[:, None]
    (once,) = rows_of(columns, predictor=PREDICTOR)
    rows = faithfulness_rows(study(cell(twice, levels=levels)))
    assert next(row for row in rows if row["predictor"] == PREDICTOR) == once


def test_two_predictors_are_taken_alone_and_together() -> None:
    columns = confounded(np.random.default_rng(0))
    columns[LEFT_OUT] = columns[PREDICTOR] + 0.02 * np.random.default_rng(1).normal(size=(60, 4))
    alone = rows_of(columns, attention="own", together=False)
    assert [row["predictor"] for row in alone] == [PREDICTOR, LEFT_OUT]
    assert alone[1]["p"] < 0.05
    together = rows_of(columns, attention="own", together=True)
    assert together[0]["low"] <= 0.4 <= together[0]["high"]
    assert together[1]["low"] <= 0 <= together[1]["high"]


def test_datasets_are_taken_alone_and_all_at_once() -> None:
    first, second = (confounded(np.random.default_rng(seed), settings=20) for seed in (0, 1))
    rows = faithfulness_rows(study(cell(first), cell(second, dataset="planted")))
    own = {row["dataset"]: row for row in rows if row["predictor"] == PREDICTOR}
    assert {name: row["settings"] for name, row in own.items()} == {"all": 40, "planted": 20, "sst": 20}


def test_columns_that_do_not_vary_or_say_the_same_are_named() -> None:
    columns = confounded(np.random.default_rng(0))
    columns["confidence"] = np.repeat(columns["confidence"][:, :1], 4, axis=1)
    columns["entropy(attention)"] = 2 * columns["accuracy"] - 1
    (own,) = rows_of(columns, predictor=PREDICTOR)
    assert own["constant"] == "confidence"
    assert own["low"] <= 0.4 <= own["high"]
    columns[LEFT_OUT] = 3 * columns[PREDICTOR]
    for row in rows_of(columns, attention="own", together=True):
        assert row["problem"] == "the other columns determine it"
        assert np.isnan(row["slope"])
    columns[PREDICTOR] = np.repeat(columns[PREDICTOR][:, :1], 4, axis=1)
    (own,) = rows_of(columns, predictor=PREDICTOR, together=False)
    assert own["problem"] == "it is the same for all seeds of a setting"
    assert not np.isnan(own["correlation_between"])
    columns[OUTCOME] = np.zeros((60, 4))
    assert {row["problem"] for row in rows_of(columns)} == {
        "the outcome is the same for all seeds of a setting"
    }


def test_a_slope_that_one_setting_alone_gives_is_none() -> None:
    rng = np.random.default_rng(0)
    setting = np.repeat(np.arange(10), 2)
    x = np.zeros((20, 1))
    x[0] = 1.0
    (found,) = within_settings(rng.normal(size=20), x, np.empty((20, 0)), setting).slopes
    assert found.problem == "it rests on one setting alone"


def test_missing_numbers_and_lone_seeds_are_left_out_and_counted() -> None:
    columns = confounded(np.random.default_rng(0), settings=30, seeds=2)
    columns[PREDICTOR][0, 0] = np.nan
    columns["accuracy"][1, 1] = np.nan
    columns[OUTCOME][2] = np.nan
    (own,) = rows_of(columns, predictor=PREDICTOR)
    assert (own["models"], own["settings"], own["left_out"]) == (54, 27, 6)
    kept = {name: values[3:] for name, values in columns.items()}
    assert own["slope"] == pytest.approx(rows_of(kept, predictor=PREDICTOR)[0]["slope"])
    columns["confidence"] = np.full((30, 2), np.nan)
    (own,) = rows_of(columns, predictor=PREDICTOR)
    assert own["adjusted_for"] == "accuracy, entropy(attention)"


def test_one_seed_says_nothing_within_a_setting() -> None:
    (own,) = rows_of(confounded(np.random.default_rng(0), seeds=1), predictor=PREDICTOR)
    assert own["problem"].startswith("no setting has two seeds")
    assert np.isnan(own["slope"])
    assert own["correlation_between"] < 0


def test_few_settings_and_no_numbers_are_problems_too() -> None:
    (own,) = rows_of(confounded(np.random.default_rng(0), settings=4), predictor=PREDICTOR)
    assert own["problem"] == "4 settings are too few for 4 columns"
    nothing = confounded(np.random.default_rng(0))
    nothing[PREDICTOR] = np.full((60, 4), np.nan)
    (own,) = rows_of(nothing, predictor=PREDICTOR)
    assert own["problem"] == "no model has all of these numbers"
    assert np.isnan(own["correlation_between"])
    assert rows_of({PREDICTOR: nothing[PREDICTOR]}) == []
