"""Every universe of a study, sorted by its value, above the choices that were made in it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attex.charts.binned_curve import binned_panels
from attex.charts.choice_rows import ChoiceRows, choice_rows
from attex.charts.style import PALETTE, VERDICT_SHAPES, VERDICTS, WIDE, finish, short

MOST = 2_000
"""Above so many universes the curve is drawn in bins."""

_HEIGHT = 240
_NUMBERED = 12
_UNIVERSES = "universes"
_RANK = "universes, from the lowest value to the highest"


def specification_curve_chart(
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    levels: np.ndarray,
    choices: Mapping[str, Sequence[str]],
    title: str,
    axis: str,
    verdicts: Sequence[str] | None = None,
    lines: Mapping[str, float] | None = None,
    experiments: Sequence[str] = (),
) -> dict[str, Any]:
    """Draw U universes from the lowest value to the highest, and below each what was chosen in it.

    Args:
        values: What came out in each universe, [U]; NaN is left out and counted in the caption.
        low: Lower ends of the intervals, [U]; NaN where there is none.
        high: Upper ends.
        levels: The number of the level that each universe has of each choice, [U,F]; negative where the
            universe has no such choice.
        choices: The names of the levels by choice, F of them.
        title: What stands above.
        axis: What the values are.
        verdicts: What each universe says of a conclusion (see `VERDICTS`), where it is asked.
        lines: Values to compare with, by what is written beside them, as a published one.
        experiments: The names of the universes' experiments, if they have any: so a page can open their
            runs.
    """
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    rows = choice_rows(choices)
    kinds = None if verdicts is None else np.asarray(verdicts)[order]
    curve = (values[order], low[order], high[order])
    if order.size > MOST:
        panels, data, caption = binned_panels(*curve, levels[order], rows, kinds, axis, _RANK)
    else:
        panels = [_curve(order.size, rows, choices, axis, kinds is not None), _matrix(order.size, rows)]
        universes = _universes(*curve, levels[order], rows, kinds)
        if experiments:
            universes = [
                u | {"experiment": experiments[i]} for u, i in zip(universes, order, strict=True)
            ]
        data = {_UNIVERSES: universes}
        caption = _caption(kinds is not None)
    panels[0] = _with_lines(panels[0], lines or {}, float(np.median(curve[0])) if order.size else 0.0)
    caption += " A dashed line is a value to compare with." if lines else ""
    if missing := values.size - order.size:
        caption += f" Left out for want of a value: {missing:,} of {values.size:,} universes."
    return finish(_stacked(panels, title), caption, data)


def _stacked(panels: Sequence[Any], title: str) -> Any:
    import altair as alt

    return alt.vconcat(*panels, spacing=6, title=title).resolve_scale(
        x="shared", color="independent", shape="independent"
    )


def _universes(
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    levels: np.ndarray,
    rows: ChoiceRows,
    kinds: np.ndarray | None,
) -> list[dict[str, Any]]:
    """Describe each universe; `rows` are those of the matrix with its ticks (None: no such choice)."""
    found = []
    for i in range(values.size):
        marked = [rows.row(f, int(k)) if k >= 0 else None for f, k in enumerate(levels[i])]
        universe = {"rank": i + 1, "value": short(values[i]), "rows": marked}
        universe |= {"low": short(low[i]), "high": short(high[i])}
        found.append(universe if kinds is None else universe | {"verdict": str(kinds[i])})
    return found


def _place(count: int, title: str | None) -> Any:
    import altair as alt

    # Of a few, each is numbered; the scale would else have ticks between them.
    numbers = list(range(1, count + 1)) if count <= _NUMBERED else None
    axis = (alt.Axis(grid=False, values=numbers) if numbers else alt.Axis(grid=False)) if title else None
    scale = alt.Scale(domain=[0.5, count + 0.5], nice=False, zero=False)
    return alt.X("rank:Q", scale=scale, title=title, axis=axis)


def _curve(
    count: int,
    rows: ChoiceRows,
    choices: Mapping[str, Sequence[str]],
    axis: str,
    judged: bool,
) -> Any:
    """Draw a dot and an interval for each universe; pointing at one says what was chosen in it."""
    import altair as alt

    base = alt.Chart(alt.NamedData(_UNIVERSES)).properties(width=WIDE, height=_HEIGHT)
    tooltip: list[Any] = [alt.Tooltip(f"{n}:Q", format=".3f") for n in ("value", "low", "high")]
    for number, choice in enumerate(choices):
        chosen = f"datum.rows[{number}]"
        told = f"isValid({chosen}) ? {rows.label(chosen)} : 'no such choice'"
        base = base.transform_calculate(as_=f"choice {number}", calculate=told)
        tooltip.append(alt.Tooltip(f"choice {number}:N", title=choice))
    looks: dict[str, Any] = {"color": alt.value(PALETTE[0])}
    shapes = {}
    if judged:
        tooltip.insert(0, "verdict:N")
        colours = alt.Scale(domain=[*VERDICTS], range=[*VERDICTS.values()])
        looks = {"color": alt.Color("verdict:N", scale=colours)}
        kinds = alt.Scale(domain=[*VERDICT_SHAPES], range=[*VERDICT_SHAPES.values()])
        shapes = {"shape": alt.Shape("verdict:N", scale=kinds)}
    x, scale = _place(count, None), alt.Scale(zero=False)
    spans = (
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=_thickness(count, 2), opacity=0.45)
        .encode(x=x, y=alt.Y("low:Q", title=axis, scale=scale), y2="high:Q", **looks)
    )
    size = float(np.clip(4_000 / max(count, 1), 9, 70))
    dots = base.mark_point(filled=True, size=size, opacity=1).encode(
        x=x, y=alt.Y("value:Q", title=axis, scale=scale), tooltip=tooltip, **looks, **shapes
    )
    return alt.layer(spans, dots)


def _matrix(count: int, rows: ChoiceRows) -> Any:
    """Draw a tick for each universe and choice, in the row of the level that was chosen."""
    import altair as alt

    ticks = alt.Chart(alt.NamedData(_UNIVERSES)).transform_flatten(["rows"], as_=["row"])
    return (
        ticks.transform_filter("isValid(datum.row)")
        .mark_tick(orient="vertical", size=11, thickness=_thickness(count, 10), color="#444", opacity=1)
        .encode(x=_place(count, _RANK), y=rows.axis())
        .properties(width=WIDE, height=rows.height)
    )


def _thickness(count: int, most: float) -> float:
    """Choose how wide the marks of one universe are: a little less than its share of the width."""
    return float(np.clip(0.8 * WIDE / max(count, 1), 0.4, most))


def _with_lines(panel: Any, lines: Mapping[str, float], middle: float) -> Any:
    """Draw lines to compare with, each with its name where the curve is far away."""
    import altair as alt

    layers = [panel]
    for name, value in lines.items():
        drawn = alt.Chart(alt.InlineData([{"name": name, "at": value}]))
        y = alt.Y("at:Q")
        layers.append(drawn.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color="#222").encode(y=y))
        left = value >= middle
        text = drawn.mark_text(align="left" if left else "right", dy=-7, fontSize=12, color="#222")
        layers.append(text.encode(x=alt.value(4 if left else WIDE - 4), y=y, text="name:N"))
    return alt.layer(*layers) if lines else panel


def _caption(judged: bool) -> str:
    caption = "A dot is a universe, the line through it its 95 % interval."
    if judged:
        caption = (
            "A round dot is a universe in which the conclusion holds, a square one where the interval "
            "leaves it undecided, a triangle one where it is reversed. The line through each is its "
            "95 % interval."
        )
    return caption + " Below, a tick is what was chosen in the universe above it."
