"""Shares of universes: counted, weighed, bounded and tested as they say."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from simulated import OTHER, TAU, blurred, cell, factorial, study

from attex.studies.conclusion import Conclusion, Number
from attex.studies.option_weights import option_weights
from attex.studies.paired import paired
from attex.studies.run_set import RunSet
from attex.studies.verdict_shares import holm, share_rows

ABOVE_ZERO = Conclusion("τ is above 0", Number((TAU,)), 0.0)
CHOICES = {"rate": ("low", "middle", "high"), "width": ("32", "64", "128"), "batch": ("8", "16", "32")}
ALL = {"encoder": "all", "choice": "", "kept": "all", "weighting": "options"}


def asked(runs: RunSet, conclusion: Conclusion = ABOVE_ZERO, **options: Any) -> list[dict[str, Any]]:
    return share_rows(runs, {"q": paired(runs, conclusion, **options)}, replicates=400)


def the(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (row,) = (row for row in rows if wanted.items() <= row.items())
    return row


def certain(values: list[float], **changed: str) -> Any:
    """A cell whose models have these numbers for all seeds and texts."""
    return cell({TAU: np.tile(np.array(values)[:, None], 2)}, **changed)


def test_verdicts_are_counted_per_cell_over_cells_and_by_choice() -> None:
    runs = study(
        certain([0.2, 0.0, -0.1]),
        certain([0.3, 0.1, np.nan], encoder="cnn"),
        choices={"rate": ("a", "b", "c")},
    )
    rows = asked(runs)
    lstm, cnn, both = (the(rows, **ALL | {"encoder": name}) for name in ("lstm", "cnn", "all"))
    assert [lstm[v] for v in ("holds", "undecided", "reversed")] == pytest.approx([1 / 3] * 3)
    assert [cnn[v] for v in ("holds", "undecided", "reversed")] == pytest.approx([1, 0, 0])
    assert (cnn["universes"], cnn["undefined"]) == (3, 1)
    assert [both[f"n_{v}"] for v in ("holds", "undecided", "reversed")] == [3, 1, 1]
    # Every cell weighs the same, or every universe.
    assert both["holds"] == pytest.approx((1 / 3 + 1) / 2)
    assert the(rows, **ALL | {"weighting": "universes"})["holds"] == pytest.approx(3 / 5)
    assert the(rows, **ALL | {"choice": "rate", "level": "b"})["holds"] == pytest.approx(1 / 2)
    last = the(rows, **ALL | {"choice": "rate", "level": "c"})
    assert (last["universes"], last["undefined"], last["reversed"]) == (2, 1, 1)
    nothing = the(rows, **ALL | {"encoder": "cnn", "choice": "rate", "level": "c"})
    assert nothing["undefined"] == nothing["universes"] == 1
    assert np.isnan(nothing["holds"])
    assert np.isnan(nothing["difference"])


def test_a_level_that_fills_two_slots_does_not_count_twice() -> None:
    # Two levels in three slots, in a design of three choices that does not have all settings.
    slots = factorial(3, 3)
    levels = np.column_stack([np.minimum(slots[:, 0], 1), slots[:, 1], slots.sum(axis=1) % 3])
    values = np.where(levels[:, :1] == 1, 0.5, -0.5) * np.ones((1, 2))
    choices = {"a": ("x", "y"), "b": ("1", "2", "3"), "c": ("1", "2", "3")}
    rows = asked(study(cell({TAU: values}, levels=levels), choices=choices))
    assert the(rows, **ALL)["holds"] == pytest.approx(1 / 2)
    assert the(rows, **ALL | {"weighting": "universes"})["holds"] == pytest.approx(2 / 3)


def test_weights_are_even_for_every_choice_and_a_nested_one_where_it_exists() -> None:
    rng = np.random.default_rng(0)
    levels = factorial(2, 3, 3)
    levels = levels[np.sort(rng.choice(len(levels), 14, replace=False))]
    levels[levels[:, 0] == 0, 1] = -1
    runs = RunSet(
        {"vectors": ("none", "glove"), "length": ("1", "3", "5"), "rate": ("a", "b", "c")},
        (),
        {"length": ("vectors", ("glove",))},
    )
    weights = option_weights(runs, levels)
    assert weights.sum() == pytest.approx(1)
    for number, count in ((0, 2), (2, 3)):
        totals = np.bincount(levels[:, number], weights=weights)
        assert totals == pytest.approx(np.full(count, 1 / count))
    there = levels[:, 0] == 1
    assert np.bincount(levels[there, 1], weights=weights[there]) == pytest.approx(np.full(3, 1 / 6))


def test_universes_below_the_accuracy_are_shown_and_left_out_beside() -> None:
    accuracy = np.array([[0.9, 0.9], [0.4, 0.4], [0.9, 0.9]])
    values = np.tile(np.array([[0.2], [-0.2], [0.3]]), 2)
    runs = study(cell({TAU: values, "development_accuracy": accuracy}))
    rows = asked(runs, least_accuracy=0.6)
    assert the(rows, **ALL)["holds"] == pytest.approx(2 / 3)
    kept = the(rows, **ALL | {"kept": "accurate"})
    assert (kept["holds"], kept["universes"]) == (1, 2)
    assert not any(row["kept"] == "accurate" for row in asked(runs, least_accuracy=0.3))


@pytest.mark.parametrize("over_seeds", [0.05, 0.2])
def test_intervals_of_shares_and_means_hold_what_they_are_about(over_seeds: float) -> None:
    rng = np.random.default_rng(5)
    truth = np.linspace(-0.25, 0.25, 27)
    shares, bounds, means, tests = [], [], [], []
    for _ in range(150):
        values, draws = blurred(truth, rng, texts=150, draws=150, over_seeds=over_seeds)
        runs = study(cell({TAU: values}, {TAU: draws}, levels=factorial(3, 3, 3)), choices=CHOICES)
        row = share_rows(runs, {"q": paired(runs, ABOVE_ZERO)}, replicates=200)[0]
        names = ("holds", "undecided", "reversed")
        shares.append([row[name] for name in names])
        bounds.append([(row[f"{name}_low"], row[f"{name}_high"]) for name in names])
        means.append(row["low"] <= 0 <= row["high"])
        tests.append(row["p"] <= 0.05)
        assert (row["p"] <= 0.05) != means[-1]
    expected = np.mean(shares, axis=0)
    low, high = np.moveaxis(np.array(bounds), 2, 0)
    held = ((low <= expected) & (expected <= high)).mean(axis=0)
    assert (held > 0.88).all(), held
    assert np.mean(means) == pytest.approx(0.95, abs=0.055)
    assert np.mean(tests) == pytest.approx(0.05, abs=0.055)


def test_texts_that_all_universes_share_are_not_taken_for_many() -> None:
    rng = np.random.default_rng(3)
    # Only texts blur, and all universes alike: the mean over 50 of them is no surer than one.
    values, draws = blurred(np.zeros(50), rng, over_seeds=0.0, over_texts=1.0, both=0.01, texts=100)
    runs = study(cell({TAU: values}, {TAU: draws}))
    (one,) = paired(runs, ABOVE_ZERO)
    row = the(asked(runs), **ALL)
    width = (one.bounds.high - one.bounds.low).mean()
    assert row["high"] - row["low"] == pytest.approx(width, rel=0.05)


def test_one_seed_gives_shares_and_no_test() -> None:
    values, draws = blurred(np.array([0.5, -0.5]), np.random.default_rng(0), seeds=1)
    row = the(asked(study(cell({TAU: values}, {TAU: draws}))), **ALL)
    assert (row["holds"], row["reversed"], row["seeds"]) == (0.5, 0.5, 1)
    assert np.isnan(row["p"])
    assert np.isnan(row["p_holm"])


def test_holm_is_over_conclusions() -> None:
    rng = np.random.default_rng(0)
    values = {TAU: rng.normal(0.03, 0.1, (20, 2)), OTHER: rng.normal(0.5, 0.1, (20, 2))}
    runs = study(cell(values))
    asks = {
        "first": paired(runs, ABOVE_ZERO),
        "second": paired(runs, Conclusion("", Number((OTHER,)), 0.0)),
        "none": (),
    }
    rows = share_rows(runs, asks, replicates=50)
    first, second = (the(rows, **ALL | {"conclusion": name}) for name in ("first", "second"))
    assert second["p_holm"] == pytest.approx(2 * second["p"])
    assert first["p_holm"] == pytest.approx(min(max(first["p"], 2 * second["p"]), 1))
    assert all(np.isnan(row["p"]) for row in rows if row["choice"] or row["encoder"] != "all")
    assert not any(row["conclusion"] == "none" for row in rows)


def closed_test(p: np.ndarray) -> np.ndarray:
    """Holm's p-values by their definition: every set of hypotheses is tested by Bonferroni.

    A hypothesis is rejected at a level if every set that has it is (Marcus, Peritz & Gabriel 1976).
    """
    sets = [[i for i in range(len(p)) if number >> i & 1] for number in range(1, 2 ** len(p))]
    return np.array(
        [
            min(max(len(some) * min(p[j] for j in some) for some in sets if i in some), 1.0)
            for i in range(len(p))
        ]
    )


def test_holm_is_the_closed_test_of_bonferroni() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        p = rng.choice([rng.uniform(0, 0.2, 6), rng.uniform(0, 1, 6)])
        assert holm(p) == pytest.approx(closed_test(p))
    for order in permutations([0.01, 0.04, 0.03]):
        by_hand = {0.01: 0.03, 0.03: 0.06, 0.04: 0.06}
        assert holm(np.array(order)).tolist() == pytest.approx([by_hand[p] for p in order])
    assert holm(np.array([0.5, np.nan, 0.01])).tolist() == pytest.approx(
        [0.5, np.nan, 0.02], nan_ok=True
    )
    assert holm(np.array([])).size == 0
