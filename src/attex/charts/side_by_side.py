"""What several tests say of one attention, each as far from what it is held against."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.choice_rows import choice_rows
from attex.charts.style import HOLDS, REVERSED, UNDECIDED, VERDICT_SHAPES, VERDICTS, WIDE, finish, short

_NUMBERS = ("favour", "low", "high")


def side_by_side_chart(
    rows: Sequence[Mapping[str, Any]], title: str, words: tuple[str, str, str]
) -> dict[str, Any]:
    """Draw a mark with its interval for every test, below what the test is about.

    A row has group, test, says, and favour, low, high: how far the test speaks for the attention. What
    is NaN is not drawn, and its name stays. `words` are what can be said: for it, neither, against it.
    """
    import altair as alt

    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row["test"])
    places = choice_rows(groups)
    row_of, y = places.named(), places.axis()
    points = [
        {"test": row["test"], "says": row["says"], "row": row_of[row["group"], row["test"]]}
        | {name: short(row[name]) for name in _NUMBERS}
        for row in rows
    ]
    kinds = (HOLDS, UNDECIDED, REVERSED)
    colour = alt.Color(
        "says:N", scale=alt.Scale(domain=[*words], range=[VERDICTS[kind] for kind in kinds])
    )
    shape = alt.Shape(
        "says:N", scale=alt.Scale(domain=[*words], range=[VERDICT_SHAPES[kind] for kind in kinds])
    )
    base = alt.Chart(alt.InlineData(points), title=title).transform_filter("isValid(datum.favour)")
    # An interval may end far off where there is hardly anything to divide by.
    numbers = [row[name] for row in points for name in _NUMBERS if row[name] is not None]
    marked = [abs(row["favour"]) for row in points if row["favour"] is not None]
    reach = max([min(1.0, max([0.1, *map(abs, numbers)])), *marked])
    x = alt.X(
        "favour:Q",
        title="← against the attention · in units of each test · for it →",
        scale=alt.Scale(domain=[-reach, reach], nice=True),
    )
    tooltip = ["test:N", "says:N", *(alt.Tooltip(f"{n}:Q", format=".3f") for n in _NUMBERS)]
    spans = base.transform_filter("isValid(datum.low)")
    spans = spans.mark_rule(strokeWidth=3, opacity=0.45, clip=True)
    marks = base.mark_point(filled=True, size=70, opacity=1)
    line = alt.Chart(alt.InlineData([{"at": 0}])).mark_rule(strokeDash=[2, 3], color="#222")
    layers = [
        line.encode(x="at:Q"),
        spans.encode(y=y, x="low:Q", x2="high:Q", color=colour),
        marks.encode(y=y, x=x, color=colour, shape=shape, tooltip=tooltip),
    ]
    caption = (
        "A mark is a test: how far its number lies beyond what it is held against, which is the dashed "
        "line, turned so that the right speaks for the attention. The line through it is the 95 % "
        "interval over seeds and texts, cut at the edge. A circle speaks for the attention, a triangle "
        "against it, and a square does not tell. Units differ from test to test, so that lengths cannot "
        "be compared. What has no mark was not measured, or no model was as good."
    )
    return finish(alt.layer(*layers).properties(width=WIDE - 120, height=places.height), caption)
