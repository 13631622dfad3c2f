"""The page of a run."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.analysis import Analysis, Headline, Result
from attex.analyses.summary import ALL_SEEDS
from attex.data.left_out import LeftOut
from attex.report.page import Page, Section, ShownTable, script_safe

if TYPE_CHECKING:
    import polars as pl

LEFT_OUT_ROWS = "left_out_rows.csv"
"""The file of a run folder that lists every text that was left out."""

_LISTED = 100
_IDENTIFYING = ("experiment", "dataset", "encoder", "attention", "projection")


def render_run(
    config: dict[str, Any],
    metrics: dict[str, Any],
    analyses: Sequence[tuple[Analysis, Result]],
    explorer: dict[str, Any],
    manifest: dict[str, Any],
    claims: Sequence[dict[str, Any]],
    kept_in: Path,
    left_out: Sequence[LeftOut] = (),
) -> str:
    """Render the page of what the analyses found, in their order.

    `claims` are rows of published numbers beside ours; `kept_in` is a folder for what pages share. Of
    the texts that were `left_out` the page lists the first: it must stay small however many they are.
    """
    headline: list[Headline] = [line for _, result in analyses for line in result.headline]
    sections = [_section(analysis, result) for analysis, result in analyses]
    return Page(config["name"], sections, config, manifest).render(
        "run.html.j2",
        kept_in,
        config=config,
        metrics=metrics,
        headline=headline,
        explorer=script_safe(json.dumps(explorer)),
        claims=claims,
        left_out=left_out[:_LISTED],
        left_out_rows=LEFT_OUT_ROWS,
        has_truth="truth" in explorer["texts"],
    )


def _section(analysis: Analysis, result: Result) -> Section:
    tables = (name for name in result.tables if name.startswith("tables/"))
    shown = [part for number, name in enumerate(tables) for part in _shown(number, name, result)]
    return Section(analysis.title, analysis.explanation, tables=shown, charts=result.charts)


def _shown(number: int, name: str, result: Result) -> Iterator[ShownTable]:
    """Show a table in two, all seeds together and each (where there are several), the first at once."""
    title = "" if number == 0 else name.removeprefix("tables/").replace("_", " ").capitalize()
    table = result.tables[name].drop(_IDENTIFYING, strict=False)
    # A column that says nothing here, as a control that was not asked for, is left to the file.
    table = table.select([column for column in table if not _empty(column)])
    pooled = table.filter(table["seed"] == ALL_SEEDS)
    yield ShownTable(table if pooled.is_empty() else pooled, title)
    each = table.filter(table["seed"] != ALL_SEEDS)
    if not pooled.is_empty() and not each.is_empty():
        yield ShownTable(each, f"{title}, each seed" if title else "Each seed")


def _empty(column: "pl.Series") -> bool:
    if column.dtype.is_float():
        return bool(column.is_nan().all())
    return all(cell == "" for cell in column)
