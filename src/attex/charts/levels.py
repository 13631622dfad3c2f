"""What each level of each choice does to a quantity."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.choice_rows import choice_rows
from attex.charts.style import PALETTE, WIDE, finish, short


def levels_chart(
    rows: Sequence[Mapping[str, Any]],
    choices: Mapping[str, Sequence[str]],
    title: str,
    axis: str,
    overall: float | None = None,
) -> dict[str, Any]:
    """Draw the mean of a quantity over the universes that have each level, in its own units.

    A row has choice, level, mean, low, high and n, the number of universes; `overall` is the mean over
    all of them.
    """
    import altair as alt

    places = choice_rows(choices)
    row_of, y, numbers = places.named(), places.axis(), ("mean", "low", "high")
    points = [
        {name: row[name] for name in ("choice", "level", "n")}
        | {name: short(row[name]) for name in numbers}
        | {"row": row_of[row["choice"], row["level"]]}
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(points), title=title)
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    spans = spans.mark_rule(strokeWidth=3, opacity=0.45, color=PALETTE[0])
    tooltip = ["choice:N", "level:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in numbers), "n:Q"]
    dots = base.transform_filter("isValid(datum.mean)")
    dots = dots.mark_point(filled=True, size=60, opacity=1, color=PALETTE[0])
    x = alt.X("mean:Q", title=axis, scale=alt.Scale(zero=False))
    layers = [spans.encode(y=y, x="low:Q", x2="high:Q"), dots.encode(y=y, x=x, tooltip=tooltip)]
    caption = (
        "A dot is the mean over the universes with that level, the line through it the 95 % interval."
    )
    if overall is not None:
        mean = alt.Chart(alt.InlineData([{"overall": short(overall)}]))
        layers.insert(0, mean.mark_rule(strokeDash=[2, 3], color="#222").encode(x="overall:Q"))
        caption += " The dashed line is the mean over all."
    return finish(alt.layer(*layers).properties(width=WIDE - 120, height=places.height), caption)
