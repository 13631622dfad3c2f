"""Run studies: from their files to the folders of their answers."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
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
from attex.studies.making import making
from attex.studies.models import Models
from attex.studies.study_file import StudyFile
from attex.studies.universes import cells_of


@dataclass(frozen=True)
class Planned:
    """A study whose models are planned, and checked on their corpora."""

    file: StudyFile
    models: Models

    @classmethod
    def of(cls, file: StudyFile, workspace: Workspace) -> "Planned":
        """Plan a study, or say what is wrong with it; nothing is trained."""
        models = Models(cells_of(file), file.seeds, workspace, file.name)
        offered = [(c.about, names) for c, names in zip(models.cells, models.offered, strict=True)]
        try:
            file.study.check(offered)
        except UserError as trouble:
            raise UserError(f"{file.origin}: {trouble}") from None
        return cls(file, models)

    def keep_runs(self, workspace: Workspace, engine: Engine) -> None:
        """Leave a run folder of every universe, too."""
        configs = [config for cell in self.models.cells for config in cell.configs]
        apart: list[ExperimentConfig] = [one for config in configs for one in seeds_apart(config)]
        for done in execute(apart, workspace, engine):
            if done.trouble is not None:
                raise done.trouble
            say(f"{done.config.name}: open {done.path}")

    def lay_out(self, failed: int, workspace: Workspace) -> Path:
        """Write the folder of the answer."""
        runs, rows = gathered(self.models, self.file.choices)
        say(f"report: {self.file.name}")
        answer = self.file.study(runs, [cell.design for cell in self.models.cells])
        return write_study_folder(self.file, self.models, answer, rows, failed, workspace)


def run_planned(
    studies: Sequence[Planned],
    workspace: Workspace,
    engine: Engine,
    until: str = "report",
    elsewhere: Container[str] = (),
) -> Iterator[tuple[Planned, Path | None, int]]:
    """Run studies together; yield each with its folder, if it goes so far, and how many models failed.

    What is in the cache is not made again, and models whose keys are `elsewhere` are not made at all.
    """
    with engine:
        # First: numbers are then taken from what the runs have made, and nothing is trained twice.
        for study in studies:
            if study.file.keep == "runs" and until == "report":
                study.keep_runs(workspace, engine)
        for place, failed in making([study.models for study in studies], engine, elsewhere):
            study = studies[place]
            yield study, study.lay_out(failed, workspace) if until == "report" else None, failed


def run_study(
    file: StudyFile, workspace: Workspace, engine: Engine, until: str = "report"
) -> tuple[Path | None, int]:
    """Run one study; return its folder, if it goes so far, and how many models could not be made."""
    ((_, path, failed),) = run_planned([Planned.of(file, workspace)], workspace, engine, until)
    return path, failed
