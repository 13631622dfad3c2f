"""The page of a study: many models, one answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.report.page import Page, Section, ShownTable, written

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE = 16
"""As many rows are shown without being asked for."""

_ROWS = 100
"""As many rows of a table a page shows at all; a study can have a hundred thousand."""


@dataclass(frozen=True)
class Part:
    """One question of a study and its answer, as plain data.

    `sentences` say in words what `tables` say in numbers, and are made from them. Tables go by their
    path in the study's folder (no suffix, as `tables/shares`), Vega-Lite charts by name, the one that
    answers the question first. No two parts have charts of the same name.
    """

    title: str
    explanation: str
    sentences: Sequence[str] = ()
    tables: "Mapping[str, pl.DataFrame]" = field(default_factory=dict)
    charts: Mapping[str, dict[str, Any]] = field(default_factory=dict)


def render_study(
    title: str,
    lead: Sequence[str],
    parts: Sequence[Part],
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    kept_in: Path,
    facts: Sequence[str] = (),
) -> str:
    """Render the page of a study.

    Args:
        title: The study's name.
        lead: What came of it, in a few sentences.
        parts: Its questions, in the order they are shown.
        config: The study file as it was read, every default filled in.
        manifest: How it came about. `attex` is the version; `left_out` names what is missing, and why.
        kept_in: A folder for what pages share.
        facts: What stands below the title, as "1,944 models".

    Raises:
        ValueError: if two charts have the same name, of which one would be shown twice.
    """
    names = [name for part in parts for name in part.charts]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two charts of a study are called {twice[0]}")
    sections = [
        Section(part.title, part.explanation, part.sentences, _shown(part.tables), part.charts)
        for part in parts
    ]
    page = Page(title, sections, config, manifest, facts, lead)
    return page.render("study.html.j2", kept_in)


def _shown(tables: "Mapping[str, pl.DataFrame]") -> list[ShownTable]:
    """Show the first table at once if it is short, all others when asked for, and no more than fits."""
    shown = []
    for number, (path, table) in enumerate(tables.items()):
        rows = table.height
        words = path.removeprefix("tables/").replace("_", " ")
        title = words[:1].upper() + words[1:]
        open_at_once = number == 0 and rows <= _AT_ONCE
        heading = "" if open_at_once else f"{title} ({rows:,} row{'s' if rows != 1 else ''})"
        table, remark = _without_repetition(table)
        if rows > _ROWS:
            remark += f" The first {_ROWS} of {rows:,} rows; all are in {path}.csv."
        shown.append(ShownTable(table.head(_ROWS), heading, remark.strip()))
    return shown


def _without_repetition(table: "pl.DataFrame") -> "tuple[pl.DataFrame, str]":
    """Take out columns with the same cell in every row, and say once what it is."""
    same = [column.name for column in table if table.height > 1 and column.n_unique() == 1]
    if not same or len(same) == table.width:
        return table, ""
    told = "; ".join(f"{name.replace('_', ' ')}: {written(table[name][0]) or 'none'}" for name in same)
    return table.drop(same), f"The same in all rows: {told}."
