"""`make bench`: run every benchmark and print one table."""

import importlib
import os
import platform
import sys
from pathlib import Path

import torch

from benchmarks.timing import Result

MODULES = (
    "startup",
    "engines",
    "reading",
    "own_table",
    "studies",
    "training",
    "queries",
    "projections",
    "adversary",
    "deletion",
    "masking",
    "pretrained",
    "ranking",
    "calibration",
    "counterfactual",
    "influence",
    "paths",
    "layers",
    "stacked",
    "analyses",
    "new_texts",
    "site",
    "page",
)


def main() -> int:
    """Run all; 1 if a promise is not kept."""
    named = os.environ.get("ATTEX_DATA")
    data = Path(named) if named else None
    if data is None:
        print("ATTEX_DATA is not set: benchmarks on real data are left out", file=sys.stderr)
    print(f"{platform.machine()}, {torch.get_num_threads()} threads, torch {torch.__version__}\n")
    print("| what | attex | naive | ratio | promised | kept |")
    print("|---|---:|---:|---:|---|---|")
    results: list[Result] = []
    for name in MODULES:
        for result in importlib.import_module(f"benchmarks.{name}").benchmarks(data):
            results.append(result)
            print(result.line(), flush=True)
    return 0 if all(result.kept for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
