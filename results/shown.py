"""Which numbers of a study are kept in the repository: what was published, and what a page shows."""

from collections.abc import Iterable, Mapping
from typing import Any

from attex.analyses.agreement import BEYOND, CALIBRATED
from attex.analyses.analysis import PERMUTED, UNTRAINED
from attex.analyses.faithfulness import COMPREHENSIVENESS, RANDOM, SUFFICIENCY
from attex.analyses.quantity import OVERALL
from attex.claims.quantities import key_of

_TOP_K = tuple(
    f"{statistic}(k={depth})"
    for statistic in ("top_k_published", "top_k")
    for depth in ("average_length", "non_zero")
)
_STATES = tuple(f"{measure}[hidden]" for measure in ("gradient_norm", "leave_one_out"))


def _agreement(
    statistics: Iterable[str], measures: Iterable[str], endings: Iterable[str]
) -> Iterable[str]:
    return (f"{s}(attention, {m}){e}" for s in statistics for m in measures for e in endings)


SHOWN: Mapping[str, Iterable[str]] = {
    "jain_wallace_2019": ("median_output_change", "jsd_max(exact, 0.01)"),
    "neely_schouten_2020": (
        *_agreement(("kendall_tau", *_TOP_K), ("gradient", "leave_one_out"), ("", CALIBRATED)),
        *_agreement(("top_k(k=non_zero)",), ("gradient", "leave_one_out"), (f" {PERMUTED}", BEYOND)),
    ),
    "meister_2021": (
        *_agreement(
            ("kendall_tau",),
            ("gradient_norm", "leave_one_out", *_STATES),
            (CALIBRATED, BEYOND, f" {PERMUTED}", f" {UNTRAINED}"),
        ),
        *(f"entropy({measure})" for measure in ("attention", "gradient_norm", "leave_one_out")),
        "own_share",
        *(f"{k}({m})" for k in (COMPREHENSIVENESS, SUFFICIENCY) for m in ("attention", RANDOM)),
    ),
}
"""What the page of a paper shows that no paper has published, over all texts."""


def kept(
    rows: Iterable[Mapping[str, Any]], published: Iterable[str], paper: str
) -> list[Mapping[str, Any]]:
    """Keep the numbers that some paper has published, and over all texts those that a page shows."""
    keys, shown = set(published), {key_of(name) for name in SHOWN.get(paper, ())}
    return [
        row
        for row in rows
        if (key := key_of(row["quantity"])) in keys or (key in shown and row["class"] == OVERALL)
    ]
