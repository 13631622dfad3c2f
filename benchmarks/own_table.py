"""A user's own csv file of 200,000 rows, one in a hundred of which cannot be used."""

import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Result

ROWS, BAD, WORDS = 200_000, 0.01, 40
SECONDS, MEGABYTES = 15.0, 1_000.0


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Take seconds and memory of reading, in a process of its own: memory is never given back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.csv"
        write_table(path)
        command = [sys.executable, "-m", "benchmarks.own_table", str(path)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, told.split())
    name = f"a csv of {ROWS:,} rows, {BAD:.0%} of them bad ({megabytes:.0f} MB)"
    kept = seconds < SECONDS and megabytes < MEGABYTES
    yield Result(name, seconds, None, f"< {SECONDS:g} s, < {MEGABYTES:g} MB", kept)


def write_table(path: Path) -> None:
    """Write rows of some forty words and five classes; the bad ones lack a text, a label or a cell."""
    draw = random.Random(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "body", "stars"])
        for number in range(ROWS):
            count = draw.randint(WORDS // 2, WORDS * 3 // 2)
            text = " ".join(f"word{int(draw.paretovariate(0.6))}" for _ in range(count))
            row = [number, f"{text}.", draw.randint(1, 5)]
            faulty = [[number, "", 3], [number, text, ""], [number, text], [number, f"\0{text}", 2]]
            table.writerow(draw.choice(faulty) if draw.random() < BAD else row)


def main(path: Path) -> None:
    """Read the table, and print the seconds it took and the most memory the process had."""
    from attex.data.corpus import build_corpus
    from attex.data.folder import DataFolder
    from attex.data.reader import READERS

    spec = {"type": "csv", "path": str(path), "text": "body", "label": "stars"}
    started = time.perf_counter()
    corpus = build_corpus(READERS.bind(READERS.spec(spec)), DataFolder(path.parent))
    took = time.perf_counter() - started
    assert abs(len(corpus.left_out) / ROWS - BAD) < BAD / 10
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
