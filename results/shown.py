"""Which numbers of a study are kept in the repository: what was published, and what a page shows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attex.analyses.agreement import BEYOND, CALIBRATED
from attex.analyses.analysis import PERMUTED, UNTRAINED
from attex.analyses.faithfulness import COMPREHENSIVENESS, RANDOM, SUFFICIENCY
from attex.analyses.quantity import OVERALL
from attex.claims.ledger import Claim
from attex.claims.quantities import key_of
from results.pairs import (
    ATTENTION,
    OF_TRANSFORMER,
    ROLLOUT,
    STATISTICS,
    among_methods,
    with_attention,
)

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
    "neely_2022": (
        *(f"{name}{CALIBRATED}" for name in with_attention()),
        *(
            name
            for s in STATISTICS
            for name in (*with_attention(statistic=s), *among_methods(statistic=s))
        ),
        *with_attention((*OF_TRANSFORMER, ATTENTION), ROLLOUT),
    ),
}
"""What the page of a paper shows that no paper has published, over all texts."""


def kept(
    rows: Iterable[Mapping[str, Any]], claims: Sequence[Claim], paper: str
) -> list[Mapping[str, Any]]:
    """Keep the numbers that some paper has published, and over all texts those that a page shows.

    Those of single classes are kept where some paper tells these classes apart, and what is undefined
    where some paper has a number.
    """
    keys, shown = {claim.key for claim in claims}, {key_of(name) for name in SHOWN.get(paper, ())}
    parted = {(claim.dataset, claim.class_) for claim in claims}
    known = {(claim.dataset, claim.key) for claim in claims}

    def is_kept(row: Mapping[str, Any]) -> bool:
        key, data = key_of(row["quantity"]), row["dataset"]
        if row["class"] != OVERALL and (data, row["class"]) not in parted:
            return False
        if math.isnan(row["value"]) and (data, key) not in known:
            return False
        return key in keys or (key in shown and row["class"] == OVERALL)

    return [row for row in rows if is_kept(row)]
