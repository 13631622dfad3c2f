"""The folder that a study leaves: tables, figures, page and how they came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.summary import frame
from attex.charts.pictures import draw
from attex.foundations.storage import write_json, write_text
from attex.report.study_page import render_study
from attex.runner.manifest import made_with
from attex.runner.run_folder import write_table, write_whole
from attex.runner.workspace import Workspace
from attex.studies.ledger_words import COLUMNS
from attex.studies.models import Models
from attex.studies.study import Answer
from attex.studies.study_file import StudyFile

if TYPE_CHECKING:
    import polars as pl

NUMBERS = "tables/numbers"
"""The table with every number of every model."""

PUBLISHED = "tables/published"
"""The same in the words of the ledger, where the study has others: what `attex claims` judges by."""

ANSWER = "answer.json"
"""What came of it, in a few sentences: those that lead the page."""


@dataclass(frozen=True)
class Origin:
    """How an answer came about: its title, the kind of study, what was asked, and with what."""

    title: str
    kind: str
    config: Mapping[str, Any]
    manifest: Mapping[str, Any]
    facts: Sequence[str]


def write_study_folder(
    file: StudyFile,
    models: Models,
    answer: Answer,
    rows: Sequence[dict[str, Any]],
    failed: int,
    workspace: Workspace,
) -> Path:
    """Assemble `<output>/<study>/<timestamp>`; it is there whole or not at all."""
    manifest = _manifest(file, models, failed, workspace)
    origin = Origin(file.name, file.spec.type, file.resolved(), manifest, _facts(models, failed))
    place = workspace.output / file.name
    tables = {NUMBERS: frame(rows)}
    named = file.study.as_published(rows)
    if named is not None:
        nothing = frame([dict.fromkeys(COLUMNS)]).clear()
        tables[PUBLISHED] = frame([dict(row) for row in named]) if named else nothing
    return write_answer_folder(place, origin, answer, tables, workspace.cache.root)


def write_answer_folder(
    place: Path, origin: Origin, answer: Answer, tables: "Mapping[str, pl.DataFrame]", kept_in: Path
) -> Path:
    """Assemble `<place>/<timestamp>` of an answer and the tables that no part of it shows.

    What pages share is `kept_in` a folder.
    """

    def fill(folder: Path) -> None:
        write_json(folder / "config.json", origin.config)
        write_json(folder / "manifest.json", origin.manifest)
        write_json(folder / ANSWER, {"lead": list(answer.lead), "facts": list(origin.facts)})
        headlines = [{"analysis": origin.kind} | vars(headline) for headline in answer.headlines]
        write_table(folder / "headlines", frame(headlines))
        for name, table in tables.items():
            write_table(folder / name, table)
        (folder / "graphs").mkdir()
        for part in answer.parts:
            for name, table in part.tables.items():
                write_table(folder / name, table)
            draw(part.charts, folder / "graphs")
        page = render_study(
            origin.title,
            answer.lead,
            answer.parts,
            origin.config,
            origin.manifest,
            kept_in,
            origin.facts,
        )
        write_text(folder / "report.html", page)

    return write_whole(place, fill)


def _facts(models: Models, failed: int) -> list[str]:
    settings = sum(len(cell.configs) for cell in models.cells)
    seeds, cells = len(models.seeds), len(models.cells)
    facts = [
        f"{len(models.distinct()) - failed:,} models",
        f"{cells} cell{'s' * (cells > 1)}",
        f"{settings:,} settings",
        f"{seeds} seed{'s' * (seeds > 1)} of each",
    ]
    return facts + ([f"{failed} models could not be made"] if failed else [])


def _manifest(file: StudyFile, models: Models, failed: int, workspace: Workspace) -> dict[str, Any]:
    made = [*models.records()]
    return {
        "study": file.name,
        **made_with(workspace.device),
        "seeds": list(file.seeds),
        "files": models.files,
        "left_out": models.left_out,
        "designs": [
            {"cell": dict(cell.about), "kind": cell.design.kind, "weights": cell.design.weights}
            for cell in models.cells
        ],
        "failed": failed,
        "seconds": round(sum(one["seconds"] for one in made), 1),
        "models": made,
    }
