"""Studies among the files that a user names: told apart from experiments, and run."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from attex.foundations.errors import MissingData, UserError
from attex.foundations.json_text import parse_json
from attex.foundations.progress import say
from attex.runner.engine import Engine
from attex.runner.packing import ENDING, packed_keys
from attex.runner.plan import check_until
from attex.runner.workspace import Workspace
from attex.studies.running import Planned, run_planned
from attex.studies.study_file import StudyFile, find_study


def told_apart(
    files: Sequence[Path], overrides: Sequence[str], external: Mapping[str, str]
) -> tuple[list[StudyFile], list[Path]]:
    """Read the studies among files; return them, and the files that are none."""
    read = {path: find_study(path, overrides, external) for path in files}
    studies = [study for study in read.values() if study is not None]
    return studies, [path for path, study in read.items() if study is None]


def run_studies(
    studies: Sequence[StudyFile],
    workspace: Workspace,
    engine: Engine,
    until: str = "report",
    dry_run: bool = False,
    made_elsewhere: Sequence[Path] = (),
) -> bool:
    """Run studies, name each page, and say whether all models of all of them could be made.

    All are planned and checked before the first model is trained; then the engine makes what is missing,
    of all of them. A study goes to its end, or, `until` anything else, as far as its models' numbers.
    Models that files list as `made_elsewhere` are left to the machine that has them.
    """
    check_until(until)
    if made_elsewhere and until == "report":
        raise UserError("--except leaves models out that a report needs: add --until findings")
    elsewhere = frozenset(key for path in made_elsewhere for key in listed_keys(path))
    planned = []
    for study in studies:
        try:
            planned.append(Planned.of(study, workspace))
        except MissingData as missing:
            say(f"attex: {study.name}: {missing}")
    well = len(planned) == len(studies)
    if dry_run:
        for one in planned:
            one.models.tell(elsewhere)
        return well
    for one, path, failed in run_planned(planned, workspace, engine, until, elsewhere):
        well &= failed == 0
        if path is not None:
            print(f"{one.file.name}: open {path / 'report.html'}", flush=True)
    return well


def listed_keys(path: Path) -> list[str]:
    """Read the keys of models: a csv with a column `key`, a study's manifest.json, or packed models."""
    if path.suffix == ENDING:
        return packed_keys(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as trouble:
        raise UserError(f"--except {path}: {trouble}") from None
    try:
        listed = parse_json(text)["models"] if path.suffix == ".json" else csv.DictReader(StringIO(text))
        return [str(one["key"]) for one in listed]
    except (ValueError, KeyError, TypeError, csv.Error):
        wanted = f"a csv with a column 'key', the manifest.json of a study, or models packed as {ENDING}"
        raise UserError(f"--except {path}: expected {wanted}") from None
