"""The report: one HTML file that needs no network."""

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.analysis import Analysis, Headline, Result
from attex.analyses.summary import ALL_SEEDS
from attex.data.left_out import LeftOut
from attex.report.charts_code import charts_code
from attex.report.examples import Example

if TYPE_CHECKING:
    import polars as pl
    from jinja2 import Environment

LEFT_OUT_ROWS = "left_out_rows.csv"
"""The file of a run folder that lists every text that was left out."""

_LISTED = 100
_IDENTIFYING = ("experiment", "dataset", "encoder", "attention", "projection")


@dataclass(frozen=True)
class Section:
    """An analysis and what it found."""

    analysis: Analysis
    result: Result

    @property
    def tables(self) -> "list[Shown]":
        """The analysis' tables in the order it gave them."""
        tables = ((n, t) for n, t in self.result.tables.items() if n.startswith("tables/"))
        return [_shown(name, table) for name, table in tables]


@dataclass(frozen=True)
class Shown:
    """A table in two: all seeds together, and each (empty if there is one)."""

    title: str
    pooled: "pl.DataFrame"
    each: "pl.DataFrame"


def _shown(name: str, table: "pl.DataFrame") -> Shown:
    title = name.removeprefix("tables/").replace("_", " ")
    table = table.drop(_IDENTIFYING, strict=False)
    # A column that says nothing here, as a control that was not asked for, is left to the file.
    table = table.select([column for column in table if not _empty(column)])
    pooled = table.filter(table["seed"] == ALL_SEEDS)
    if pooled.is_empty():
        return Shown(title, table, pooled)
    return Shown(title, pooled, table.filter(table["seed"] != ALL_SEEDS))


def _empty(column: "pl.Series") -> bool:
    if column.dtype.is_float():
        return bool(column.is_nan().all())
    return all(cell == "" for cell in column)


def render_page(
    config: dict[str, Any],
    metrics: dict[str, Any],
    sections: Sequence[Section],
    examples: Sequence[Example],
    manifest: dict[str, Any],
    claims: Sequence[dict[str, Any]],
    kept_in: Path,
    left_out: Sequence[LeftOut] = (),
) -> str:
    """Render the page; every word of a dataset is escaped by the template.

    `claims` are rows of published numbers beside ours; `kept_in` is a folder for what pages share. Of
    the texts that were `left_out` the page lists the first: it must stay small however many they are.
    """
    headline: list[Headline] = [line for section in sections for line in section.result.headline]
    charts = {name: chart for section in sections for name, chart in section.result.charts.items()}
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            config=config,
            metrics=metrics,
            sections=sections,
            headline=headline,
            examples=examples,
            manifest=manifest,
            claims=claims,
            left_out=left_out[:_LISTED],
            left_out_rows=LEFT_OUT_ROWS,
            config_json=json.dumps(config, indent=2, ensure_ascii=False),
            manifest_json=json.dumps(manifest, indent=2, ensure_ascii=False),
            charts_json=script_safe(json.dumps(charts)),
            charts_code=charts_code(kept_in) if charts else "",
            has_truth=any(t.decides for e in examples for row in e.rows.values() for t in row),
        )
    )


def script_safe(code: str) -> str:
    """Keep text that a script element holds from ending it."""
    return re.sub(r"<(?=[/!])", r"\\u003c", code)


@functools.cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("attex.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    return environment


def _number(value: Any) -> str:
    if isinstance(value, float):
        # What three decimals would call nothing is shown with its size.
        tiny = 0 < abs(value) < 0.001
        shown = f"{value:.1e}" if tiny else f"{value:.3f}"
        return "undefined" if value != value else shown.replace("-", "−")
    if value is None:
        return "undefined"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
