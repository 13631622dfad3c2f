"""Estimates with intervals, one below the other in groups."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.choice_rows import choice_rows
from attex.charts.style import PALETTE, WIDE, finish, short


def estimates_chart(
    rows: Sequence[Mapping[str, Any]],
    title: str,
    axis: str,
    line: float | None = None,
    line_is: str = "",
) -> dict[str, Any]:
    """Draw a dot with its interval for every row, below the name of its group.

    A row has group, name, value, low and high; what is NaN is not drawn, and its name stays. `line` is a
    value that all are held against, and `line_is` what it is.
    """
    import altair as alt

    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row["name"])
    places = choice_rows(groups)
    row_of, y, numbers = places.named(), places.axis(), ("value", "low", "high")
    points = [
        {"group": row["group"], "name": row["name"], "row": row_of[row["group"], row["name"]]}
        | {name: short(row[name]) for name in numbers}
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(points), title=title)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    spans = spans.mark_rule(strokeWidth=3, opacity=0.45, color=PALETTE[0])
    tooltip = ["group:N", "name:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in numbers)]
    dots = base.transform_filter("isValid(datum.value)")
    dots = dots.mark_point(filled=True, size=60, opacity=1, color=PALETTE[0])
    x = alt.X("value:Q", title=axis, scale=alt.Scale(zero=False))
    layers = [spans.encode(y=y, x="low:Q", x2="high:Q"), dots.encode(y=y, x=x, tooltip=tooltip)]
    caption = "A dot is the estimate, the line through it the 95 % interval over seeds and texts."
    if line is not None:
        across = alt.Chart(alt.InlineData([{"at": short(line)}]))
        layers.insert(0, across.mark_rule(strokeDash=[2, 3], color="#222").encode(x="at:Q"))
        caption += f" The dashed line is {line_is}."
    return finish(alt.layer(*layers).properties(width=WIDE - 120, height=places.height), caption)
