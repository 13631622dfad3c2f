"""The figures of the atlas: matrices of measures, and how well each finds what decides."""

from collections.abc import Iterator, Sequence
from typing import Any

from attex.charts.style import GREY, PALETTE, finish, short

_SQUARE, _SMALL = 34, 11
_ACROSS = 3
"""Small matrices in a row."""
_LABEL = "#222"

Row = dict[str, Any]


def matrix_chart(rows: Sequence[Row], measures: Sequence[str], title: str) -> dict[str, Any]:
    """Draw all pairs of measures: above the diagonal agreement beyond chance, below it the ceiling.

    rows have measure_a, measure_b (in the order of the measures), beyond and ceiling.
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
        "Above the diagonal: Kendall's τ of two measures less chance, the mean over datasets and seeds; "
        "the redder, the more alike, the bluer, the more opposed. Below it, in grey: the most that τ "
        "could be with these scores, which ties keep below 1. A dash is undefined."
    )
    return finish(chart.properties(width=size, height=size, title=title), caption)


def datasets_chart(rows: Sequence[Row], measures: Sequence[str], title: str) -> dict[str, Any]:
    """Draw a small matrix for every dataset: agreement beyond chance, on both sides of the diagonal."""
    import altair as alt

    datasets = [*dict.fromkeys(row["dataset"] for row in rows)]

    def of(dataset: str, place: int) -> Any:
        own = [row for row in rows if row["dataset"] == dataset]
        points = [_square(row, "measure_a", "measure_b", "beyond") for row in own]
        points += [_square(row, "measure_b", "measure_a", "beyond") for row in own]
        chart = alt.Chart(alt.InlineData(points), title=dataset).mark_rect()
        # The names stand once, at the left of each row and below the last one.
        named = place % _ACROSS == 0, place + _ACROSS >= len(datasets)
        encoded = chart.encode(color=_diverging(legend=True), **_axes(measures, *named))
        return encoded.properties(width=_SMALL * len(measures), height=_SMALL * len(measures))

    charts = [of(dataset, place) for place, dataset in enumerate(datasets)]
    lines = [alt.hconcat(*charts[start : start + _ACROSS]) for start in range(0, len(charts), _ACROSS)]
    caption = (
        "One matrix for each dataset, with the same measures in the same order: Kendall's τ less "
        "chance, the mean over seeds. White is chance, and an empty square undefined."
    )
    return finish(alt.vconcat(*lines, title=title), caption)


def truth_chart(rows: Sequence[Row], measures: Sequence[str], title: str) -> dict[str, Any]:
    """Draw how well every measure finds what decides, dataset by dataset, beside chance.

    rows have dataset, model, measure, value, low, high and chance.
    """
    import altair as alt

    datasets = [*dict.fromkeys(row["dataset"] for row in rows)]
    kinds = [*dict.fromkeys(row["model"] for row in rows)]
    numbers = ("value", "low", "high", "chance")
    points = [
        {key: row[key] for key in ("dataset", "model", "measure")} | {n: short(row[n]) for n in numbers}
        for row in rows
    ]
    colour = alt.Color("model:N", scale=alt.Scale(domain=kinds, range=PALETTE[: len(kinds)]))

    def of(dataset: str, first: bool) -> Any:
        shown = [point for point in points if point["dataset"] == dataset]
        axis = alt.Axis(labels=first, ticks=first, domain=False, grid=True, labelLimit=220)
        base = alt.Chart(alt.InlineData(shown), title=dataset).encode(
            y=alt.Y("measure:N", sort=[*measures], title=None, axis=axis),
            yOffset=alt.YOffset("model:N", sort=kinds, scale=alt.Scale(domain=kinds)),
        )
        x = alt.X("value:Q", title="AUPRC", scale=alt.Scale(domain=[0, 1]))
        ticks = base.mark_tick(color=GREY, thickness=2, size=10).encode(x="chance:Q")
        spans = base.mark_rule(strokeWidth=3, opacity=0.45, clip=True).encode(
            x="low:Q", x2="high:Q", color=colour
        )
        dots = base.mark_point(filled=True, size=36, opacity=1).encode(x=x, color=colour)
        return (ticks + spans + dots).properties(width=170, height=24 * len(measures))

    charts = [of(dataset, place == 0) for place, dataset in enumerate(datasets)]
    caption = (
        "A dot is the mean over seeds of one kind of model, the line through it the 95 % interval over "
        "seeds and texts, and a grey tick what a random order gets. 1 means that the words that decide "
        "come first."
    )
    return finish(alt.hconcat(*charts, title=title), caption)


def _square(row: Row, across: str, down: str, value: str) -> Row:
    number = row[value]
    written = "–" if number is None else f"{number:.2f}".replace("-", "−").replace("0.", ".", 1)
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


def _diverging(legend: bool = False) -> Any:
    import altair as alt

    scale = alt.Scale(scheme="redblue", domain=[-1, 1], reverse=True)
    key = alt.Legend(title="τ less chance", orient="right") if legend else None
    return alt.Color("value:Q", scale=scale, legend=key)


def _written_in(layer: str) -> Any:
    import altair as alt

    if layer == "ceiling":
        return alt.value(GREY)
    dark = "isValid(datum.value) && abs(datum.value) > 0.65"
    return alt.condition(dark, alt.value("white"), alt.value(_LABEL))


def every_figure(atlas: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures that there are numbers for, by the names of their files."""
    for kind in atlas.kinds:
        measures = atlas.measures(kind)
        averaged = f"{kind}: all measures against all measures"
        yield f"agreement_{kind}", matrix_chart(atlas.averaged(kind), measures, averaged)
        apart = f"{kind}: the same, dataset by dataset"
        yield f"datasets_{kind}", datasets_chart(atlas.pairs(kind), measures, apart)
    rows = atlas.truth()
    if rows:
        measures = [*dict.fromkeys(m for kind in atlas.kinds for m in atlas.measures(kind))]
        yield "truth", truth_chart(rows, measures, "Which measures find the words that decide?")
