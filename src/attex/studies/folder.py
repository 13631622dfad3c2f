"""The folder that a study leaves: tables, figures, page and how they came about."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attex.analyses.summary import frame
from attex.charts.pictures import draw
from attex.foundations.storage import write_json, write_text
from attex.report.study_page import render_study
from attex.runner.manifest import made_with
from attex.runner.run_folder import write_table, write_whole
from attex.runner.workspace import Workspace
from attex.studies.models import Models
from attex.studies.study import Answer
from attex.studies.study_file import StudyFile

NUMBERS = "tables/numbers"
"""The table with every number of every model."""


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

    def fill(folder: Path) -> None:
        write_json(folder / "config.json", file.resolved())
        write_json(folder / "manifest.json", manifest)
        headlines = [{"analysis": file.spec.type} | vars(headline) for headline in answer.headlines]
        write_table(folder / "headlines", frame(headlines))
        write_table(folder / NUMBERS, frame(rows))
        (folder / "graphs").mkdir()
        for part in answer.parts:
            for name, table in part.tables.items():
                write_table(folder / name, table)
            draw(part.charts, folder / "graphs")
        page = render_study(
            file.name,
            answer.lead,
            answer.parts,
            file.resolved(),
            manifest,
            workspace.cache.root,
            _facts(models, failed),
        )
        write_text(folder / "report.html", page)

    return write_whole(workspace.output / file.name, fill)


def _facts(models: Models, failed: int) -> list[str]:
    settings = sum(len(cell.configs) for cell in models.cells)
    seeds, cells = len(models.seeds), len(models.cells)
    facts = [
        f"{settings * seeds - failed:,} models",
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
