"""Is agreement evidence of faithfulness? Slopes within settings, beside those of a control."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.style import GREY, PALETTE, finish, short

ATTENTION, CONTROL = "attention", "permuted attention (control)"
_LOOKS = {ATTENTION: (PALETTE[0], "circle"), CONTROL: (GREY, "square")}
_PANEL, _ROW = 280, 46
_COLUMNS, _LETTERS = 2, 44


def within_settings_chart(rows: Sequence[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """Draw a panel for each outcome: the slopes of each dataset, of attention and of the control.

    A row has dataset, outcome, of (`ATTENTION` or `CONTROL`), slope, low, high, and n, the number of
    models. A slope is how far the outcome rises where the agreement of two models in the same setting
    differs by one standard deviation within settings, so that those of the control can be compared.
    """
    import altair as alt

    numbers = ("slope", "low", "high")
    points = [
        {name: row[name] for name in ("dataset", "outcome", "of", "n")}
        | {name: short(row[name]) for name in numbers}
        for row in rows
    ]
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    colours, shapes = zip(*_LOOKS.values(), strict=True)
    kinds = [*_LOOKS]
    y = alt.Y("dataset:N", sort=datasets, title=None, scale=alt.Scale(domain=datasets))
    place = alt.YOffset("of:N", sort=kinds, scale=alt.Scale(domain=kinds))
    colour = alt.Color("of:N", scale=alt.Scale(domain=kinds, range=list(colours)))
    shape = alt.Shape("of:N", scale=alt.Scale(domain=kinds, range=list(shapes)))
    tooltip = ["dataset:N", "of:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in numbers), "n:Q"]
    panels = []
    for number, outcome in enumerate(dict.fromkeys(row["outcome"] for row in rows)):
        base = alt.Chart(
            alt.InlineData([p for p in points if p["outcome"] == outcome]),
            title=alt.TitleParams(textwrap.wrap(outcome, _LETTERS), fontSize=12, frame="group"),
        )
        here = y if number % _COLUMNS == 0 else y.axis(None)
        spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        spans = spans.mark_rule(strokeWidth=3, opacity=0.55).encode(
            y=here, yOffset=place, x="low:Q", x2="high:Q", color=colour
        )
        dots = base.transform_filter("isValid(datum.slope)")
        dots = dots.mark_point(filled=True, size=90, opacity=1).encode(
            y=here,
            yOffset=place,
            x=alt.X("slope:Q", title="rise for one standard deviation within settings"),
            color=colour,
            shape=shape,
            tooltip=tooltip,
        )
        zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(strokeDash=[2, 3], color="#222")
        layers = alt.layer(zero.encode(x="zero:Q"), spans, dots)
        panels.append(layers.properties(width=_PANEL, height=_ROW * len(datasets)))
    caption = (
        "A dot, round or square, is how far the outcome rises where agreement is one standard deviation "
        "higher among models of a setting, the line through it its 95 % interval. Right of the dashed "
        "line, models whose attention agrees more are the more faithful ones of their setting; that is "
        "evidence only where the control stays behind."
    )
    subtitle = _count(points)
    heading = alt.TitleParams(title, subtitle=subtitle, subtitleFontSize=12, subtitlePadding=4)
    return finish(alt.concat(*panels, columns=_COLUMNS, spacing=24, title=heading), caption)


def _count(points: Sequence[Mapping[str, Any]]) -> str:
    """Say in how many cases the slope of attention is above 0 and above that of the control."""
    controls = {(p["dataset"], p["outcome"]): p for p in points if p["of"] == CONTROL}
    asked = [p for p in points if p["of"] == ATTENTION]
    above = [p for p in asked if p["low"] is not None and p["low"] > 0]
    clear = [p for p in above if _is_beyond(p, controls.get((p["dataset"], p["outcome"])))]
    return (
        f"Slope above 0 in {len(above)} of {len(asked)} cases, "
        f"and above all of the control's interval in {len(clear)}"
    )


def _is_beyond(point: Mapping[str, Any], control: Mapping[str, Any] | None) -> bool:
    return control is not None and control["high"] is not None and point["low"] > control["high"]
