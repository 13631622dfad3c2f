"""The decisions that erasing tokens flips."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attex.charts.style import GREY, HEIGHT, PALETTE, WIDTH, finish

_GRID = np.linspace(0.0, 1.0, 51)


def flipped_rows(order: str, shares: np.ndarray) -> list[dict[str, Any]]:
    """Say how many decisions have flipped once a share of the tokens is erased: points of a curve.

    shares are those at which each text flips, NaN for never.
    """
    # A hair more than the grid: 3/20 is not above 0.15 but for rounding.
    reached = shares.ravel()[:, None] <= _GRID + 1e-9
    flipped = reached.mean(axis=0) if shares.size else np.zeros_like(_GRID)
    return [
        {"order": order, "erased": round(float(x), 4), "flipped": round(float(y), 5)}
        for x, y in zip(_GRID, flipped, strict=True)
    ]


def flipped_chart(points: Sequence[dict[str, Any]], chance: str, limit: str) -> dict[str, Any]:
    """Draw decisions flipped against tokens erased, a curve for each order.

    The order `chance` is in grey, `limit` (what no order can exceed) dashed. That curves stop short
    of 1 shows the texts that an order never flips: means over those it does flip hide them.
    """
    import altair as alt

    orders = list(dict.fromkeys(point["order"] for point in points))
    others = [order for order in orders if order != chance]
    colours = {order: PALETTE[i % len(PALETTE)] for i, order in enumerate(others)} | {chance: GREY}
    share = alt.Axis(format="%")
    lines = (
        alt.Chart(alt.InlineData([*points]), title="Decisions flipped by erasing tokens")
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("erased:Q", title="share of the text's tokens erased", axis=share),
            y=alt.Y("flipped:Q", title="texts flipped, of those that can be", axis=share),
            color=alt.Color(
                "order:N",
                sort=orders,
                scale=alt.Scale(domain=orders, range=[colours[order] for order in orders]),
                legend=alt.Legend(columns=2),
            ),
            strokeDash=alt.condition(alt.datum.order == limit, alt.value([5, 3]), alt.value([1, 0])),
            tooltip=[
                "order:N",
                alt.Tooltip("erased:Q", format=".0%"),
                alt.Tooltip("flipped:Q", format=".1%"),
            ],
        )
    )
    caption = f"Each curve is an order of erasing; the grey one is chance ({chance})."
    caption += f" The dashed one ({limit}) is what no order can exceed." if limit in orders else ""
    return finish(lines.properties(width=WIDTH, height=HEIGHT), caption)


def single_chart(points: Sequence[dict[str, Any]], flips: Sequence[str]) -> dict[str, Any]:
    """Draw ΔJS against the difference of the two weights, a dot for each text.

    `flips` are the kinds of texts, by which decisions flip, the first in grey and beneath the others.
    """
    import altair as alt

    names = [kind.replace("_", " ") for kind in flips]
    shown = [
        point | {"flips": name}
        for kind, name in zip(flips, names, strict=True)
        for point in points
        if point["flips"] == kind
    ]
    dots = (
        alt.Chart(alt.InlineData(shown), title="Erasing the highest weight against a random one")
        .mark_point(filled=True, size=22, opacity=0.6)
        .encode(
            x=alt.X("gap:Q", title="difference of the two weights"),
            y=alt.Y("delta:Q", title="ΔJS (nats)"),
            color=alt.Color(
                "flips:N",
                sort=names,
                scale=alt.Scale(domain=names, range=[GREY, *PALETTE[: len(names) - 1]]),
            ),
            tooltip=[
                "text:N",
                alt.Tooltip("gap:Q", format=".3f"),
                alt.Tooltip("delta:Q", title="ΔJS", format=".3g"),
                "flips:N",
            ],
        )
    )
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(strokeDash=[2, 3], color=GREY)
    layers = alt.layer(zero.encode(y="zero:Q"), dots).properties(width=WIDTH, height=HEIGHT)
    caption = "A dot is a text. On the dashed line both ways of erasing move the output alike."
    return finish(layers, caption)
