"""The page of a run."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.analysis import Analysis, Headline, Result
from attex.data.left_out import LeftOut
from attex.report.page import Page, Section, script_safe
from attex.report.run_tables import Shown, misleads, shown_tables
from attex.report.verdict import near_chance, verdict

if TYPE_CHECKING:
    import polars as pl

LEFT_OUT_ROWS = "left_out_rows.csv"
"""The file of a run folder that lists every text that was left out."""

_LISTED = 100
_AT_ONCE = 4
"""As many charts of an analysis are shown without being asked for."""
_TWINS = 3
"""As many published numbers stand on the first screen."""


@dataclass(frozen=True)
class AnalysisSection(Section):
    """What an analysis found: its tables as grids, its first charts, and the others when asked for."""

    anchor: str = ""
    grids: Sequence[Shown] = ()
    more_charts: Mapping[str, dict[str, Any]] = field(default_factory=dict)


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
    """Render the page of what the analyses found, in their order; that of performance comes first.

    `explorer` are the texts as `report/explorer.py` packs them, `claims` rows of published numbers
    beside ours; `kept_in` is a folder for what pages share. Of the texts that were `left_out` the page
    lists the first: it must stay small however many they are.
    """
    headline: list[Headline] = [line for _, result in analyses for line in result.headline]
    sections = [_section(analysis, result) for analysis, result in analyses]
    warning = near_chance(analyses)
    page = Page(config["name"], sections, config, manifest, lead=verdict(analyses))
    return page.render(
        "run.html.j2",
        kept_in,
        config=config,
        metrics=metrics,
        headline=headline,
        warning=warning,
        figure=_figure(sections),
        explorer=script_safe(json.dumps(explorer)),
        claims=claims,
        twins=_twins(claims),
        left_out=left_out[:_LISTED],
        left_out_rows=LEFT_OUT_ROWS,
        has_truth="truth" in explorer["texts"],
        has_query="query_tokens" in explorer["texts"],
        scores_query="query_scores" in explorer["first"],
    )


def _section(analysis: Analysis, result: Result) -> AnalysisSection:
    names = [*result.charts]
    corrected = [name for name in names if not _is_misleading(name, result.tables.values())]
    first = corrected[:_AT_ONCE]
    return AnalysisSection(
        analysis.title,
        analysis.explanation,
        charts={name: result.charts[name] for name in first},
        anchor=analysis.title.lower().replace(" ", "-"),
        grids=shown_tables(analysis, result.tables),
        more_charts={name: result.charts[name] for name in names if name not in first},
    )


def _is_misleading(chart: str, tables: "Iterable[pl.DataFrame]") -> bool:
    """Say whether a chart is of a statistic that misleads: the names of both begin or end alike."""
    statistics = {
        str(title) for table in tables if "statistic" in table.columns for title in table["statistic"]
    }
    words = {title.partition("(")[0] for title in statistics if misleads(title)}
    return any(word in chart for word in words)


def _figure(sections: Sequence[AnalysisSection]) -> tuple[str, dict[str, Any]] | None:
    """Choose the figure of the first screen: the first one of what was asked first."""
    return next((chart for section in sections for chart in section.charts.items()), None)


def _twins(claims: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Choose the published numbers of the first screen: about attention, by what does not mislead."""
    about_all = [row for row in claims if row["class"] in ("", "overall", None)] or list(claims)
    fair = [row for row in about_all if not misleads(row["quantity"])] or about_all
    own = [row for row in fair if "attention" in row["quantity"]] or fair
    return own[:_TWINS]
