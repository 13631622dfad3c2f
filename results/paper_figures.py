"""Figures of a paper's page: ours against the published numbers, and differences between two of ours."""

from typing import Any

import altair as alt

from attex.charts.style import GREY, PALETTE, finish
from results.paper_numbers import PaperNumbers

TAU = "kendall_tau"
OTHER = "vectors of length 1"
"""The setting drawn hollow beside the published one."""


def against_published(paper: PaperNumbers) -> dict[str, Any]:
    """Draw our τ over all texts against the published one, with the range over seeds.

    One panel a pair of measures. Hollow points are the same models with shorter vectors.
    """
    rows: list[dict[str, Any]] = []
    for one in paper.judged:
        claim = one.claim
        if claim.class_ != "overall" or not claim.quantity.startswith(TAU):
            continue
        ours = paper.seeds(claim.cell, claim.quantity)
        hollow = paper.seeds(claim.cell, claim.quantity, OTHER)
        rows.append(
            {
                "pair": claim.quantity.removeprefix(TAU).strip("()"),
                "model": " ".join(claim.cell),
                "kind": f"{claim.encoder} {claim.attention}",
                "published": claim.mean,
                "ours": ours.mean,
                "low": min(ours.values),
                "high": max(ours.values),
                "hollow": hollow.mean if hollow.values else None,
            }
        )
    kinds = sorted({row["kind"] for row in rows})
    scale = alt.Scale(domain=[-0.2, 1.0], clamp=True)
    base = alt.Chart().encode(
        x=alt.X("published:Q", scale=scale, title="published τ"),
        color=alt.Color("kind:N", title=None, sort=kinds, scale=alt.Scale(range=PALETTE)),
    )
    diagonal = alt.Chart(alt.InlineData([{}])).mark_rule(color=GREY, strokeDash=[4, 3])
    layers = [
        diagonal.encode(x=alt.value(0), y=alt.value(220), x2=alt.value(220), y2=alt.value(0)),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            y=alt.Y("ours:Q", scale=scale, title="τ here")
        ),
        base.mark_point(filled=False, size=45, opacity=0.7).encode(y=alt.Y("hollow:Q", scale=scale)),
    ]
    panels = [
        alt.layer(*layers, data=alt.InlineData([row for row in rows if row["pair"] == pair])).properties(
            width=220, height=220, title=f"τ({pair})"
        )
        for pair in dict.fromkeys(row["pair"] for row in rows)
    ]
    return finish(alt.hconcat(*panels))


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
