"""How a value is distributed over the texts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from attex.charts.style import GREY, HEIGHT, PALETTE, WIDTH, finish

_POINTS = 161
_NARROWEST = 0.01
_MOST_CURVES = 40
"""More cannot be told apart; all pairs of many measures would be more than a program can draw."""

_LETTERS = 100
"""As many fit above a chart."""


def density_rows(
    curve: str, values: np.ndarray, low: float = -1.0, high: float = 1.0
) -> list[dict[str, Any]]:
    """Smooth the defined values into points of a curve over [low, high].

    A Gaussian kernel with Scott's bandwidth, no narrower than a hundredth of the range (a spike
    stays visible), folded back at the ends so that no mass lies where no value can.
    """
    known = values[~np.isnan(values)].astype(float)
    if not known.size:
        return []
    grid = np.linspace(low, high, _POINTS)
    width = max(_NARROWEST * (high - low), float(known.std()) * known.size ** (-1 / 5))
    counts, edges = np.histogram(known, bins=800, range=(low, high))
    centres = (edges[1:] + edges[:-1]) / 2
    density = np.zeros_like(grid)
    for mirrored in (centres, 2 * high - centres, 2 * low - centres):
        steps = (grid[:, None] - mirrored) / width
        density += np.exp(-0.5 * steps**2) @ counts
    density /= known.size * width * np.sqrt(2 * np.pi)
    return [
        {"curve": curve, "value": round(float(x), 4), "density": round(float(y), 5)}
        for x, y in zip(grid, density, strict=True)
    ]


def _legend(names: Iterable[str]) -> Any:
    """Name the curves side by side, or below each other where that would be wider than the chart."""
    import altair as alt

    return alt.Legend(columns=1) if len("".join(names)) > _LETTERS else alt.Legend()


def density_chart(
    points: Sequence[dict[str, Any]],
    title: str,
    axis: str,
    chance: Sequence[dict[str, Any]] = (),
    ceilings: Mapping[str, float] | None = None,
    limits: tuple[float, float] = (-1.0, 1.0),
) -> dict[str, Any]:
    """Draw curves of density against the value, each named at the top.

    `chance` are the points of the curve that chance gives, in grey; `ceilings` what each curve could
    reach, a dashed line in its colour. Of very many curves the first are drawn, and the title says so.
    """
    import altair as alt

    every = list(dict.fromkeys(point["curve"] for point in points))
    curves = every[:_MOST_CURVES]
    if len(curves) < len(every):
        title = f"{title}: the first {len(curves)} of {len(every)}"
        points = [point for point in points if point["curve"] in curves]
        ceilings = {curve: value for curve, value in (ceilings or {}).items() if curve in curves}
    colours = {curve: PALETTE[i % len(PALETTE)] for i, curve in enumerate(curves)}
    colours |= {point["curve"]: GREY for point in chance}
    colour = alt.Scale(domain=[*colours], range=[*colours.values()])
    base = alt.Chart(alt.NamedData("curves"), title=title)
    encoding = {
        "x": alt.X("value:Q", title=axis, scale=alt.Scale(domain=list(limits))),
        "y": alt.Y("density:Q", title="density of texts"),
        "color": alt.Color("curve:N", scale=colour, sort=[*colours], legend=_legend(colours)),
    }
    area = base.mark_area(opacity=0.12).encode(**encoding | {"y": encoding["y"].stack(None)})
    line = base.mark_line(strokeWidth=2).encode(
        **encoding,
        strokeDash=alt.StrokeDash("curve:N", sort=[*colours], legend=None),
        tooltip=[
            "curve:N",
            alt.Tooltip("value:Q", format=".2f"),
            alt.Tooltip("density:Q", format=".2f"),
        ],
    )
    layers = [area, line]
    marks = [
        {"curve": curve, "value": round(ceiling, 4), "of": f"ceiling of {curve}"}
        for curve, ceiling in (ceilings or {}).items()
        if not np.isnan(ceiling)
    ]
    if marks:
        rule = alt.Chart(alt.InlineData(marks)).mark_rule(strokeDash=[2, 3], strokeWidth=2)
        shown = [alt.Tooltip("of:N", title="mark"), alt.Tooltip("value:Q", format=".2f")]
        layers.append(rule.encode(x="value:Q", color=alt.Color("curve:N", scale=colour), tooltip=shown))
    caption = "Each curve, shaded beneath, is how densely texts lie."
    caption += " The grey one is what chance gives." if chance else ""
    caption += " An upright dashed line is the ceiling of the curve in its colour." if marks else ""
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return finish(chart, caption, data={"curves": [*points, *chance]})
