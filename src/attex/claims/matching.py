"""Measured numbers beside the published ones that are about the same thing."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attex.analyses.headline import ALL_SEEDS
from attex.analyses.views import View
from attex.claims.ledger import PAPERS, Claim, about
from attex.claims.run_tables import Interval, numbers_in

if TYPE_CHECKING:
    import polars as pl

PUBLISHED = View(("location", "quantity", "class"), ("published", "ours", "low", "high"))
"""What a person reads of the table of published numbers."""


def beside(tables: "Mapping[str, pl.DataFrame]") -> list[dict[str, Any]]:
    """Return a row for every claim that these tables of one experiment have a number for.

    A claim matches by dataset, encoder, attention and projection, by quantity (whatever the options of
    its measures) and by class; of several seeds the row over all is taken. `inside` says whether the
    published mean lies in our interval, where there is one.
    """
    plain = {name.removeprefix("tables/"): _pooled(table.to_dicts()) for name, table in tables.items()}
    return [
        _row(claim, number.value, interval)
        for number, interval in numbers_in(plain)
        for claim in about(number.cell, number.quantity, number.class_)
    ]


def _row(claim: Claim, ours: float, interval: Interval) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {
        "claim": claim.claim,
        "paper": PAPERS[claim.paper],
        "location": claim.location,
        "quantity": claim.quantity,
        "class": claim.class_,
        "published": claim.mean,
        "ours": ours,
        "low": low,
        "high": high,
        "difference": ours - claim.mean,
        "inside": None if low is None or high is None else low <= claim.mean <= high,
    }


def _pooled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    several = any(row.get("seed") == ALL_SEEDS for row in rows)
    return [row for row in rows if not several or row["seed"] == ALL_SEEDS]
