"""What all pages are: one HTML file that needs no network."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.report.charts_code import charts_code
from attex.report.scripts import script, style

if TYPE_CHECKING:
    import polars as pl
    from jinja2 import Environment


@dataclass(frozen=True)
class ShownTable:
    """A table as a page shows it: under a heading that opens it, or at once where it has none.

    The remark says where the rest is of a table that is shown in part.
    """

    table: "pl.DataFrame"
    heading: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Section:
    """One question of a page: what it is about, then sentences, tables and charts that answer it."""

    title: str
    explanation: str
    sentences: Sequence[str] = ()
    tables: Sequence[ShownTable] = ()
    charts: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """What a page holds, of whatever it is: a title, sections, and how they came about.

    `facts` stand below the title, `lead` are the sentences that a reader in a hurry reads. Every word
    is escaped by the templates.
    """

    title: str
    sections: Sequence[Section]
    config: Mapping[str, Any]
    manifest: Mapping[str, Any]
    facts: Sequence[str] = ()
    lead: Sequence[str] = ()

    def render(self, template: str, kept_in: Path, **more: Any) -> str:
        """Fill a template, which may need `more` than every page has; pages share what is `kept_in`."""
        charts = {name: chart for section in self.sections for name, chart in section.charts.items()}
        return (
            environment()
            .get_template(template)
            .render(
                page=self,
                config_json=json.dumps(self.config, indent=2, ensure_ascii=False),
                manifest_json=json.dumps(self.manifest, indent=2, ensure_ascii=False),
                charts_json=script_safe(json.dumps(charts)),
                charts_code=charts_code(kept_in) if charts else "",
                **more,
            )
        )


def script_safe(code: str) -> str:
    """Keep text that a script element holds from ending it."""
    return re.sub(r"<(?=[/!])", r"\\u003c", code)


@functools.cache
def environment() -> "Environment":
    """Return what fills templates; whatever is put into one is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("attex.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = written
    environment.globals |= {"script": script, "style": style}
    return environment


def written(value: Any) -> str:
    """Write a cell of a table as a person reads it."""
    if isinstance(value, float):
        # What three decimals would call nothing is shown with its size.
        tiny = 0 < abs(value) < 0.001
        shown = f"{value:.1e}" if tiny else f"{value:.3f}"
        return "undefined" if value != value else shown.replace("-", "−")
    if value is None:
        return "undefined"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
