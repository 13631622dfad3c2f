"""Run the experiments of several files, one after the other."""

from collections.abc import Sequence
from pathlib import Path

from attex.config.loading import load_experiments
from attex.data.folder import DataFolder
from attex.foundations.devices import choose_device
from attex.foundations.errors import MissingData, UserError
from attex.foundations.progress import say
from attex.foundations.registry import did_you_mean
from attex.runner.execution import execute, outline
from attex.runner.plan import UNTIL


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
) -> bool:
    """Run all experiments, name each report, and say whether every one went well.

    All files are read and checked before the first experiment starts. A failure of one does not
    stop the others. Data that is absent is no failure in a sweep, as long as something can be run,
    nor anywhere with `skip_missing`. With several `jobs`, seeds are computed in as many processes
    side by side.
    """
    if until not in UNTIL:
        raise UserError(
            f"--until {until}: expected one of {', '.join(UNTIL)}{did_you_mean(until, UNTIL)}"
        )
    found = [load_experiments(path, overrides) for path in files]
    configs = [c for one in found for c in (one if isinstance(one, list) else [one])]
    of_sweep = [
        isinstance(one, list) for one in found for _ in (one if isinstance(one, list) else [one])
    ]
    folder, chosen = DataFolder.at(data_dir), choose_device(device)
    troubles: Sequence[BaseException | None] = [None] * len(configs)
    if jobs > 1 and not dry_run:
        from attex.runner.workers import compute_seeds

        troubles = compute_seeds(configs, folder, output_dir, chosen, until, jobs)
    went_well, skipped, unexpected = True, 0, []
    for config, trouble, sweep in zip(configs, troubles, of_sweep, strict=True):
        try:
            if trouble is not None:
                raise trouble
            if dry_run:
                print(f"{config.name}\n{outline(config, folder, output_dir, chosen)}")
                continue
            path = execute(config, folder, output_dir, chosen, until)
            if path is not None:
                print(f"{config.name}: open {path / 'report.html'}")
        except MissingData as missing:
            skip = skip_missing or sweep
            say(f"attex: {config.name}{' skipped' if skip else ''}: {missing}")
            went_well &= skip
            skipped += skip
        except UserError as error:
            say(f"attex: {config.name}: {error}")
            went_well = False
        except BrokenPipeError:
            # Nobody reads any more, of this experiment or of the next.
            raise
        except Exception as error:
            say(f"attex: {config.name}: {type(error).__name__}: {error}")
            unexpected.append(error)
    if unexpected:
        raise unexpected[0]
    nothing_ran = 0 < skipped == len(configs)
    return went_well and (skip_missing or not nothing_ran)
