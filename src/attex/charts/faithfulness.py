"""What deleting a measure's top tokens, and leaving them alone, does to the output."""

from collections.abc import Sequence
from typing import Any

from attex.charts.style import GREY, HEIGHT, PALETTE, finish


def faithfulness_chart(
    rows: Sequence[dict[str, Any]], chance: str, measures: Sequence[str]
) -> dict[str, Any]:
    """Draw the lost probability against the share of tokens, a panel a quantity, a line a measure.

    Rows have quantity, measure, fraction, mean; the measure `chance` is in grey.
    """
    import altair as alt

    points = [
        {
            "quantity": row["quantity"],
            "measure": row["measure"],
            "fraction": float(row["fraction"]),
            "lost": round(row["mean"], 5),
        }
        for row in rows
    ]
    colours = {m: PALETTE[i % len(PALETTE)] for i, m in enumerate(measures)} | {chance: GREY}
    scale = alt.Scale(domain=[*colours], range=[*colours.values()])
    panels = []
    for quantity in dict.fromkeys(point["quantity"] for point in points):
        data = alt.InlineData([point for point in points if point["quantity"] == quantity])
        lines = (
            alt.Chart(data, title=quantity)
            .mark_line(point=True, strokeWidth=2)
            .encode(
                x=alt.X(
                    "fraction:Q",
                    title="share of the text's tokens",
                    axis=alt.Axis(format="%", tickCount=5),
                ),
                y=alt.Y("lost:Q", title="probability lost"),
                color=alt.Color("measure:N", sort=[*colours], scale=scale, legend=alt.Legend(columns=3)),
                tooltip=[
                    "measure:N",
                    alt.Tooltip("fraction:Q", format=".0%"),
                    alt.Tooltip("lost:Q", format=".3f"),
                ],
            )
        )
        panels.append(lines.properties(width=300, height=HEIGHT))
    caption = f"Each line is a measure, with a dot at every share that was tried; {chance} are grey."
    return finish(alt.hconcat(*panels), caption)
