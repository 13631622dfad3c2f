"""Tables and sentences of a run's page, from tables whose numbers are known."""

from typing import Any

import polars as pl
import pytest

from attex.analyses.agreement import AgreementAnalysis
from attex.analyses.analysis import Headline, Result
from attex.analyses.performance import PerformanceAnalysis
from attex.analyses.permutation import PermutationAnalysis
from attex.report.run_tables import misleads, shown_tables
from attex.report.verdict import near_chance, verdict


def row(statistic: str, pair: tuple[str, str], seed: str, class_: str, **more: Any) -> dict[str, Any]:
    values = {"n": 10, "undefined": 0, "mean": 0.2, "low": 0.1, "high": 0.3, "null": 0.1, "ceiling": 0.9}
    values |= {"calibrated": 0.125, "calibrated_low": 0.0, "calibrated_high": 0.25, "uncalibrated": 0}
    about = {"experiment": "x", "statistic": statistic, "measure_a": pair[0], "measure_b": pair[1]}
    controls = {"untrained": float("nan"), "permuted": 0.132}
    return about | {"seed": seed, "class": class_} | values | controls | more


def table(*statistics: str) -> pl.DataFrame:
    pairs = (("attention", "gradient"), ("attention", "leave_one_out"))
    return pl.DataFrame(
        [
            row(statistic, pair, seed, class_)
            for statistic in statistics
            for pair in pairs
            for seed in ("0", "1", "all")
            for class_ in ("neg", "pos", "overall")
        ]
    )


def performance(value: float, low: float, chance: float = 0.5) -> tuple[PerformanceAnalysis, Result]:
    line = Headline("How often is the model right?", "accuracy", value, low, 1.0, chance)
    return PerformanceAnalysis(), Result({}, {}, [line])


def test_the_calibrated_number_comes_first_and_intervals_stand_in_its_cell() -> None:
    (shown,) = shown_tables(AgreementAnalysis(), {"tables/agreement": table("kendall_tau")})
    (grid,) = shown.first
    heads = ["pair", "calibrated", "mean", "chance", "ceiling", "permuted attention"]
    assert list(grid.heads) == heads
    assert [cell.text for cell in grid.rows[1]] == [
        "attention ~ leave_one_out",
        "0.125",
        "0.200",
        "0.100",
        "0.900",
        "0.132",
    ]
    assert [cell.interval for cell in grid.rows[1]] == [
        "",
        "[0.000, 0.250]",
        "[0.100, 0.300]",
        "",
        "",
        "",
    ]
    (fold,) = shown.more
    by_class, by_seed = fold.grids
    assert list(by_class.heads) == ["pair", "class neg", "class pos"]
    assert list(by_seed.heads) == ["pair", "seed 0", "seed 1"]
    assert shown.file == "tables/agreement.csv"


def test_a_statistic_that_misleads_is_marked_and_ranked_beside_no_other() -> None:
    both = table("top_k_published(k=5)", "top_k(k=5)")
    (shown,) = shown_tables(AgreementAnalysis(), {"tables/agreement": both})
    assert [grid.heading for grid in shown.first] == ["top_k(k=5)"]
    assert [grid.warning for grid in shown.first] == [""]
    apart = shown.more[-1]
    assert [grid.heading for grid in apart.grids] == ["top_k_published(k=5)"]
    assert "misleads" in apart.grids[0].warning
    assert misleads("top_k_published(k=5)")
    assert not misleads("kendall_tau")
    assert not misleads("a statistic of nobody")


def test_the_verdict_says_the_numbers_in_words() -> None:
    found = [
        performance(0.9, 0.85),
        (AgreementAnalysis(), Result({"tables/agreement": table("kendall_tau")})),
    ]
    first, second = verdict(found)
    assert first == (
        "The model decides 90 % [85 %, 100 %] of the test texts as they are labelled; always taking the "
        "commonest class would decide 50 % so."
    )
    assert second == (
        "In ranking words attention goes 12 % [0 %, 25 %] of the way from chance to what could be "
        "reached, by agreement with leave_one_out (kendall_tau); the same weights on other words go 4 %."
    )


def test_the_verdict_is_not_made_of_a_statistic_that_misleads() -> None:
    found = (AgreementAnalysis(), Result({"tables/agreement": table("top_k_published(k=5)")}))
    assert len(verdict([performance(0.9, 0.85), found])) == 1


@pytest.mark.parametrize(
    ("value", "low", "warned"),
    [(0.9, 0.85, False), (0.54, 0.51, True), (0.7, 0.45, True), (0.4, 0.3, True)],
)
def test_a_model_near_chance_is_warned_of(value: float, low: float, warned: bool) -> None:
    assert bool(near_chance([performance(value, low)])) == warned


def test_what_is_undefined_throughout_is_told_once() -> None:
    nan = float("nan")
    rows = [
        {"experiment": "x", "seed": "all", "highest_weight": bin_, "class": class_, "n": n}
        | {"undefined": 0, "mean": mean, "low": mean, "high": mean}
        for bin_, n, mean in (("0–0.5", 9, 0.25), ("0.5–1", 0, nan), ("any", 9, 0.25))
        for class_ in ("a", "b", "overall")
    ]
    table = pl.DataFrame([row | ({"mean": nan} if row["class"] == "b" else {}) for row in rows])
    (shown,) = shown_tables(PermutationAnalysis(), {"tables/permutation": table})
    (grid,) = shown.first
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["0–0.5", "0.250", "9"],
        ["any", "0.250", "9"],
    ]
    assert grid.remark == "Undefined in 0.5–1."
    by_class = shown.more[0].grids[0]
    assert list(by_class.heads) == ["highest weight", "class a"]
    assert by_class.remark == "Mean. Undefined in 0.5–1. Undefined throughout: class b."

    scores = [{"seed": seed, "n": 9, "accuracy": 0.5, "low": 0.4, "high": 0.6} for seed in "01"]
    of_many = pl.DataFrame([score | {"f1": 0.5, "roc_auc": nan} for score in scores])
    (shown,) = shown_tables(PerformanceAnalysis(), {"tables/performance": of_many})
    assert list(shown.first[0].heads) == ["seed", "texts", "accuracy", "F1"]
    assert shown.first[0].remark == "Undefined throughout: ROC-AUC."
