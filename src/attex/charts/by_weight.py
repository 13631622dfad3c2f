"""A value of texts by their highest weight: the median and the middle half, for each class."""

from collections.abc import Sequence
from typing import Any

from attex.charts.frontier import LN_2
from attex.charts.style import PALETTE, WIDE, finish, short

_ROW = 44


def by_weight_chart(rows: Sequence[dict[str, Any]], title: str, axis: str) -> dict[str, Any]:
    """Draw a row for each bin of the highest weight, and in it a dot for each class.

    A row has class, highest_weight (the name of its bin, lowest first), median, q25, q75 and texts.
    """
    import altair as alt

    numbers = ("median", "q25", "q75", "texts")
    points = [
        {"class": row["class"], "bin": row["highest_weight"]} | {n: short(row[n]) for n in numbers}
        for row in rows
        if row["median"] == row["median"]
    ]
    classes = list(dict.fromkeys(row["class"] for row in rows))
    bins = list(dict.fromkeys(row["highest_weight"] for row in rows))[::-1]
    y = alt.Y("bin:N", sort=bins, title="highest weight", scale=alt.Scale(domain=bins))
    place = alt.YOffset("class:N", sort=classes, scale=alt.Scale(domain=classes))
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(classes))]
    colour = alt.Color("class:N", scale=alt.Scale(domain=classes, range=colours))
    x = alt.X("median:Q", title=axis, scale=alt.Scale(domain=[0, LN_2]))
    base = alt.Chart(alt.InlineData(points), title=title)
    spans = base.mark_rule(strokeWidth=4, opacity=0.45).encode(
        y=y, yOffset=place, x=alt.X("q25:Q", title=axis), x2="q75:Q", color=colour
    )
    tooltip = ["class:N", "bin:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in numbers)]
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        y=y, yOffset=place, x=x, color=colour, tooltip=tooltip
    )
    caption = (
        "A dot is the median of the texts whose highest weight lies there, by the class that they are "
        "decided for, the line through it their middle half; both are means over seeds."
    )
    height = _ROW * len(bins) + 8 * len(classes)
    return finish(alt.layer(spans, dots).properties(width=WIDE, height=height), caption)
