"""Write the site: its pages, and scripts with the data that they show."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import attex
from attex.foundations.errors import UserError
from attex.foundations.progress import track
from attex.foundations.storage import finite, write_text
from attex.report.site_pages import SitePage, render_site_page, with_runs
from attex.site.contents import SiteStudy, contents_of
from attex.site.ledger import COLUMNS, ledger_rows
from attex.site.numbers import numbers_of
from attex.studies.config_changes import changed_settings

SITE = "site"
"""The folder in an output folder that its site is in, unless another is named."""

DATA, PAGES, STUDIES = "data", "pages", "studies"
_SHOWN = ("report.html", "explorer", "tables", "graphs")
"""What of a run a reader of the site may want: its page, and what that links to."""


class SiteBuilder:
    """The site of one output folder.

    In that folder it links to the reports where they are; elsewhere it has copies of them, so that it
    can be published on its own.
    """

    def __init__(self, output: Path, target: Path | None = None) -> None:
        self.output, self.target = output, target or output / SITE
        self._copies = target is not None
        self.contents = contents_of(output)
        if not (self.contents.runs or self.contents.studies):
            raise UserError(f"no finished run in {output}")

    def build(self) -> Path:
        """Write all pages and their data; return the one to open."""
        for folder in (DATA, STUDIES):
            (self.target / folder).mkdir(parents=True, exist_ok=True)
        contents = self.contents
        self._write_data("runs", self._runs())
        ledger = {"columns": COLUMNS, "rows": ledger_rows(contents.newest()) if contents.runs else []}
        self._write_data("ledger", ledger)
        studies = [*self._studies()]
        self._write_page("index", SitePage.RUNS, comparisons=self._comparisons())
        self._write_page("compare", SitePage.COMPARE)
        self._write_page("studies", SitePage.STUDIES, studies=studies)
        self._write_page("ledger", SitePage.LEDGER)
        return self.target / "index.html"

    def _runs(self) -> dict[str, Any]:
        """Write each run's numbers, and return what the list of runs shows of all."""
        runs = self.contents.runs
        changed = changed_settings([run.config for run in runs])
        studies = tuple(f"{study.manifest['study']}." for study in self.contents.studies)
        rows = []
        for number, run in enumerate(track(runs, SITE, len(runs))):
            listed = run.listed
            trouble = listed.trouble
            try:
                self._write_script(f"run-{number}", f"take({number}, {_json(numbers_of(listed.path))})")
            except UserError as error:
                trouble = trouble or str(error)
            rows.append(
                {
                    "experiment": listed.experiment,
                    "when": listed.when,
                    "dataset": run.config["data"]["type"],
                    "seeds": listed.seeds,
                    "href": self._href(listed.path, self.target),
                    "path": quote(str(listed.path)),
                    "universe": listed.experiment.startswith(studies),
                    "trouble": trouble,
                    "headlines": [vars(first) for first, *_ in listed.headlines.values()],
                    "settings": {key: values[number] for key, values in changed.items()},
                }
            )
        return {"runs": rows, "settings": list(changed), "comparisons": self._compared()}

    def _compared(self) -> list[dict[str, Any]]:
        """Say which runs were compared by `attex compare`, by their numbers, and where that is."""
        place = {run.listed.path.resolve(): number for number, run in enumerate(self.contents.runs)}
        return [
            {
                "runs": [place.get(Path(path)) for path in one.manifest["runs"].values()],
                "href": self._href(one.listed.path, self.target),
            }
            for one in self.contents.comparisons
        ]

    def _comparisons(self) -> list[dict[str, Any]]:
        return [self._told(one, self.target) for one in self.contents.comparisons]

    def _studies(self) -> Iterator[dict[str, Any]]:
        """Write the page of each study, from whose ticks runs open; yield what is said of each."""
        folder = self.target / STUDIES
        runs = {run.listed.experiment: run for run in reversed(self.contents.runs)}
        for number, study in enumerate(self.contents.studies):
            prefix = f"{study.manifest['study']}."
            links = {
                name: self._href(run.listed.path, folder)
                for name, run in runs.items()
                if name.startswith(prefix)
            }
            page = folder / f"{number}.html"
            report = (study.listed.path / "report.html").read_text(encoding="utf-8")
            write_text(page, with_runs(report, links))
            shown = {name: os.path.relpath(folder / href, self.target) for name, href in links.items()}
            yield self._told(study, self.target) | {"href": f"{STUDIES}/{page.name}", "runs": shown}

    def _told(self, study: SiteStudy, page_in: Path) -> dict[str, Any]:
        return {
            "name": study.listed.experiment,
            "when": study.listed.when,
            "lead": list(study.lead),
            "facts": list(study.facts),
            "href": self._href(study.listed.path, page_in),
        }

    def _href(self, folder: Path, page_in: Path) -> str:
        """Return the link to the report of a folder, from a page that lies in another."""
        if self._copies:
            copy = self.target / PAGES / folder.parent.name / folder.name
            if not copy.exists():
                _copy(folder, copy)
            folder = copy
        return "/".join(Path(os.path.relpath(folder / "report.html", page_in)).parts)

    def _write_page(self, name: str, kind: SitePage, **shown: Any) -> None:
        facts = self._facts() if kind is SitePage.RUNS else ()
        left_out = self.contents.unreadable if kind is SitePage.RUNS else {}
        page = render_site_page(kind, str(self.output), facts, left_out, attex.__version__, shown)
        write_text(self.target / f"{name}.html", page)

    def _facts(self) -> Sequence[str]:
        contents = self.contents
        counted = {
            "run": len(contents.runs),
            "experiment": len(contents.newest()),
            "comparison": len(contents.comparisons),
        }
        facts = [f"{count:,} {name}{'s' * (count != 1)}" for name, count in counted.items()]
        studies = len(contents.studies)
        return [*facts, f"{studies:,} stud{'y' if studies == 1 else 'ies'}"]

    def _write_data(self, name: str, value: Mapping[str, Any]) -> None:
        self._write_script(name, f"{name} = {_json(value)}")

    def _write_script(self, name: str, code: str) -> None:
        # A script and no JSON: from a file, a page may load the one and not the other.
        write_text(self.target / DATA / f"{name}.js", f"attexSite.{code};\n")


def _json(value: Any) -> str:
    return json.dumps(finite(value), ensure_ascii=False, separators=(",", ":"))


def _copy(folder: Path, copy: Path) -> None:
    copy.mkdir(parents=True)
    for name in _SHOWN:
        if (folder / name).is_dir():
            shutil.copytree(folder / name, copy / name)
        elif (folder / name).is_file():
            shutil.copyfile(folder / name, copy / name)
