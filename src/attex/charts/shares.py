"""What the differences between universes come from: shares of variance."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.style import GREY, PALETTE, WIDE, finish, short

CHOICE, PAIR, HIGHER, SEEDS = "one choice", "a pair of choices", "three or more together", "seeds"
KINDS = {
    CHOICE: (PALETTE[0], "circle"),
    PAIR: (PALETTE[2], "diamond"),
    HIGHER: (PALETTE[3], "triangle-up"),
    SEEDS: (GREY, "square"),
}
"""What variance can come from, each with its colour and shape."""

_PAIRS = 10
"""As many pairs have a row of their own; nine choices make 36."""


def shares_chart(rows: Sequence[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """Draw each share with its interval, the largest on top; negative estimates are drawn as they are.

    A row has term (its name), kind (see `KINDS`), share, low and high, as parts of 1. Of many pairs the
    largest are shown, and the rest is added up in one row. A share that is undefined (NaN) has a row at
    the bottom, which says so.
    """
    import altair as alt

    shown = sorted(_gathered(rows), key=_order)
    numbers = ("share", "low", "high")
    points = [
        {"term": _label(row), "kind": row["kind"]} | {name: short(row[name]) for name in numbers}
        for row in shown
    ]
    terms = [point["term"] for point in points]
    y = alt.Y(
        "term:N", scale=alt.Scale(domain=terms), sort=terms, title=None, axis=alt.Axis(labelLimit=380)
    )
    x = alt.X("share:Q", title="share of the variance (ω²)", axis=alt.Axis(format="%"))
    here = [kind for kind in KINDS if any(row["kind"] == kind for row in shown)]
    colour = alt.Color("kind:N", scale=alt.Scale(domain=here, range=[KINDS[kind][0] for kind in here]))
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=here, range=[KINDS[kind][1] for kind in here]))
    base = alt.Chart(alt.InlineData(points), title=title)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    spans = spans.mark_rule(strokeWidth=3, opacity=0.45)
    dots = base.transform_filter("isValid(datum.share)").mark_point(filled=True, size=80, opacity=1)
    tooltip = ["term:N", "kind:N", *(alt.Tooltip(f"{name}:Q", format=".1%") for name in numbers)]
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(strokeDash=[2, 3], color="#222")
    layers = alt.layer(
        zero.encode(x="zero:Q"),
        spans.encode(y=y, x="low:Q", x2="high:Q", color=colour),
        dots.encode(y=y, x=x, color=colour, shape=shape, tooltip=tooltip),
    )
    caption = (
        "A dot, of whatever shape, is an estimate, the line through it its 95 % interval. Left of the "
        "dashed line is below 0, where an estimate of next to nothing can fall."
    )
    return finish(layers.properties(width=WIDE - 120, height=22 * len(shown)), caption)


def _label(row: Mapping[str, Any]) -> str:
    term: str = row["term"]
    return term if row["share"] == row["share"] else f"{term} (undefined)"


def _order(row: Mapping[str, Any]) -> tuple[bool, float]:
    """Sort the largest first, and what is undefined last."""
    share = row["share"]
    return share != share, -share


def _gathered(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Keep the largest pairs and add up the others, where there are many."""
    pairs = sorted((row for row in rows if row["kind"] == PAIR), key=_order)
    if len(pairs) <= _PAIRS + 1:
        return list(rows)
    rest, none = pairs[_PAIRS:], float("nan")
    together = {
        "term": f"{len(rest)} other pairs, added up",
        "kind": PAIR,
        "share": sum(row["share"] for row in rest),
        "low": none,
        "high": none,
    }
    return [*(row for row in rows if row["kind"] != PAIR), *pairs[:_PAIRS], together]
