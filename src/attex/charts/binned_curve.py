"""A specification curve of more universes than can be told apart: bins of them instead."""

from itertools import pairwise
from typing import Any

import numpy as np

from attex.charts.choice_rows import ChoiceRows
from attex.charts.style import PALETTE, VERDICTS, WIDE, short

BINS = 100
_HEIGHT, _STRIP = 240, 44
_BINS, _VERDICTS, _LEVELS = "bins", "verdicts of bins", "levels of bins"


def binned_panels(
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    levels: np.ndarray,
    rows: ChoiceRows,
    kinds: np.ndarray | None,
    axis: str,
    rank: str,
) -> tuple[list[Any], dict[str, list[dict[str, Any]]], str]:
    """Return the panels of the curve, their data, and a caption; all is sorted by value already.

    All bins have the same number of universes, give or take one.
    """
    bins = np.array_split(np.arange(values.size), BINS)
    places = [{"from": int(b[0]) + 0.5, "to": int(b[-1]) + 1.5, "universes": b.size} for b in bins]
    ends = (places[0]["from"], places[-1]["to"])
    panels = [_curve(ends, axis)]
    data = {_BINS: _binned(places, bins, values, low, high)}
    caption = (
        f"Each of {BINS} bins has about {values.size // BINS:,} universes. The line is the median of a "
        "bin, the dark band its middle 90 %, and the pale band goes from the median of the intervals' "
        "lower ends to that of their upper ends."
    )
    if kinds is not None:
        panels.append(_strip(ends))
        data[_VERDICTS] = _judged(places, bins, kinds)
        caption += " The bars below are the shares of universes with each verdict."
    panels.append(_matrix(ends, rows, rank))
    data[_LEVELS] = _chosen(places, bins, levels, rows)
    caption += " The darker a square at the bottom, the more universes of the bin have that level."
    return panels, data, caption


def _binned(
    places: list[dict[str, Any]],
    bins: list[np.ndarray],
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> list[dict[str, Any]]:
    """Summarise each bin; it is drawn at its middle."""
    found = []
    for place, members in zip(places, bins, strict=True):
        lowest, median, highest = np.quantile(values[members], [0.05, 0.5, 0.95])
        numbers = {"lowest": lowest, "median": median, "highest": highest}
        numbers |= {"low": _median(low[members]), "high": _median(high[members])}
        middle = {"from": (place["from"] + place["to"]) / 2, "universes": place["universes"]}
        found.append(middle | {name: short(number) for name, number in numbers.items()})
    return found


def _median(values: np.ndarray) -> float:
    """Return the median of what is defined, NaN if nothing is."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else float("nan")


def _judged(
    places: list[dict[str, Any]], bins: list[np.ndarray], kinds: np.ndarray
) -> list[dict[str, Any]]:
    """Cut each bin by the verdicts of its universes."""
    found = []
    for place, members in zip(places, bins, strict=True):
        start = 0.0
        for verdict in VERDICTS:
            share = float(np.mean(kinds[members] == verdict))
            if share:
                ends = {"start": short(start), "end": short(start + share), "share": short(share)}
                found.append(place | {"verdict": verdict} | ends)
            start += share
    return found


def _chosen(
    places: list[dict[str, Any]], bins: list[np.ndarray], levels: np.ndarray, rows: ChoiceRows
) -> list[dict[str, Any]]:
    """Say for each bin and row which share of the universes has the row's level."""
    blocks = [*pairwise((*rows.headings, len(rows.labels)))]
    found = []
    for place, members in zip(places, bins, strict=True):
        for choice, (heading, end) in enumerate(blocks):
            for level in range(end - heading - 1):
                share = float(np.mean(levels[members, choice] == level))
                at = {"from": place["from"], "to": place["to"], "row": rows.row(choice, level)}
                found.append(at | {"share": round(share, 3)})
    return found


def _place(ends: tuple[float, float], title: str | None) -> Any:
    import altair as alt

    axis = alt.Axis(grid=False, format=",d") if title else None
    scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    return alt.X("from:Q", scale=scale, title=title, axis=axis)


def _curve(ends: tuple[float, float], axis: str) -> Any:
    """Draw the medians above two bands."""
    import altair as alt

    base = alt.Chart(alt.NamedData(_BINS)).properties(width=WIDE, height=_HEIGHT)
    x, scale = _place(ends, None), alt.Scale(zero=False)

    def band(one: str, other: str, opacity: float) -> Any:
        known = base.transform_filter(f"isValid(datum.{one}) && isValid(datum.{other})")
        y = alt.Y(f"{one}:Q", title=axis, scale=scale)
        return known.mark_area(opacity=opacity, color=PALETTE[0]).encode(x=x, y=y, y2=f"{other}:Q")

    names = ("median", "lowest", "highest", "low", "high")
    tooltip = ["universes:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in names)]
    line = base.mark_line(color=PALETTE[0], strokeWidth=2).encode(
        x=x, y=alt.Y("median:Q", title=axis, scale=scale), tooltip=tooltip
    )
    return alt.layer(band("low", "high", 0.18), band("lowest", "highest", 0.45), line)


def _strip(ends: tuple[float, float]) -> Any:
    """Draw which share of each bin has each verdict."""
    import altair as alt

    colours = alt.Scale(domain=[*VERDICTS], range=[*VERDICTS.values()])
    axis = alt.Axis(format="%", values=[0, 0.5, 1], grid=False)
    return (
        alt.Chart(alt.NamedData(_VERDICTS))
        .mark_bar()
        .encode(
            x=_place(ends, None),
            x2="to:Q",
            y=alt.Y("start:Q", title=None, axis=axis, scale=alt.Scale(domain=[0, 1])),
            y2="end:Q",
            color=alt.Color("verdict:N", scale=colours),
            tooltip=["verdict:N", alt.Tooltip("share:Q", format=".0%"), "universes:Q"],
        )
        .properties(width=WIDE, height=_STRIP)
    )


def _matrix(ends: tuple[float, float], rows: ChoiceRows, rank: str) -> Any:
    """Shade each row by the share of the bin's universes that have its level."""
    import altair as alt

    shades = alt.Scale(domain=[0, 1], range=["#f4f5fa", "#1f2c80"])
    legend = alt.Legend(
        title="share of the bin's universes", format="%", orient="bottom", gradientLength=160
    )
    return (
        alt.Chart(alt.NamedData(_LEVELS))
        .transform_calculate(as_="level", calculate=rows.label("datum.row"))
        .mark_rect()
        .encode(
            x=_place(ends, rank),
            x2="to:Q",
            y=rows.axis(),
            color=alt.Color("share:Q", scale=shades, legend=legend),
            tooltip=["level:N", alt.Tooltip("share:Q", format=".0%")],
        )
        .properties(width=WIDE, height=rows.height)
    )
