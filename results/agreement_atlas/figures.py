"""The figures of the atlas: matrices of measures, and how well each finds what decides."""

from collections.abc import Iterator, Sequence
from typing import Any

from attex.charts.measure_matrix import matrices_chart, matrix_chart
from attex.charts.style import GREY, PALETTE, finish, short
from results.agreement_atlas.atlas import Atlas, Row


def every_figure(atlas: Atlas) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures that there are numbers for, by the names of their files."""
    for kind in atlas.kinds:
        measures = atlas.measures(kind)
        averaged = f"{kind}: all measures against all measures"
        yield f"agreement_{kind}", matrix_chart(atlas.averaged(kind), measures, averaged)
        apart = f"{kind}: the same, dataset by dataset"
        pairs = [
            row | {"panel": row["dataset"], "agreement": row["beyond"]} for row in atlas.pairs(kind)
        ]
        yield f"datasets_{kind}", matrices_chart(pairs, measures, apart, "τ less chance")
    rows = atlas.truth()
    if rows:
        measures = [*dict.fromkeys(m for kind in atlas.kinds for m in atlas.measures(kind))]
        yield "truth", truth_chart(rows, measures, "Which measures find the words that decide?")


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
