"""Run one experiment file, or every one at the top of `experiments/`."""

import argparse
import sys
from pathlib import Path

from attex.foundations.errors import UserError
from attex.runner.run_files import run_files

EXPERIMENTS = Path(__file__).parent / "experiments"


def main() -> int:
    """Run what was asked; 1 if an experiment failed, 0 also where data was absent and skipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiment_path", type=Path, help="a .jsonnet or .json file")
    parser.add_argument("--data-dir", type=Path, help="folder of raw datasets; else ATTEX_DATA")
    parser.add_argument("--output-dir", type=Path, default=Path("outputs"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--jobs", type=int, default=1, help="stages computed side by side")
    asked = parser.parse_args()
    everything = asked.experiment_path is None
    files = sorted(EXPERIMENTS.glob("*.jsonnet")) if everything else [asked.experiment_path]
    done = run_files(
        files,
        data_dir=asked.data_dir,
        output_dir=asked.output_dir,
        device=asked.device,
        skip_missing=everything,
        jobs=asked.jobs,
    )
    return 0 if done else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"run_experiment: {error}")
    except KeyboardInterrupt:
        sys.exit("\nrun_experiment: interrupted; the same command goes on from here")
