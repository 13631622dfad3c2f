"""All measures against all measures, as matrices."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.style import GREY, finish, short

MANY = 5
"""From so many measures on a matrix shows their pairs; fewer are easily read one by one."""
_SQUARE, _SMALL = 34, 13
_ACROSS = 3
"""Small matrices in a row."""
_LABEL = "#222"

Row = dict[str, Any]


def matrix_chart(
    rows: Sequence[Mapping[str, Any]],
    measures: Sequence[str],
    title: str,
    over: str = "datasets and seeds",
    statistic: str = "Kendall's τ",
) -> dict[str, Any]:
    """Draw all pairs of measures: above the diagonal agreement beyond chance, below it the ceiling.

    rows have measure_a, measure_b (in the order of the measures), beyond and ceiling, each a mean `over`
    what is named.
    """
    import altair as alt

    upper = [_square(row, "measure_a", "measure_b", "beyond") for row in rows]
    lower = [_square(row, "measure_b", "measure_a", "ceiling") for row in rows]

    def drawn(points: list[Row], layer: str) -> Any:
        base = alt.Chart(alt.InlineData(points)).encode(**_axes(measures))
        text = base.mark_text(fontSize=10).encode(text="written:N", color=_written_in(layer))
        if layer == "ceiling":
            return text
        return base.mark_rect(stroke="white").encode(color=_diverging()) + text

    size = _SQUARE * len(measures)
    chart = (drawn(upper, "agreement") + drawn(lower, "ceiling")).resolve_scale(color="independent")
    caption = (
        f"Above the diagonal: {statistic} of two measures less chance, the mean over {over}; "
        "the redder, the more alike, the bluer, the more opposed. Below it, in grey: the most that it "
        "could be with these scores, which ties keep below 1. A dash is undefined."
    )
    return finish(chart.properties(width=size, height=size, title=title), caption)


def matrices_chart(
    rows: Sequence[Mapping[str, Any]], measures: Sequence[str], title: str, value: str
) -> dict[str, Any]:
    """Draw a small matrix for every panel, with each pair of measures on both sides of the diagonal.

    rows have panel, measure_a, measure_b and agreement, None where it is undefined; `value` says what
    agreement is.
    """
    import altair as alt

    panels = [*dict.fromkeys(row["panel"] for row in rows)]

    def of(panel: str, place: int) -> Any:
        own = [row for row in rows if row["panel"] == panel]
        points = [_square(row, "measure_a", "measure_b", "agreement") for row in own]
        points += [_square(row, "measure_b", "measure_a", "agreement") for row in own]
        # Small, since names of cells are longer than a small matrix is wide.
        chart = alt.Chart(
            alt.InlineData(points), title=alt.Title(panel, fontSize=11, frame="group")
        ).mark_rect()
        # The names stand once, at the left of each row and below the last one.
        named = place % _ACROSS == 0, place + _ACROSS >= len(panels)
        encoded = chart.encode(color=_diverging(value), **_axes(measures, *named))
        return encoded.properties(width=_SMALL * len(measures), height=_SMALL * len(measures))

    charts = [of(panel, place) for place, panel in enumerate(panels)]
    # Laid out by the squares alone, so that they stand above each other whatever names are beside them.
    laid_out = alt.concat(*charts, columns=_ACROSS, bounds="flush", spacing={"row": 36, "column": 22})
    caption = (
        f"A square is a pair of measures: {value}. The redder, the more alike, the bluer, the more "
        "opposed; the lightest grey is 0, and a square that is not there undefined. All panels have the "
        "same measures in the same order."
    )
    return finish(laid_out.properties(title=title), caption)


def _square(row: Mapping[str, Any], across: str, down: str, value: str) -> Row:
    number = row[value]
    written = "–" if number is None else f"{number:z.2f}".replace("-", "−").replace("0.", ".", 1)
    shown = {"row": row[across], "column": row[down], "written": written}
    return shown | ({} if number is None else {"value": short(number)})


def _axes(measures: Sequence[str], rows: bool = True, columns: bool = True) -> dict[str, Any]:
    import altair as alt

    def axis(shown: bool, **more: Any) -> Any:
        return alt.Axis(labels=shown, ticks=False, domain=False, labelLimit=220, **more)

    order = alt.Scale(domain=[*measures])
    return {
        "x": alt.X("column:N", scale=order, title=None, axis=axis(columns, labelAngle=-60)),
        "y": alt.Y("row:N", scale=order, title=None, axis=axis(rows)),
    }


def _diverging(title: str | None = None) -> Any:
    import altair as alt

    scale = alt.Scale(scheme="redblue", domain=[-1, 1], reverse=True)
    key = None if title is None else alt.Legend(title=title, orient="right", titleLimit=240)
    return alt.Color("value:Q", scale=scale, legend=key)


def _written_in(layer: str) -> Any:
    import altair as alt

    if layer == "ceiling":
        return alt.value(GREY)
    dark = "isValid(datum.value) && abs(datum.value) > 0.65"
    return alt.condition(dark, alt.value("white"), alt.value(_LABEL))
