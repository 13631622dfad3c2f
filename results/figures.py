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
