"""Ours beside the published: what matches, and what does not."""

from typing import Any

import polars as pl
import pytest

from attex.claims.ledger import published
from attex.claims.matching import beside

ABOUT = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}


def agreement(**changes: Any) -> dict[str, pl.DataFrame]:
    row = ABOUT | {"statistic": "kendall_tau", "k": "", "measure_a": "attention"}
    row |= {"measure_b": "gradient(target=gold_loss)", "seed": "all", "class": "overall"}
    row |= {"mean": 0.30, "low": 0.2, "high": 0.4} | changes
    return {"tables/agreement": pl.DataFrame([row, row | {"seed": "0", "mean": 0.9}])}


def test_a_number_stands_beside_the_claim_about_the_same() -> None:
    (row,) = beside(agreement())
    about = {"measure_a": "attention", "measure_b": "gradient", "class_": "overall"}
    (claim,) = published(**ABOUT, **about, paper="jain_wallace_2019", quantity="kendall_tau")
    assert row["claim"] == claim.claim
    assert row["published"] == claim.mean == 0.3512
    assert row["ours"] == 0.30, "the row over all seeds"
    assert row["difference"] == pytest.approx(0.30 - 0.3512)
    assert row["inside"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "planted"},
        {"encoder": "gru"},
        {"projection": "sparsegen(lam=0.5)"},
        {"class": "neutral"},
        {"measure_b": "attention_norm"},
        {"statistic": "spearman"},
    ],
)
def test_what_is_about_something_else_has_no_claim(change: dict[str, str]) -> None:
    assert beside(agreement(**change)) == []


def test_two_papers_can_claim_the_same_and_k_matters() -> None:
    papers = [row["paper"] for row in beside(agreement(**{"class": "positive"}))]
    assert papers == ["Jain & Wallace 2019", "Neely & Schouten 2020"]
    (row,) = beside(
        agreement(
            **{"class": "positive"},
            projection="sparsemax",
            statistic="top_k_published(k=non_zero)",
            k="non_zero",
        )
    )
    assert row["published"] == 0.824
    assert row["inside"] is False


def test_performance_has_claims_too() -> None:
    row = ABOUT | {"seed": "0", "accuracy": 0.81, "low": 0.79, "high": 0.83, "f1": 0.8, "roc_auc": 0.9}
    found = {r["quantity"]: r for r in beside({"tables/performance": pl.DataFrame([row])})}
    assert set(found) == {"accuracy", "roc_auc", "f1_macro"}
    assert found["accuracy"]["inside"] is True
    assert found["roc_auc"]["inside"] is None, "its interval is not known"


def test_contextualisation_and_dispersion_have_claims() -> None:
    hidden = {"measure_b": "gradient_norm[hidden]", "mean": 0.9}
    tables = {"tables/contextualisation": agreement(**hidden)["tables/agreement"]}
    states = ABOUT | {"of": "influence on states", "seed": "0", "mean": 0.9, "low": 0.89, "high": 0.94}
    tables["tables/dispersion"] = pl.DataFrame([states])
    rows = beside(tables)
    assert [(row["location"], row["published"]) for row in rows] == [("Table 6", 0.8), ("Table 1", 0.93)]
    assert [row["inside"] for row in rows] == [False, True]


def test_a_number_that_stands_in_two_tables_is_compared_once() -> None:
    tables = agreement(measure_b="gradient_norm")
    once = beside(tables)
    assert beside(tables | {"tables/contextualisation": tables["tables/agreement"]}) == once != []
