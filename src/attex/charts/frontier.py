"""How far attention moved against how far the output did: models, and weights put into one, as dots."""

from collections.abc import Sequence
from typing import Any

from attex.charts.style import PALETTE, WIDE, finish, short

_SHAPES = (
    *("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-left"),
    "triangle-right",
)
_COLOURS = [*PALETTE, "#c2477f", "#6a994e", "#5fa8d3"]
_HEIGHT = 320
LN_2 = 0.6931471805599453
"""The largest JSD there is, in nats."""

_NUMBERS = ("jsd", "jsd_low", "jsd_high", "tvd", "tvd_low", "tvd_high")
_DOTS = (
    "A dot, of whatever shape, is the mean over texts and seeds, the lines through it are the 95 % "
    "intervals. Low and to the right: attention elsewhere, and the same output."
)
_JOINED = " Dots of one kind that differ in λ, or in ε, are joined."
_BOUND = (
    " Right of the dashed curve no attention over the base's own states can be, however it came about: "
    "it is the exact bound of the means."
)


def frontier_chart(
    points: Sequence[dict[str, Any]],
    title: str,
    bound: Sequence[tuple[float, float]] = (),
    subtitle: str = "",
) -> dict[str, Any]:
    """Draw each point at (JSD of the attention, TVD of the output), with both intervals.

    A point has `kind`, which has a colour and a shape, `name`, jsd, tvd and the ends of their intervals,
    as jsd_low; NaN is left out. `order` joins the points of a kind, None those that stand alone. `bound`
    has (mean TVD, the largest mean JSD) of any attention over the same states.
    """
    import altair as alt

    rows = [
        {"kind": p["kind"], "name": p["name"], "order": p.get("order")}
        | {name: short(p.get(name, float("nan"))) for name in _NUMBERS}
        for p in points
        if p["jsd"] == p["jsd"] and p["tvd"] == p["tvd"]
    ]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[_COLOURS[i % len(_COLOURS)] for i in range(len(kinds))]),
        legend=alt.Legend(columns=3),
    )
    shapes = [_SHAPES[i % len(_SHAPES)] for i in range(len(kinds))]
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=shapes))
    x = alt.X("jsd:Q", title="JSD of the attention", scale=alt.Scale(domain=[0, LN_2]))
    # Two seeds can have an interval that leaves no room for anything else.
    highest = 1.2 * max((row["tvd"] for row in rows), default=0.0) or 1.0
    scale = alt.Scale(domain=[0, short(highest)], nice=False)
    y = alt.Y("tvd:Q", title="TVD of the output", scale=scale)
    base = alt.Chart(alt.InlineData(rows))
    layers = []
    if bound:
        layers.append(_bound(bound))
    joined = any(row["order"] is not None for row in rows)
    if joined:
        lines = base.transform_filter("isValid(datum.order)").mark_line(strokeWidth=1.5, opacity=0.7)
        layers.append(lines.encode(x=x, y=y, color=colour, order="order:Q"))
    for across, other, low, high in (
        ("x", "y", "jsd_low", "jsd_high"),
        ("y", "x", "tvd_low", "tvd_high"),
    ):
        own = {across: f"{low}:Q", f"{across}2": f"{high}:Q", other: y if other == "y" else x}
        known = base.transform_filter(f"isValid(datum.{low}) && isValid(datum.{high})")
        layers.append(
            known.mark_rule(strokeWidth=2, opacity=0.45, clip=True).encode(color=colour, **own)
        )
    tooltip = ["kind:N", "name:N", *(alt.Tooltip(f"{n}:Q", format=".4f") for n in _NUMBERS)]
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    chart = alt.layer(*layers, dots).properties(
        width=WIDE,
        height=_HEIGHT,
        title=alt.TitleParams(title, subtitle=subtitle, subtitleFontSize=12, subtitlePadding=4),
    )
    caption = _DOTS + (_JOINED if joined else "") + (_BOUND if bound else "")
    return finish(chart, caption)


def _bound(bound: Sequence[tuple[float, float]]) -> Any:
    import altair as alt

    rows = [{"tvd": short(tvd), "jsd": short(jsd)} for tvd, jsd in bound]
    curve = alt.Chart(alt.InlineData(rows)).mark_line(
        color="#222", strokeDash=[5, 3], strokeWidth=1.5, clip=True
    )
    return curve.encode(x="jsd:Q", y="tvd:Q", order="tvd:Q")
