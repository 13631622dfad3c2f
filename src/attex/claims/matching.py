"""Measured numbers beside the published ones that are about the same thing."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attex.analyses.summary import ALL_SEEDS
from attex.analyses.views import View
from attex.claims.ledger import PAPERS, Claim, published

if TYPE_CHECKING:
    import polars as pl

_METRICS = {"accuracy": "accuracy", "roc_auc": "roc_auc", "f1_macro": "f1"}
"""What the ledger and the performance table call the same."""


PUBLISHED = View(("location", "quantity", "pair", "class"), ("published", "ours", "low", "high"))
"""What a person reads of the table of published numbers."""


def beside(tables: "Mapping[str, pl.DataFrame]") -> list[dict[str, Any]]:
    """Return a row for every claim that these tables of one experiment have a number for.

    A claim matches by dataset, encoder, attention and projection, by statistic, k and measures
    (whatever their options) and by class; of several seeds the row over all is taken. `inside`
    says whether the published mean lies in our interval, where there is one.
    """
    rows = []
    for ours, claim, name in _matches(tables):
        mean, low, high, inside = ours[name], None, None, None
        # The interval of a table is that of its main column.
        if name in ("mean", "accuracy") and ours["low"] == ours["low"]:
            low, high = float(ours["low"]), float(ours["high"])
            inside = low <= claim.mean <= high
        rows.append(
            {
                "claim": claim.claim,
                "paper": PAPERS[claim.paper],
                "location": claim.location,
                "quantity": f"{claim.quantity}({claim.k})" if claim.k else claim.quantity,
                "measure_a": claim.measure_a,
                "measure_b": claim.measure_b,
                "class": claim.class_,
                "published": claim.mean,
                "ours": mean,
                "low": low,
                "high": high,
                "difference": mean - claim.mean,
                "inside": inside,
            }
        )
    return rows


def _matches(tables: "Mapping[str, pl.DataFrame]") -> Iterator[tuple[dict[str, Any], Claim, str]]:
    """Yield our row, the claim, and which of our columns it is about."""
    for row in _pooled(tables, "tables/performance"):
        for claim in _about(row):
            if claim.quantity in _METRICS:
                yield row, claim, _METRICS[claim.quantity]
    both = [[*_agreements(tables, name)] for name in ("tables/agreement", "tables/contextualisation")]
    known = {claim for _, claim in both[0]}
    for row, claim in [*both[0], *((row, claim) for row, claim in both[1] if claim not in known)]:
        yield row, claim, "mean"
    for row in _pooled(tables, "tables/dispersion"):
        for claim in _about(row):
            if claim.quantity == "dispersion" and claim.measure_a == row["of"]:
                yield row, claim, "mean"


def _agreements(
    tables: "Mapping[str, pl.DataFrame]", name: str
) -> Iterator[tuple[dict[str, Any], Claim]]:
    for row in _pooled(tables, name):
        measures = {row[key].partition("(")[0] for key in ("measure_a", "measure_b")}
        for claim in _about(row):
            same = row["statistic"].partition("(")[0] == claim.quantity and row["k"] == claim.k
            if same and measures == {claim.measure_a, claim.measure_b} and row["class"] == claim.class_:
                yield row, claim


def _about(row: dict[str, Any]) -> list[Claim]:
    return published(**{key: row[key] for key in ("dataset", "encoder", "attention", "projection")})


def _pooled(tables: "Mapping[str, pl.DataFrame]", name: str) -> list[dict[str, Any]]:
    if name not in tables:
        return []
    rows = tables[name].to_dicts()
    several = any(row["seed"] == ALL_SEEDS for row in rows)
    return [row for row in rows if not several or row["seed"] == ALL_SEEDS]
