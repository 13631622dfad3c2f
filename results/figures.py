"""Figures of the results pages."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import vl_convert
from torch import Tensor

from attex.charts.density import density_rows
from attex.charts.style import GREY, PALETTE, finish

CHANCE = "chance (shuffled)"


def write_figure(path: Path, specification: dict[str, Any]) -> None:
    """Write a figure as SVG."""
    path.with_suffix(".svg").write_text(vl_convert.vegalite_to_svg(json.dumps(specification)))


def answer_figure(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw what was observed beside chance and ceiling, one panel a statistic."""
    labels = list(dict.fromkeys(row["row"] for row in rows))
    titles = {
        "as published": "The published statistic: shuffled scores get nearly the same",
        "corrected": "The corrected statistic: far above them",
    }
    drawn = []
    for panel in titles:
        some = [row for row in rows if row["panel"] == panel]
        y = alt.Y("row:N", sort=labels, title=None, axis=alt.Axis(labelLimit=200))
        base = alt.Chart(alt.InlineData(some))
        theirs = [{"row": r["row"], "mean": m} for r in some for m in r["published"]]
        key = alt.Scale(
            domain=["measured", "chance", "ceiling", "published"],
            range=[PALETTE[0], PALETTE[1], GREY, "#222"],
        )

        colour = alt.Color("what:N", scale=key, title=None, legend=alt.Legend(symbolType="square"))

        def layer(field: str, name: str, chart: alt.Chart = base) -> alt.Chart:
            return chart.transform_calculate(what=f"'{name}'", place=f"datum.{field}")

        place = alt.X("place:Q", scale=alt.Scale(domain=[-1, 1]), title="mean agreement over texts")
        measured = layer("mean", "measured")
        layers = [
            layer("ceiling", "ceiling")
            .mark_tick(thickness=3, size=24, opacity=1)
            .encode(x=place, y=y, color=colour),
            layer("null", "chance")
            .mark_tick(thickness=4, size=24, opacity=1)
            .encode(x=place, y=y, color=colour),
            measured.mark_rule(strokeWidth=4).encode(x="low:Q", x2="high:Q", y=y, color=colour),
            measured.mark_point(filled=True, size=90, opacity=1).encode(x=place, y=y, color=colour),
        ]
        if theirs:
            published = alt.Chart(alt.InlineData(theirs)).transform_calculate(what="'published'")
            layers.append(
                published.mark_point(shape="diamond", size=70, filled=False, strokeWidth=1.5).encode(
                    x="mean:Q", y=y, color=colour
                )
            )
        drawn.append(alt.layer(*layers).properties(width=330, height=150, title=titles[panel]))
    return finish(alt.hconcat(*drawn))


def density_figure(findings: Mapping[str, Sequence[dict[str, Tensor]]], title: str) -> dict[str, Any]:
    """Draw the densities of Figures 1 and 2: a column a dataset, a row a statistic, chance in grey."""
    statistics = {"top_k_published(k=non_zero)": "as published", "top_k(k=non_zero)": "corrected"}
    points = []
    for data, seeds in findings.items():
        for statistic, shown in statistics.items():
            pairs = dict.fromkeys(
                tuple(key.split("|")[1:3]) for key in seeds[0] if key.startswith(f"{statistic}|")
            )
            samples = []
            for pair in pairs:
                start = "|".join((statistic, *pair))
                values = np.stack([each[f"{start}|value"].numpy() for each in seeds])
                name = " ~ ".join(measure.split("(")[0] for measure in pair)
                points += _placed(density_rows(name, values), data, shown)
                samples.append(np.stack([each[f"{start}|sample"].numpy() for each in seeds]))
            points += _placed(density_rows(CHANCE, np.stack(samples)), data, shown)
    curves = list(dict.fromkeys(point["curve"] for point in points if point["curve"] != CHANCE))
    colour = alt.Scale(domain=[*curves, CHANCE], range=[*PALETTE[: len(curves)], GREY])
    encoding: dict[str, Any] = {
        "x": alt.X("value:Q", title="top-k correlation", scale=alt.Scale(domain=[-1, 1])),
        "y": alt.Y("density:Q", title="density of texts").stack(None),
        "color": alt.Color("curve:N", scale=colour, title=None, sort=[*curves, CHANCE]),
    }
    base = alt.Chart().encode(**encoding)
    panel = alt.layer(base.mark_area(opacity=0.1), base.mark_line(strokeWidth=2))
    grid = panel.properties(width=320, height=150).facet(
        data=alt.InlineData(points),
        column=alt.Column("data:N", title=None, sort=list(findings)),
        row=alt.Row("statistic:N", title=None, sort=list(statistics.values())),
    )
    return finish(grid.resolve_scale(y="independent").properties(title=title))


def _placed(points: list[dict[str, Any]], data: str, statistic: str) -> list[dict[str, Any]]:
    return [point | {"data": data, "statistic": statistic} for point in points]


def published_figure(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw ours against the published τ, one panel a pair of measures, with our interval.

    Hollow points are the same models started from GloVe's vectors.
    """
    shown = [
        {key: row[key] for key in ("published", "ours", "low", "high", "glove_ours", "experiment")}
        | {
            "pair": row["quantity"],
            "encoder": row["experiment"].split("_")[-2],
        }
        for row in rows
        if row["quantity"].startswith("kendall_tau(") and row["class"] == "overall"
    ]
    pairs = list(dict.fromkeys(row["pair"] for row in shown))
    scale = alt.Scale(domain=[-0.2, 1.0])
    x = alt.X("published:Q", scale=scale, title="published τ")
    base = alt.Chart().encode(
        x=x, color=alt.Color("encoder:N", title=None, scale=alt.Scale(range=PALETTE))
    )
    same = alt.Chart(alt.InlineData([{"x": -0.2, "y": 1.0}])).mark_rule(color=GREY, strokeDash=[4, 3])
    layers = [
        same.encode(x=alt.value(0), y=alt.value(220), x2=alt.value(220), y2=alt.value(0)),
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            y=alt.Y("ours:Q", scale=scale, title="τ here"),
            tooltip=["experiment:N", "published:Q", "ours:Q"],
        ),
        base.mark_point(filled=False, size=60, opacity=0.8).encode(
            y=alt.Y("glove_ours:Q", scale=scale),
            tooltip=["experiment:N", "published:Q", "glove_ours:Q"],
        ),
    ]
    panels = [
        alt.layer(
            *layers, data=alt.InlineData([row for row in shown if row["pair"] == pair])
        ).properties(width=220, height=220, title=pair)
        for pair in pairs
    ]
    return finish(alt.hconcat(*panels))


def difference_figure(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw mean paired differences with their intervals, one panel a kind."""
    kinds = list(dict.fromkeys(row["what"] for row in rows))
    panels = []
    for kind in kinds:
        some = [row for row in rows if row["what"] == kind]
        base = alt.Chart(alt.InlineData(some)).encode(
            y=alt.Y("model:N", title=None, sort=None, axis=alt.Axis(labelLimit=200))
        )
        zero = alt.Chart(alt.InlineData([{"x": 0}])).mark_rule(color=GREY).encode(x="x:Q")
        panels.append(
            alt.layer(
                zero,
                base.mark_rule(strokeWidth=3, color=PALETTE[0]).encode(x="low:Q", x2="high:Q"),
                base.mark_point(filled=True, size=50, opacity=1, color=PALETTE[0]).encode(
                    x=alt.X("mean:Q", title="mean difference of τ")
                ),
            ).properties(width=300, height=18 * len(some) + 20, title=kind)
        )
    return finish(alt.concat(*panels, columns=2))
