"""The figures of the sparsity sweep."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from attex.charts.density import density_chart, density_rows
from attex.charts.style import GREY, PALETTE, finish
from attex.importance.measure import MEASURES, is_over_states, over_inputs
from results.meister_2021.sweep import DATASETS, DENSE, ENCODERS, ENDS, INPUTS, Sweep, places

NAMES = {"gradient_norm": "gradient", "leave_one_out": "leave-one-out"}
FEWEST = 3
"""Places on an axis that make a line worth drawing: IMDB has only both ends of α."""
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


def _banded(base: alt.Chart, title: str) -> list[alt.Chart]:
    """Draw lines with bands, of points that have mean, low and high."""
    return [
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(point=True, strokeWidth=2).encode(y=alt.Y("mean:Q", title=title)),
    ]


def _dotted(base: alt.Chart, y: alt.Y) -> Any:
    """Draw what permuted attention gives."""
    return base.mark_line(strokeDash=[1, 3], strokeWidth=2).encode(y=y)


def by_sparsity(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figure 3: τ of attention with inputs against λ and α, a panel a model.

    The ceiling is dashed; dotted is what permuted attention gives.
    """
    panels = []
    for axis, title in AXES.items():
        points = [p for p in _points(rows, axis) if p["measure"] in INPUTS]
        row = []
        for of in (f"{d}, {e}" for d in DATASETS for e in ENCODERS):
            some = [p for p in points if p["of"] == of]
            if len({p["place"] for p in some}) < FEWEST:
                continue
            x = alt.X("place:O", sort=_ticks(some), title=title, axis=alt.Axis(labelAngle=0))
            colour = alt.Color(
                "line:N", title=None, scale=alt.Scale(domain=[*NAMES.values()], range=PALETTE[:2])
            )
            kept = ("mean", "low", "high", "permuted", "ceiling")
            drawn = [
                {"place": f"{p['place']:g}", "line": NAMES[p["measure"]]} | {key: p[key] for key in kept}
                for p in some
            ]
            ceiling = [point for point in drawn if point["line"] == NAMES[INPUTS[0]]]
            limit = alt.Chart(alt.InlineData(ceiling)).mark_line(color=GREY, strokeDash=[4, 3])
            base = alt.Chart(alt.InlineData(drawn)).encode(x=x, color=colour)
            chart = alt.layer(
                *_banded(base, "τ with attention"),
                limit.encode(x=x, y=alt.Y("ceiling:Q")),
                _dotted(base, alt.Y("permuted:Q")),
            )
            row.append(chart.properties(width=230, height=170, title=of))
        if row:
            panels.append(alt.concat(*row, columns=2 if len(row) % 3 else 3))
    return finish(alt.vconcat(*panels))


PANELS = (
    ("measured", "permuted", "τ with leave-one-out", "as measured"),
    ("calibrated", "permuted_share", "share of the way", "from chance to ceiling"),
    ("comprehensiveness_first", None, "probability lost, beyond random", "deleting the top 1 %"),
)
"""The columns of the answer: quantity, its control, axis, title."""
SHOWN = {"lstm": "BiLSTM + tanh", "transformer": "Transformer + sdp"}


def answer(levels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Against λ, with softmax before it: agreement as measured and of what could be reached, deletion.

    Dotted, or hollow, is what the same weights have on other words.
    """
    shown = [row for row in levels if row["measure"] in ("leave_one_out", "")]
    sparse = [p | {"at": f"{p['place']:g}"} for p in _points(shown, "λ")]
    softmax = [row | {"at": DENSE} for row in shown if row["projection"] == DENSE]
    lines = [data for data in DATASETS if any(point["dataset"] == data for point in sparse)]
    encoding: dict[str, Any] = {
        "x": alt.X(
            "at:O",
            scale=alt.Scale(domain=[DENSE, "", *_ticks(sparse)]),
            title=AXES["λ"],
            axis=alt.Axis(labelAngle=0),
        ),
        "color": alt.Color("dataset:N", title=None, scale=alt.Scale(domain=lines, range=PALETTE)),
    }
    rows = []
    for encoder, name in SHOWN.items():
        panels = []
        for quantity, control, axis, title in PANELS:
            y = alt.Y("mean:Q", title=axis)
            line = _of(sparse, encoder, quantity).encode(**encoding)
            alone = _of(softmax, encoder, quantity).encode(**encoding)
            layers = [
                *_banded(line, axis),
                alone.mark_rule(strokeWidth=5, opacity=0.2).encode(y="low:Q", y2="high:Q"),
                alone.mark_point(filled=True, size=45, opacity=1).encode(y=y),
            ]
            if control is not None:
                line = _of(sparse, encoder, control).encode(**encoding)
                alone = _of(softmax, encoder, control).encode(**encoding)
                layers += [_dotted(line, y), alone.mark_point(size=35, strokeWidth=1.5).encode(y=y)]
            panel = alt.layer(*layers).properties(width=250, height=180, title=f"{name}: {title}")
            panels.append(panel)
        rows.append(alt.hconcat(*panels))
    return finish(alt.vconcat(*rows))


def _of(points: Sequence[dict[str, Any]], encoder: str, quantity: str) -> alt.Chart:
    kept = ("at", "dataset", "mean", "low", "high")
    some = [p for p in points if (p["encoder"], p["quantity"]) == (encoder, quantity)]
    return alt.Chart(alt.InlineData([{key: p[key] for key in kept} for p in some]))


def inputs_and_states(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures 1 and 4: attention against inputs and against states, with both controls."""
    shown = [
        {
            "model": f"{row['dataset']}, {row['encoder']}, {row['projection']}",
            "over": "hidden states" if is_over_states(measure) else "inputs",
            "measure": NAMES[(over_inputs(measure) or measure).type],
        }
        | {key: row[key] for key in ("mean", "low", "high", "untrained", "permuted", "ceiling")}
        for row, measure in ((row, MEASURES.spec(row["measure"])) for row in rows)
        if row["projection"] in ENDS
    ]
    panels = []
    for measure in NAMES.values():
        some = [row for row in shown if row["measure"] == measure]
        models = list(dict.fromkeys(row["model"] for row in some))
        y = alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=230))
        offset = alt.YOffset("over:N", sort=["inputs", "hidden states"])
        base = alt.Chart(alt.InlineData(some)).encode(y=y, yOffset=offset)
        x = alt.Scale(domain=[-0.25, 1.0])
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
        controls = alt.Chart(alt.InlineData(marks)).mark_point(size=45, color="#222", strokeWidth=1.5)
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
                sweep.of_texts([model], "dispersion", f"entropy|{measure}").ravel()
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
