"""Does a model need its attention, and could it have had another? One dot for each model."""

from collections.abc import Iterator, Sequence
from typing import Any

from attex.charts.names import NAME_SIZE, Place, places
from attex.charts.style import GREY, PALETTE, WIDE, finish, short

_HEIGHT = 360
_NUMBERS = ("lost", "lost_low", "lost_high", "jsd", "jsd_low", "jsd_high")
_SHAPES = ("circle", "square")
_TOP = 0.7
"""A little above ln 2, which no JSD exceeds."""


def use_of_attention_chart(
    points: Sequence[dict[str, Any]], title: str, bound: Sequence[str] = ()
) -> dict[str, Any]:
    """Draw each point at (accuracy lost under even weights, JSD of the best adversary).

    A point has `name`, `version` (how even weights came in), lost, jsd and the ends of their intervals;
    one without either number is left out. `bound` names the models that no adversary decides as well as,
    which therefore have no JSD: the caption counts them.
    """
    import altair as alt

    rows = [
        {"name": p["name"], "version": p["version"]} | {n: short(p[n]) for n in _NUMBERS}
        for p in points
        if p["lost"] == p["lost"] and p["jsd"] == p["jsd"]
    ]
    versions = list(dict.fromkeys(p["version"] for p in points))
    scale = alt.Scale(domain=versions, range=PALETTE[: len(versions)])
    colour = alt.Color("version:N", scale=scale)
    shape = alt.Shape(
        "version:N", scale=alt.Scale(domain=versions, range=list(_SHAPES[: len(versions)]))
    )
    values = [row["lost"] for row in rows]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = 0.15 * (high - low) or 0.01
    across = (low - room, high + room)
    widths = alt.Scale(domain=[short(end) for end in across], nice=False)
    x = alt.X("lost:Q", title="accuracy lost under even weights", scale=widths)
    heights = alt.Scale(domain=[0, _TOP], nice=False)
    y = alt.Y("jsd:Q", title="JSD of the best adversary", scale=heights)
    base = alt.Chart(alt.InlineData(rows))
    wide = base.transform_filter("isValid(datum.lost_low)").mark_rule(opacity=0.35, clip=True)
    tall = base.transform_filter("isValid(datum.jsd_low)").mark_rule(opacity=0.35, clip=True)
    tooltip = ["name:N", "version:N", *(alt.Tooltip(f"{n}:Q", format=".4f") for n in _NUMBERS)]
    dots = base.mark_point(filled=True, size=90, opacity=0.8).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    names: list[Any] = []
    for row, place in _beside(rows, versions[0], across):
        of_one = alt.Chart(alt.InlineData([row])).encode(x=x, y=y)
        name = of_one.mark_text(
            align=place.align, dx=place.dx, dy=place.dy, fontSize=NAME_SIZE, color="#444"
        )
        names.append(name.encode(text="name:N"))
        if place.is_far:
            line = of_one.mark_rule(x2Offset=place.dx, y2Offset=place.dy, color=GREY)
            names.append(line.encode(x2="lost:Q", y2="jsd:Q"))
    layers = [
        wide.encode(x="lost_low:Q", x2="lost_high:Q", y=y, color=colour),
        tall.encode(y="jsd_low:Q", y2="jsd_high:Q", x=x, color=colour),
        *names,
        dots,
    ]
    caption = (
        "A dot, round or square, is a model: the mean over its seeds, the lines through it the 95 % "
        "intervals. To the right the model needs its attention; low down it could hardly have had "
        "another. High on the left it neither needs its attention, nor is bound to it."
    )
    if bound:
        caption += f" Without a dot, as no adversary decides as well: {', '.join(bound)}."
    return finish(alt.layer(*layers).properties(title=title, width=WIDE, height=_HEIGHT), caption)


def _beside(
    rows: Sequence[dict[str, Any]], version: str, across: tuple[float, float]
) -> Iterator[tuple[dict[str, Any], Place]]:
    """Yield the rows of one version, each with where its name stands."""
    dots = [
        (WIDE * (row["lost"] - across[0]) / (across[1] - across[0]), _HEIGHT * (1 - row["jsd"] / _TOP))
        for row in rows
    ]
    first = [(row, dot) for row, dot in zip(rows, dots, strict=True) if row["version"] == version]
    named = [(row["name"], *dot) for row, dot in first]
    yield from zip((row for row, _ in first), places(named, dots, WIDE, _HEIGHT), strict=True)
