"""The figures of the sparsity sweep."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from attex.charts.density import density_chart, density_rows
from attex.charts.style import GREY, PALETTE, finish
from results.meister_2021.sweep import IMPORTANCES, Sweep, places

INPUTS = IMPORTANCES[:2]
NAMES = {"gradient_norm": "gradient", "leave_one_out": "leave-one-out"}
AXES = {"λ": "sparsegen λ: sparser to the right", "α": "entmax α: sparser to the right"}


def _points(rows: Sequence[dict[str, Any]], axis: str) -> list[dict[str, Any]]:
    """Put the rows of a table on an axis, in the order of their places."""
    found = [
        row | {"place": place, "of": f"{row['dataset']}, {row['encoder']}"}
        for row in rows
        if (place := places(row["projection"]).get(axis)) is not None
    ]
    return sorted(found, key=lambda row: row["place"])


def _ticks(points: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{place:g}" for place in sorted({point["place"] for point in points})]


def _lines(
    points: Sequence[dict[str, Any]],
    x: alt.X,
    y: str,
    low: str,
    high: str,
    title: str,
    colour: alt.Color,
) -> alt.LayerChart:
    """Draw lines with bands over the places."""
    some = [
        {"place": f"{p['place']:g}", "line": p["line"], "y": p[y], "low": p[low], "high": p[high]}
        for p in points
    ]
    base = alt.Chart(alt.InlineData(some)).encode(x=x, color=colour)
    vertical = alt.Y("y:Q", title=title)
    return alt.layer(
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(point=True, strokeWidth=2).encode(y=vertical),
    )


def _control(points: Sequence[dict[str, Any]], x: alt.X, colour: alt.Color) -> alt.Chart:
    """Draw what permuted attention gives, dotted."""
    some = [{"place": f"{p['place']:g}", "line": p["line"], "y": p["permuted"]} for p in points]
    base = alt.Chart(alt.InlineData(some)).mark_line(strokeDash=[1, 3], strokeWidth=2)
    return base.encode(x=x, y=alt.Y("y:Q"), color=colour)


def by_sparsity(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figure 3: τ of attention with inputs against λ and α, a panel a model.

    The ceiling is dashed; dotted is what permuted attention gives.
    """
    panels = []
    for axis, title in AXES.items():
        points = [p for p in _points(rows, axis) if p["measure"] in INPUTS]
        row = []
        for of in dict.fromkeys(point["of"] for point in points):
            some = [p | {"line": NAMES[p["measure"]]} for p in points if p["of"] == of]
            x = alt.X("place:O", sort=_ticks(some), title=title, axis=alt.Axis(labelAngle=0))
            colour = alt.Color(
                "line:N", title=None, scale=alt.Scale(domain=[*NAMES.values()], range=PALETTE[:2])
            )
            ceiling = [
                {"place": f"{p['place']:g}", "ceiling": p["ceiling"]}
                for p in some
                if p["measure"] == INPUTS[0]
            ]
            limit = alt.Chart(alt.InlineData(ceiling)).mark_line(color=GREY, strokeDash=[4, 3])
            chart = alt.layer(
                _lines(some, x, "mean", "low", "high", "τ with attention", colour),
                limit.encode(x=x, y=alt.Y("ceiling:Q")),
                _control(some, x, colour),
            )
            row.append(chart.properties(width=230, height=170, title=of))
        if row:
            panels.append(alt.concat(*row, columns=3))
    return finish(alt.vconcat(*panels))


