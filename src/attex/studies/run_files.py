"""Run files of both kinds: experiments, and studies of many."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attex.foundations.errors import MissingData, UserError
from attex.foundations.progress import say
from attex.runner.engine import choose_engine, workspace_for
from attex.runner.run_files import run_files as run_experiments
from attex.studies.running import run_study
from attex.studies.study_file import find_study


def run_files(
    files: Sequence[Path],
    overrides: Sequence[str] = (),
    data_dir: Path | None = None,
    output_dir: Path = Path("outputs"),
    device: str = "auto",
    until: str = "report",
    dry_run: bool = False,
    jobs: int = 1,
    engine: str | None = None,
    engine_options: Mapping[str, Any] | None = None,
    recompute: Sequence[str] = (),
    external: Mapping[str, str] | None = None,
) -> bool:
    """Run the experiments, then the studies; say whether all went well.

    A study goes to its end, or, `until` anything else, as far as its models' numbers.
    """
    studies = {path: find_study(path, overrides, external) for path in files}
    experiments = [path for path, study in studies.items() if study is None]
    if recompute and len(experiments) < len(files):
        raise UserError("--recompute is for experiments; a study's models are remade with their stages")
    well = not experiments or run_experiments(
        experiments,
        overrides,
        data_dir,
        output_dir,
        device,
        until,
        dry_run,
        jobs=jobs,
        engine=engine,
        engine_options=engine_options,
        recompute=recompute,
        external=external,
    )
    for study in studies.values():
        if study is None:
            continue
        workspace = workspace_for(engine, data_dir, output_dir, device)
        chosen = choose_engine(engine, jobs, engine_options or {}, workspace)
        try:
            path, failed = run_study(study, workspace, chosen, until, dry_run)
        except MissingData as missing:
            say(f"attex: {study.name}: {missing}")
            well = False
            continue
        well &= failed == 0
        if path is not None:
            print(f"{study.name}: open {path / 'report.html'}", flush=True)
    return well
