"""In which share of the universes each conclusion holds: by cell, and by choice."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from attex.charts.choice_rows import ChoiceRows, choice_rows
from attex.charts.style import HOLDS, VERDICTS, WIDE, finish, short

_WIDTH = WIDE - 220
_BESIDE = 4
"""Up to so many cells stand below each conclusion; of more, each has a row, each conclusion a column."""

_COLUMN, _LETTERS = 48, 13
_LABEL = 400


def verdicts_chart(rows: Sequence[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """Draw what the universes of each cell say of each conclusion.

    A row has conclusion, cell, and the numbers of universes that say each verdict: holds, undecided,
    reversed; and undefined, if some have no value. A conclusion need not concern every cell.
    """
    conclusions = list(dict.fromkeys(row["conclusion"] for row in rows))
    cells = list(dict.fromkeys(row["cell"] for row in rows))
    if len(cells) > _BESIDE:
        chart = _columns(rows, conclusions, cells, title)
        caption = (
            "A bar is the universes of a cell, cut by what they say of the conclusion above; their "
            "number stands beside it."
        )
        return finish(chart, caption + _left_out(rows))
    if len(cells) == 1:
        places = ChoiceRows(tuple(conclusions), ())
        row_of = {(conclusion, cells[0]): row for row, conclusion in enumerate(conclusions)}
    else:
        pairs = [(row["conclusion"], row["cell"]) for row in rows]
        places = choice_rows({c: [cell for cell in cells if (c, cell) in pairs] for c in conclusions})
        row_of = places.named()
    placed = [(row_of[row["conclusion"], row["cell"]], row) for row in rows]
    caption = "A bar is the universes of a cell, cut by what they say. Beside it: in how many it holds."
    return finish(_bars(placed, places, title, ("conclusion", "cell")), caption + _left_out(rows))


def verdicts_by_level_chart(
    rows: Sequence[Mapping[str, Any]], choices: Mapping[str, Sequence[str]], title: str
) -> dict[str, Any]:
    """Draw what the universes that have each level of each choice say of one conclusion.

    A row has choice, level, and the numbers of universes that say each verdict, as above.
    """
    places = choice_rows(choices)
    row_of = places.named()
    placed = [(row_of[row["choice"], row["level"]], row) for row in rows]
    caption = (
        "A bar is the universes with that level, cut by what they say. Beside it: in how many it holds."
    )
    # Every choice has all universes in its levels, so that those of one choice are to be counted.
    one = [row for row in rows if row["choice"] == rows[0]["choice"]]
    return finish(_bars(placed, places, title, ("choice", "level")), caption + _left_out(one))


def _left_out(rows: Sequence[Mapping[str, Any]]) -> str:
    count = sum(row.get("undefined", 0) for row in rows)
    return f" Left out for want of a value: {count:,}." if count else ""


def _parts(counts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Cut a bar of length 1 by the numbers of universes with each verdict; no bar if there are none."""
    total = sum(counts[verdict] for verdict in VERDICTS)
    parts, start = [], 0.0
    for verdict in VERDICTS if total else ():
        end = start + counts[verdict] / total
        part = {"verdict": verdict, "start": short(start), "end": short(end)}
        parts.append(part | {"universes": counts[verdict], "of": total})
        start = end
    return parts


def _encoding(axis: Any, title: str | None) -> dict[str, Any]:
    import altair as alt

    colours = alt.Scale(domain=[*VERDICTS], range=[*VERDICTS.values()])
    x = alt.X("start:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))
    return {"x": x, "x2": "end:Q", "color": alt.Color("verdict:N", scale=colours)}


def _bars(
    placed: Sequence[tuple[int, Mapping[str, Any]]],
    places: ChoiceRows,
    title: str,
    names: tuple[str, str],
) -> Any:
    """Draw a bar in each row, and right of it in how many of its universes the conclusion holds."""
    import altair as alt

    parts = [
        {name: row[name] for name in names} | {"row": place} | part
        for place, row in placed
        for part in _parts(row)
    ]
    told = [
        {"row": place, "told": f"{row[HOLDS]:,} of {sum(row[v] for v in VERDICTS):,}"}
        for place, row in placed
    ]
    y = places.axis(_LABEL)
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    bars = (
        alt.Chart(alt.InlineData(parts), title=title)
        .mark_bar(height=11)
        .encode(
            y=y,
            **_encoding(axis, "share of universes"),
            tooltip=[*(f"{name}:N" for name in names), "verdict:N", "universes:Q", "of:Q"],
        )
    )
    text = alt.Chart(alt.InlineData(told)).mark_text(align="left", fontSize=11, color="#444")
    beside = text.encode(y=y, x=alt.value(_WIDTH + 6), text="told:N")
    return alt.layer(bars, beside).properties(width=_WIDTH, height=places.height)


def _columns(
    rows: Sequence[Mapping[str, Any]], conclusions: Sequence[str], cells: Sequence[str], title: str
) -> Any:
    """Draw a panel for each conclusion, side by side, with the same cells from top to bottom."""
    import altair as alt

    places = ChoiceRows(tuple(cells), ())
    panels = []
    for number, conclusion in enumerate(conclusions):
        some = [row for row in rows if row["conclusion"] == conclusion]
        parts = [
            {"row": cells.index(row["cell"]), "cell": row["cell"]} | part
            for row in some
            for part in _parts(row)
        ]
        told = [{"row": cells.index(r["cell"]), "n": sum(r[v] for v in VERDICTS)} for r in some]
        y = places.axis() if number == 0 else places.axis().axis(None)
        lines = textwrap.wrap(conclusion, _LETTERS)
        heading = alt.TitleParams(
            lines, fontSize=11, fontWeight="normal", anchor="start", frame="group", offset=6
        )
        axis = alt.Axis(format="%", values=[0, 1], labelFlush=True, labelFontSize=9)
        bars = (
            alt.Chart(alt.InlineData(parts), title=heading)
            .mark_bar(height=11)
            .encode(y=y, **_encoding(axis, None), tooltip=["cell:N", "verdict:N", "universes:Q", "of:Q"])
        )
        text = alt.Chart(alt.InlineData(told)).mark_text(align="left", fontSize=9, color="#777")
        beside = text.encode(y=y, x=alt.value(_COLUMN + 3), text="n:Q")
        panels.append(alt.layer(bars, beside).properties(width=_COLUMN, height=places.height))
    return alt.hconcat(*panels, spacing=12, title=title)
