"""Values with their intervals, in rows, beside marks to read them by."""

import math
from collections.abc import Sequence
from typing import Any

from attex.charts.style import GREY, PALETTE, WIDTH, finish

_SHAPES = ("cross", "M0,-1.4L0,1.4", "diamond", "triangle-up")


def range_chart(points: Sequence[dict[str, Any]], title: str, axis: str) -> dict[str, Any]:
    """Draw a row for each name and group over [−1, 1]: the value, its interval, and its marks.

    A point has name, group, value, low, high and marks, a value each by name; NaN is left out. The
    groups have colours, the marks shapes in grey.
    """
    import altair as alt

    groups = list(dict.fromkeys(point["group"] for point in points))
    rows = [f"{point['name']}, {point['group']}" for point in points]
    values = [
        {"row": row, "group": p["group"], "value": p["value"], "low": p["low"], "high": p["high"]}
        for row, p in zip(rows, points, strict=True)
        if not math.isnan(p["value"])
    ]
    kinds = list(dict.fromkeys(kind for point in points for kind in point["marks"]))
    marks = [
        {"row": row, "mark": kind, "value": round(value, 4)}
        for row, point in zip(rows, points, strict=True)
        for kind, value in point["marks"].items()
        if not math.isnan(value)
    ]
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("value:Q", title=axis, scale=alt.Scale(domain=[-1, 1]))
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=PALETTE[: len(groups)]),
        legend=alt.Legend(symbolType="circle", symbolStrokeWidth=0),
    )
    base = alt.Chart(alt.InlineData(values), title=title)
    number = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("value", "low", "high")]
    whisker = base.mark_rule(strokeWidth=3, opacity=0.5)
    whisker = whisker.encode(y=y, x="low:Q", x2="high:Q", color=colour)
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(
        y=y, x=x, color=colour, tooltip=["row:N", *number]
    )
    shapes = alt.Scale(domain=kinds, range=list(_SHAPES[: len(kinds)]))
    mark = (
        alt.Chart(alt.InlineData(marks))
        .mark_point(size=60, color=GREY, strokeWidth=2)
        .encode(
            y=y,
            x=x,
            shape=alt.Shape("mark:N", scale=shapes),
            tooltip=["row:N", "mark:N", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    chart = alt.layer(mark, whisker, dot).resolve_scale(shape="independent")
    caption = "A dot is the mean, the line through it the 95 % interval. What to read it by is in grey."
    return finish(chart.properties(width=WIDTH, height=26 * max(1, len(rows))), caption)
