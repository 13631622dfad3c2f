"""What each head of each layer is worth, as a map."""

from collections.abc import Sequence
from typing import Any

from attex.charts.style import WIDTH, finish, short

_ROW, _COLUMN, _LEAST = 22, 26, 160


def heads_chart(rows: Sequence[dict[str, Any]], title: str, value: str) -> dict[str, Any]:
    """Draw a square for each head of each layer, one map below the other for each change.

    rows have change, layer, head (a name: that of all heads comes first), mean, low, high and flips;
    `value` says what the mean is of.
    """
    import altair as alt

    changes = [*dict.fromkeys(row["change"] for row in rows)]
    heads = [*dict.fromkeys(row["head"] for row in rows)]
    layers = sorted({row["layer"] for row in rows}, key=int)
    numbers = ("mean", "low", "high", "flips")
    points = [
        {name: row[name] for name in ("change", "layer", "head")} | {n: short(row[n]) for n in numbers}
        for row in rows
    ]
    width = min(WIDTH, max(_LEAST, _COLUMN * len(heads)))

    def of(change: str) -> Any:
        shown = [point for point in points if point["change"] == change]
        square = alt.Chart(alt.InlineData(shown), title=change).mark_rect(stroke="white")
        return square.encode(
            x=alt.X("head:N", sort=heads, title="head", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            # The last layer is on top, nearest to the output.
            y=alt.Y("layer:N", sort=layers[::-1], title="layer"),
            color=alt.Color(
                "mean:Q",
                title=value,
                scale=alt.Scale(scheme="blues", domainMin=0),
                legend=alt.Legend(title=value, orient="right"),
            ),
            tooltip=["layer:N", "head:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in numbers)],
        ).properties(width=width, height=_ROW * len(layers))

    chart = alt.vconcat(*(of(change) for change in changes), title=title)
    caption = (
        "A square is one head of one layer, in the first column all heads of it together. The darker it "
        "is, the further the output moves."
    )
    return finish(chart, caption)
