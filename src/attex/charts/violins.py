"""How a value is distributed over the texts in each bin of another: violins, a half for each class."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from attex.charts.density import density_rows
from attex.charts.style import PALETTE, WIDTH, finish

BINS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Bins of the highest weight, as in the figures of Jain & Wallace (2019)."""
_HEIGHT = 70


def bin_names() -> list[str]:
    """Name the bins, lowest first."""
    return [f"{low:g}–{high:g}" for low, high in pairwise(BINS)]


def bin_of(values: np.ndarray) -> np.ndarray:
    """Return the number of the bin that each value lies in; −1 for NaN."""
    inside = np.clip(np.digitize(values, BINS[1:-1]), 0, len(BINS) - 2)
    return np.where(np.isnan(values), -1, inside)


def violin_chart(
    values: np.ndarray,
    highest: np.ndarray,
    predicted: np.ndarray,
    classes: Sequence[str],
    title: str,
    axis: str,
    limit: float,
) -> dict[str, Any]:
    """Draw the density of values in [0, limit] by bin of the highest weight, classes on two sides.

    values, highest, predicted of any one shape. A dot marks the median of a class in a bin; a
    third class and more are drawn above the line like the first.
    """
    import altair as alt

    points: list[dict[str, Any]] = []
    medians: list[dict[str, Any]] = []
    names = bin_names()
    bins = bin_of(highest)
    for number, name in enumerate(names):
        for index, label in enumerate(classes):
            chosen = values[(bins == number) & (predicted == index) & ~np.isnan(values)]
            if not chosen.size:
                continue
            side = -1 if index == 1 else 1
            curve = density_rows(label, chosen, 0.0, limit)
            tallest = max(point["density"] for point in curve)
            points += [p | {"bin": name, "density": side * p["density"] / tallest} for p in curve]
            middle = {"curve": label, "bin": name, "value": float(np.median(chosen)), "n": chosen.size}
            medians.append(middle | {"density": 0.12 * side})
    scale = alt.Scale(domain=list(classes), range=PALETTE[: len(classes)])
    x = alt.X("value:Q", title=axis, scale=alt.Scale(domain=[0, limit]))
    y = alt.Y("density:Q", title=None, axis=None, scale=alt.Scale(domain=[-1.1, 1.1]))
    colour = alt.Color("curve:N", scale=scale, title="predicted")
    shapes = alt.Chart().mark_area(opacity=0.55).encode(x=x, y=y.stack(None), color=colour)
    dots = (
        alt.Chart()
        .transform_filter("isValid(datum.n)")
        .mark_point(filled=True, size=40, opacity=1, stroke="white", strokeWidth=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=["curve:N", "n:Q", alt.Tooltip("value:Q", format=".3f", title="median")],
        )
    )
    areas = shapes.transform_filter("!isValid(datum.n)")
    panels = alt.layer(areas, dots, data=alt.InlineData([*points, *medians])).properties(
        width=WIDTH, height=_HEIGHT
    )
    header = alt.Header(labelAngle=0, labelAlign="left", labelFontSize=12, titleFontSize=12)
    panelled = panels.facet(
        row=alt.Row("bin:N", sort=names[::-1], title="highest weight", header=header), spacing=6
    )
    caption = (
        "Each shaded area is how densely the texts with that highest weight lie, those of the second "
        "predicted class below the middle and all others above. A dot is the median."
    )
    return finish(panelled.properties(title=title), caption)
