"""What models reach that are trained on texts without their most important tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.style import GREY, HEIGHT, PALETTE, finish, short

_PANEL = 300


def retraining_chart(
    rows: Sequence[Mapping[str, Any]], measures: Sequence[str], chance: str, title: str, axis: str
) -> dict[str, Any]:
    """Draw a quantity against the share of the tokens that is masked: a panel a way, a line a measure.

    A row has masking, measure, share, value, low and high. The measure `chance` is in grey.
    """
    import altair as alt

    numbers = ("share", "value", "low", "high")
    # A share without a number stays in: a line is not drawn across it.
    points = [
        {"masking": row["masking"], "measure": row["measure"]} | {n: short(row[n]) for n in numbers}
        for row in rows
    ]
    others = [measure for measure in measures if measure != chance]
    colours = {m: PALETTE[i % len(PALETTE)] for i, m in enumerate(others)} | {chance: GREY}
    colour = alt.Color(
        "measure:N",
        sort=[*colours],
        scale=alt.Scale(domain=[*colours], range=[*colours.values()]),
        legend=alt.Legend(columns=3),
    )
    x = alt.X("share:Q", title="share of the tokens that is masked", axis=alt.Axis(format="%"))
    y = alt.Y("value:Q", title=axis, scale=alt.Scale(zero=False))
    tooltip = ["measure:N", alt.Tooltip("share:Q", format=".0%")]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".3f") for name in numbers[1:]]
    panels = []
    for masking in dict.fromkeys(point["masking"] for point in points):
        here = alt.InlineData([point for point in points if point["masking"] == masking])
        base = alt.Chart(here, title=alt.TitleParams(masking, fontSize=12))
        bands = base.mark_area(opacity=0.1)
        lines = base.mark_line(point=True, strokeWidth=2).encode(x=x, y=y, color=colour, tooltip=tooltip)
        layers = alt.layer(bands.encode(x=x, y="low:Q", y2="high:Q", color=colour), lines)
        panels.append(layers.properties(width=_PANEL, height=HEIGHT))
    caption = (
        "Each line is a measure whose highest tokens are masked, with a dot at every share that was "
        f"tried; {chance} is grey. A band is the 95 % interval over seeds and texts."
    )
    return finish(alt.hconcat(*panels, title=title).resolve_scale(y="shared"), caption)
