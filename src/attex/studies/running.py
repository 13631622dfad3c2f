"""Run a study: from its file to the folder of its answer."""

from collections.abc import Container, Sequence
from pathlib import Path

from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError
from attex.foundations.progress import say
from attex.runner.engine import Engine
from attex.runner.execution import execute
from attex.runner.masking import seeds_apart
from attex.runner.workspace import Workspace
from attex.studies.folder import write_study_folder
from attex.studies.gathering import gathered
from attex.studies.models import Models
from attex.studies.study_file import StudyFile
from attex.studies.universes import cells_of


def run_study(
    file: StudyFile,
    workspace: Workspace,
    engine: Engine,
    until: str = "report",
    dry_run: bool = False,
    elsewhere: Container[str] = (),
) -> tuple[Path | None, int]:
    """Run a study; return its folder, if it goes so far, and how many models could not be made.

    Everything is checked before the first model is trained. What is in the cache is not made again, and
    models whose keys are `elsewhere` are not made at all.
    """
    cells, study = cells_of(file), file.study
    with engine:
        models = Models(cells, file.seeds, workspace)
        try:
            study.check(
                [(cell.about, names) for cell, names in zip(models.cells, models.offered, strict=True)]
            )
        except UserError as trouble:
            raise UserError(f"{file.origin}: {trouble}") from None
        if dry_run:
            models.tell(elsewhere)
            return None, 0
        if file.keep == "runs" and until == "report":
            # First: numbers are then taken from what the runs have made, and nothing is trained twice.
            _keep_runs([config for cell in models.cells for config in cell.configs], workspace, engine)
        failed = models.make(engine, elsewhere)
        if until != "report":
            return None, failed
    runs, rows = gathered(models, file.choices)
    say(f"report: {file.name}")
    answer = study(runs, [cell.design for cell in models.cells])
    return write_study_folder(file, models, answer, rows, failed, workspace), failed


def _keep_runs(configs: Sequence[ExperimentConfig], workspace: Workspace, engine: Engine) -> None:
    """Leave a run folder of every universe, too."""
    apart = [one for config in configs for one in seeds_apart(config)]
    for done in execute(apart, workspace, engine):
        if done.trouble is not None:
            raise done.trouble
        say(f"{done.config.name}: open {done.path}")
