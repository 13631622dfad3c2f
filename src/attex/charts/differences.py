"""Differences between finished runs, with their intervals, beside none at all."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.style import PALETTE, WIDE, finish, short

_NUMBERS = ("difference", "low", "high")


def differences_chart(rows: Sequence[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """Draw a row for each quantity and run: the difference and its interval, over a line at 0.

    A row has quantity, run, difference, low and high; NaN is left out. Where there is one run, rows
    are called by the quantity alone; several have colours.
    """
    import altair as alt

    runs = list(dict.fromkeys(row["run"] for row in rows))
    several = len(runs) > 1
    points = [
        {"row": f"{row['quantity']}, {row['run']}" if several else row["quantity"], "run": row["run"]}
        | {name: short(row[name]) for name in _NUMBERS}
        for row in sorted(rows, key=lambda row: _place(rows, row["quantity"]))
        if row["difference"] == row["difference"]
    ]
    order = [point["row"] for point in points]
    y = alt.Y("row:N", sort=order, title=None, axis=alt.Axis(labelLimit=380))
    scale = alt.Scale(domain=runs, range=[PALETTE[n % len(PALETTE)] for n in range(len(runs))])
    colour = alt.Color("run:N", scale=scale, legend=alt.Legend() if several else None)
    base = alt.Chart(alt.InlineData(points), title=title)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    tooltip = ["row:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in _NUMBERS)]
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(strokeDash=[2, 3], color="#222")
    layers = alt.layer(
        zero.encode(x="zero:Q"),
        spans.mark_rule(strokeWidth=3, opacity=0.45).encode(y=y, x="low:Q", x2="high:Q", color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=y, x=alt.X("difference:Q", title="difference"), color=colour, tooltip=tooltip
        ),
    )
    caption = (
        "A dot is a difference, the line through it its 95 % interval. "
        "At the dashed line nothing differs."
    )
    return finish(layers.properties(width=WIDE - 160, height=22 * max(1, len(points))), caption)


def _place(rows: Sequence[Mapping[str, Any]], quantity: str) -> int:
    """Say where a quantity first stands: its runs are drawn together."""
    return next(place for place, row in enumerate(rows) if row["quantity"] == quantity)
