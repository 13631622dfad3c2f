"""Run the experiments of several files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attex.config.loading import load_experiments
from attex.foundations.errors import MissingData, UserError
from attex.foundations.progress import say
from attex.runner.closing import closing_line
from attex.runner.engine import choose_engine, workspace_for
from attex.runner.execution import Done, execute, outline
from attex.runner.plan import check_until
from attex.runner.recompute import Recompute


def run_files(
    files: Sequence[Path],
    overrides: Sequence[str] = (),
    data_dir: Path | None = None,
    output_dir: Path = Path("outputs"),
    device: str = "auto",
    until: str = "report",
    dry_run: bool = False,
    skip_missing: bool = False,
    jobs: int = 1,
    engine: str | None = None,
    engine_options: Mapping[str, Any] | None = None,
    recompute: Sequence[str] = (),
    external: Mapping[str, str] | None = None,
) -> bool:
    """Run all experiments, name each report, and say whether every one went well.

    All files are read and checked before the first experiment starts. A failure of one does not
    stop the others. Data that is absent is no failure in a sweep, as long as something can be run,
    nor anywhere with `skip_missing`.
    """
    check_until(until)
    again = Recompute.of(recompute)
    loaded = [load_experiments(path, overrides, external) for path in files]
    configs = [config for experiments in loaded for config in experiments]
    of_sweep = {id(c) for experiments in loaded if len(experiments) > 1 for c in experiments}
    workspace = workspace_for(engine, data_dir, output_dir, device)
    chosen = choose_engine(engine, jobs, engine_options or {}, workspace)
    verdict = _Verdict(skip_missing)
    if dry_run:
        for config in configs:
            try:
                print(f"{config.name}\n{outline(config, workspace)}")
            except Exception as trouble:
                verdict.hear(Done(config, trouble=trouble), id(config) in of_sweep)
    else:
        for done in execute(configs, workspace, chosen, until, again):
            verdict.hear(done, id(done.config) in of_sweep)
    return verdict.all_well(len(configs))


class _Verdict:
    """Tells what came of each experiment, and keeps whether all went well."""

    def __init__(self, skip_missing: bool) -> None:
        self._skip_missing = skip_missing
        self._well, self._skipped = True, 0
        self._unexpected: list[BaseException] = []

    def hear(self, done: Done, of_sweep: bool) -> None:
        """Give the answer and name the report, or say what was in the way."""
        name, trouble = done.config.name, done.trouble
        if isinstance(trouble, MissingData):
            skip = self._skip_missing or of_sweep
            say(f"attex: {name}{' skipped' if skip else ''}: {trouble}")
            self._well &= skip
            self._skipped += skip
        elif isinstance(trouble, UserError):
            say(f"attex: {name}: {trouble}")
            self._well = False
        elif isinstance(trouble, BrokenPipeError):
            # Nobody reads any more, of this experiment or of the next.
            raise trouble
        elif trouble is not None:
            say(f"attex: {name}: {type(trouble).__name__}: {trouble}")
            self._unexpected.append(trouble)
        elif done.path is not None:
            print(f"{name}: {closing_line(done.path)}")
            print(f"{name}: open {done.path / 'report.html'}", flush=True)

    def all_well(self, experiments: int) -> bool:
        """Say whether all went well; raise the first error that nobody foresaw."""
        if self._unexpected:
            raise self._unexpected[0]
        nothing_ran = 0 < self._skipped == experiments
        return self._well and (self._skip_missing or not nothing_ran)
