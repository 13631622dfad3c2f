"""The pages of a site: what each is called and for, and the frame that all of them have."""

import enum
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attex.report.page import Page, script_safe

RUNS_OF_UNIVERSES = '<script type="application/json" id="universes">{}</script>'
"""Where the page of a study has the runs of its universes, by experiment; a site fills it."""


class SitePage(enum.Enum):
    """A page of the site: its template, title and file."""

    RUNS = ("site_runs", "Runs", "index.html")
    COMPARE = ("site_compare", "Compare two runs", "compare.html")
    STUDIES = ("site_studies", "Studies", "studies.html")
    LEDGER = ("site_ledger", "Published numbers", "ledger.html")


def render_site_page(
    kind: SitePage,
    of: str,
    facts: Sequence[str],
    left_out: Mapping[str, str],
    attex: str,
    shown: Mapping[str, Any],
) -> str:
    """Render a page of the site of an output folder; the data of most lie beside it, as scripts."""
    template, title, _ = kind.value
    page = Page(f"{title}: {of}", [], {}, {"attex": attex, "left_out": dict(left_out)}, facts)
    # No chart is drawn, so that nothing is kept anywhere.
    return page.render(f"{template}.html.j2", Path(), pages=[*SitePage], here=kind, **shown)


def with_runs(report: str, links: Mapping[str, str]) -> str:
    """Give the page of a study the links to the runs of its universes.

    A page of an earlier version has no place for them, and stays as it is.
    """
    filled = RUNS_OF_UNIVERSES.replace("{}", script_safe(json.dumps(dict(links), ensure_ascii=False)))
    return report.replace(RUNS_OF_UNIVERSES, filled, 1)
