"""`python -m benchmarks.twice A.tar.xz B.tar.xz`: the same models, made twice, and how they differ.

Takes two files of `attex cache --pack` and compares every model that is in both: made with other code,
on another device, or only again. What two makings differ by is to be seen beside what models differ by.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from attex.foundations.storage import read_json
from attex.runner.cache import Cache
from attex.runner.packing import unpack
from attex.runner.stages.numbers import NumbersStage

NUMBERS = (
    "accuracy",
    "kept_epoch",
    "kendall_tau(attention, gradient)",
    "kendall_tau(attention, leave_one_out)",
    "kendall_tau(gradient, leave_one_out)",
    "median_output_change",
)


def numbers(file: Path) -> dict[str, tuple[str, dict[str, float]]]:
    """Read, by key, the name of every model of a file and its numbers over all texts."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        unpack(file, cache)
        found = {}
        for place in (cache.root / NumbersStage.kind).iterdir():
            values = {
                name: np.nan if value is None else value
                for name, of_class, value in read_json(place / "numbers.json")["quantities"]
                if of_class == "overall"
            }
            found[place.name] = read_json(place / "stage.json")["title"], values
    return found


def main() -> int:
    """Print a line for each number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs=2)
    parser.add_argument("--of", default="", help="models whose name has this in it")
    asked = parser.parse_args()
    first, second = (numbers(file) for file in asked.files)
    keys = [key for key in sorted(first.keys() & second.keys()) if asked.of in first[key][0]]
    if len(keys) < 2:
        print("fewer than two models are in both files", file=sys.stderr)
        return 1
    print(f"{len(keys)} models, made twice\n")
    print("| number | mean difference | differences (sd) | models (sd) |")
    print("|---|---:|---:|---:|")
    for name in NUMBERS:
        here, there = (
            np.array([made[key][1].get(name, np.nan) for key in keys]) for made in (first, second)
        )
        apart = (here - there)[np.isfinite(here - there)]
        if len(apart) < 2:
            continue
        within, models = apart.std(ddof=1), np.nanstd(here, ddof=1)
        mean = f"{apart.mean():.3f} ± {1.96 * within / len(apart) ** 0.5:.3f}"
        print(f"| {name} | {mean} | {within:.3f} | {models:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
