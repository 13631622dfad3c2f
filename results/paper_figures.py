"""Figures of a paper's page: ours against the published numbers, and differences between two of ours."""

from typing import Any

import altair as alt

from attex.analyses.quantity import OVERALL
from attex.charts.style import GREY, PALETTE, finish
from attex.claims.ledger import Claim
from results.lambdas import NAME as OF_LAMBDA
from results.paper_numbers import PaperNumbers
from results.study_numbers import CELL

TAU, TOP_K = "kendall_tau", "top_k_published"
SHORT = {TAU: "τ", TOP_K: "top-k", "(k=average_length)": " avg. ", "(k=non_zero)": " non-zero "}
OTHER = "vectors of length 1"
"""The setting drawn hollow beside the published one."""


def against_published(paper: PaperNumbers) -> dict[str, Any]:
    """Draw our agreement against the published one, with the range over seeds.

    Over all texts, or by class where the paper has no other. One panel a statistic and pair of
    measures. Hollow points are the same models with shorter vectors.
    """
    claims = [one.claim for one in paper.judged if _is_agreement(one.claim)]
    claims = [claim for claim in claims if claim.class_ == OVERALL] or claims
    varies = [at for at in range(1, len(CELL)) if len({claim.cell[at] for claim in claims}) > 1]
    rows: list[dict[str, Any]] = []
    for claim in claims:
        ours = paper.seeds(claim.cell, claim.quantity, class_=claim.class_)
        hollow = paper.seeds(claim.cell, claim.quantity, OTHER, claim.class_)
        rows.append(
            {
                "pair": claim.quantity,
                "model": " ".join(claim.cell),
                "kind": " ".join(claim.cell[at] for at in varies),
                "published": claim.mean,
                "ours": ours.mean,
                "low": ours.least,
                "high": ours.most,
                "hollow": hollow.mean if hollow else None,
            }
        )
    kinds = sorted({row["kind"] for row in rows})
    scale = alt.Scale(domain=[-0.2, 1.0], clamp=True)
    base = alt.Chart().encode(
        x=alt.X("published:Q", scale=scale, title="published"),
        color=alt.Color("kind:N", title=None, sort=kinds, scale=alt.Scale(range=PALETTE)),
    )
    diagonal = alt.Chart(alt.InlineData([{}])).mark_rule(color=GREY, strokeDash=[4, 3])
    layers = [
        diagonal.encode(x=alt.value(0), y=alt.value(220), x2=alt.value(220), y2=alt.value(0)),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            y=alt.Y("ours:Q", scale=scale, title="here")
        ),
        base.mark_point(filled=False, size=45, opacity=0.7).encode(y=alt.Y("hollow:Q", scale=scale)),
    ]
    panels = [
        alt.layer(*layers, data=alt.InlineData([row for row in rows if row["pair"] == pair])).properties(
            width=220, height=220, title=_title(pair)
        )
        for pair in dict.fromkeys(row["pair"] for row in rows)
    ]
    return finish(alt.concat(*panels, columns=3 if len(panels) % 3 == 0 else 2))


def _is_agreement(claim: Claim) -> bool:
    return claim.quantity.startswith((TAU, TOP_K)) and claim.quantity != OF_LAMBDA


def _title(quantity: str) -> str:
    """Write a statistic as a person does."""
    for name, short in SHORT.items():
        quantity = quantity.replace(name, short)
    return quantity


PAIRED = {
    "τ(gradient, leave-one-out) − τ(attention, leave-one-out)": (
        f"{TAU}(gradient, leave_one_out)",
        f"{TAU}(attention, leave_one_out)",
    ),
    "τ(gradient, leave-one-out) − τ(attention, gradient)": (
        f"{TAU}(gradient, leave_one_out)",
        f"{TAU}(attention, gradient)",
    ),
}


def differences(paper: PaperNumbers) -> dict[str, Any]:
    """Draw differences of two τ of the same model, a point a seed, one panel a difference."""
    panels = []
    for title, (more, less) in PAIRED.items():
        rows: list[dict[str, Any]] = [
            {"model": " ".join(cell[:3]), "difference": a - b, "kind": f"{cell[1]} {cell[2]}"}
            for cell in paper.cells
            for a, b in zip(paper.seeds(cell, more).values, paper.seeds(cell, less).values, strict=True)
        ]
        zero = alt.Chart(alt.InlineData([{"x": 0}])).mark_rule(color=GREY).encode(x="x:Q")
        points = alt.Chart(alt.InlineData(rows)).mark_point(filled=True, size=40, opacity=0.8)
        kinds = sorted({row["kind"] for row in rows})
        drawn = points.encode(
            x=alt.X("difference:Q", title="difference of τ, each seed"),
            y=alt.Y("model:N", title=None, sort=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color("kind:N", title=None, sort=kinds, scale=alt.Scale(range=PALETTE)),
        )
        panels.append(alt.layer(zero, drawn).properties(width=280, title=title))
    return finish(alt.hconcat(*panels))