def answer(
    agreements: Sequence[dict[str, Any]], faithfulness: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Against λ: agreement as measured, of what could be reached, and faithfulness gained."""
    tau = [p for p in _points(agreements, "λ") if p["measure"] == "leave_one_out"]
    gain = [
        p
        for p in _points(faithfulness, "λ")
        if (p["measure"], p["quantity"]) == ("attention", "comprehensiveness")
    ]
    lines = list(dict.fromkeys(point["of"] for point in [*tau, *gain]))
    colour = alt.Color(
        "line:N", title=None, scale=alt.Scale(domain=lines, range=PALETTE), legend=alt.Legend(columns=3)
    )
    panels = []
    for points, keys, title, axis in (
        (tau, ("mean", "low", "high"), "As measured", "τ(attention, leave-one-out)"),
        (
            tau,
            ("calibrated", "calibrated_low", "calibrated_high"),
            "Of what these weights could reach",
            "calibrated τ",
        ),
        (
            gain,
            ("gain", "gain_low", "gain_high"),
            "Deleting the most attended words",
            "probability lost, beyond random words",
        ),
    ):
        x = alt.X("place:O", sort=_ticks(points), title=AXES["λ"], axis=alt.Axis(labelAngle=0))
        points = [p | {"line": p["of"]} for p in points]
        drawn = _lines(points, x, *keys, axis, colour)
        if keys[0] == "mean":
            drawn = alt.layer(drawn, _control(points, x, colour))
        panels.append(drawn.properties(width=250, height=210, title=title))
    return finish(alt.hconcat(*panels))


def inputs_and_states(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures 1 and 4: attention against inputs and against states, with both controls."""
    shown = [
        {
            "model": f"{row['dataset']}, {row['encoder']}, {row['projection']}",
            "over": "hidden states" if "[hidden]" in row["measure"] else "inputs",
            "measure": NAMES[row["measure"].replace("[hidden]", "")],
        }
        | {key: row[key] for key in ("mean", "low", "high", "untrained", "permuted", "ceiling")}
        for row in rows
        if row["projection"] in ("softmax", "sparsemax")
    ]
    panels = []
    for measure in NAMES.values():
        some = [row for row in shown if row["measure"] == measure]
        models = list(dict.fromkeys(row["model"] for row in some))
        y = alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=230))
        offset = alt.YOffset("over:N", sort=["inputs", "hidden states"])
        base = alt.Chart(alt.InlineData(some)).encode(y=y, yOffset=offset)
        x = alt.Scale(domain=[-0.1, 1.0])
        colour = alt.Color(
            "over:N", title=None, scale=alt.Scale(domain=["inputs", "hidden states"], range=PALETTE[:2])
        )
        marks = [
            {"model": row["model"], "over": row["over"], "x": row[kind], "kind": kind}
            for row in some
            for kind in ("permuted", "untrained", "ceiling")
            if row[kind] == row[kind]
        ]
        shape = alt.Shape(
            "kind:N",
            title=None,
            scale=alt.Scale(
                domain=["permuted", "untrained", "ceiling"],
                range=["triangle-up", "diamond", "M0,-1.4L0,1.4"],
            ),
        )
        controls = alt.Chart(alt.InlineData(marks)).mark_point(size=45, color="#777", strokeWidth=1.5)
        panels.append(
            alt.layer(
                base.mark_bar(opacity=0.75).encode(
                    x=alt.X("mean:Q", scale=x, title="τ with attention"), color=colour
                ),
                controls.encode(y=y, yOffset=offset, x="x:Q", shape=shape),
            )
            .resolve_scale(shape="independent")
            .properties(width=320, height=alt.Step(13), title=measure)
        )
    return finish(alt.hconcat(*panels))


def entropies(sweep: Sweep) -> dict[str, Any]:
    """Figure 2: how dispersed the importance of inputs is, texts and projections pooled."""
    points = []
    for encoder in ("lstm", "transformer"):
        for measure in INPUTS:
            values = [
                sweep.entropies(model, measure).ravel()
                for model in sweep.models()
                if sweep.about(model)["encoder"] == encoder
            ]
            if values:
                curve = f"{NAMES[measure]}, {encoder}"
                points += density_rows(curve, np.concatenate(values), 0.0, 1.0)
    return density_chart(
        points,
        "Dispersion of importance, all datasets and projections",
        "normalised entropy of a text",
        limits=(0.0, 1.0),
    )
