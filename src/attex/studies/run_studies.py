"""Studies among the files that a user names: told apart from experiments, and run in turn."""

import csv
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

from attex.foundations.errors import MissingData, UserError
from attex.foundations.json_text import parse_json
from attex.foundations.progress import say
from attex.runner.engine import Engine
from attex.runner.plan import check_until
from attex.runner.workspace import Workspace
from attex.studies.running import run_study
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
    engine: Callable[[], Engine],
    until: str = "report",
    dry_run: bool = False,
    made_elsewhere: Sequence[Path] = (),
) -> bool:
    """Run studies, name each page, and say whether all models of all of them could be made.

    A study goes to its end, or, `until` anything else, as far as its models' numbers. `engine` gives
    one for each. Models that files list as `made_elsewhere` are left to the machine that has them.
    """
    check_until(until)
    if made_elsewhere and until == "report":
        raise UserError("--except leaves models out that a report needs: add --until findings")
    elsewhere = frozenset(key for path in made_elsewhere for key in listed_keys(path))
    well = True
    for study in studies:
        try:
            path, failed = run_study(study, workspace, engine(), until, dry_run, elsewhere)
        except MissingData as missing:
            say(f"attex: {study.name}: {missing}")
            well = False
            continue
        well &= failed == 0
        if path is not None:
            print(f"{study.name}: open {path / 'report.html'}", flush=True)
    return well


def listed_keys(path: Path) -> list[str]:
    """Read the keys of models: a csv with a column `key`, or the manifest.json of a study."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as trouble:
        raise UserError(f"--except {path}: {trouble}") from None
    try:
        listed = parse_json(text)["models"] if path.suffix == ".json" else csv.DictReader(StringIO(text))
        return [str(one["key"]) for one in listed]
    except (ValueError, KeyError, TypeError, csv.Error):
        wanted = "a csv with a column 'key', or the manifest.json of a study"
        raise UserError(f"--except {path}: expected {wanted}") from None
