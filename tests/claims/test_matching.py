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
    about = {"quantity": "kendall_tau(attention, gradient)", "class_": "overall"}
    (claim,) = published(**ABOUT, **about, paper="jain_wallace_2019")
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


def test_a_softmax_that_forgets_the_padding_is_one_to_the_papers() -> None:
    assert beside(agreement(projection="softmax_over_padding")) == beside(agreement()) != []


def test_performance_has_claims_too() -> None:
    row = ABOUT | {"seed": "0", "accuracy": 0.81, "low": 0.79, "high": 0.83, "f1": 0.8, "roc_auc": 0.9}
    rows = beside({"tables/performance": pl.DataFrame([row])})
    found = {r["quantity"]: r for r in rows if r["paper"] == "Jain & Wallace 2019"}
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


def test_permutations_have_claims_by_bin_and_class_and_adversaries_over_all_texts() -> None:
    row = ABOUT | {"seed": "0", "highest_weight": "0.25–0.5", "class": "negative"}
    row |= {"mean": 0.2, "low": 0.1, "high": 0.3, "q50": 0.15}
    adversary = ABOUT | {"seed": "0", "method": "search", "epsilon": 0.01}
    adversary |= {"mean": 0.5, "low": 0.4, "high": 0.6}
    exact = adversary | {"method": "exact"}
    permuted, searched = beside(
        {
            "tables/permutation": pl.DataFrame([row, row | {"highest_weight": "any"}]),
            "tables/adversarial": pl.DataFrame([adversary, exact]),
        }
    )
    (claim,) = published(**ABOUT, quantity="median_output_change[0.25-0.5] median", class_="negative")
    assert (permuted["claim"], permuted["ours"], permuted["inside"]) == (claim.claim, 0.15, None)
    (claim,) = published(**ABOUT, quantity="jsd_max(search)", class_="overall")
    assert (searched["claim"], searched["ours"]) == (claim.claim, 0.5)


def test_a_number_that_stands_in_two_tables_is_compared_once() -> None:
    tables = agreement(measure_b="gradient_norm")
    once = beside(tables)
    assert beside(tables | {"tables/contextualisation": tables["tables/agreement"]}) == once != []
