"""Try a wheel as a stranger would: `python release/try_wheel.py dist/attex-….whl PYTHON…`.

For each Python: a fresh environment with torch and the wheel alone; then, from empty folders that no
checkout is near, the demo, what `attex init` leaves, a messy csv file, and a plug-in. Prints the seconds
of each step and fails at the first that does not end well.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"

PLUG_IN = '''
from attex.importance.measure import MEASURES, only_scorable


@MEASURES.register("embedding_norm")
def embedding_norm(model, batch, *, order: float = 2.0):
    """The length of a token's embedding: ‖e_t‖."""
    return only_scorable(model.embed(batch).detach().norm(p=order, dim=-1), batch)
'''
EXPERIMENT = {
    "imports": ["my_measures"],
    "data": {"type": "planted", "sizes": [200, 50, 50]},
    "model": {"embedding_width": 16, "encoder": {"type": "average", "hidden": 8}},
    "trainer": {"epochs": 2},
    "importance": ["attention", {"type": "embedding_norm", "order": 1}],
}


def main() -> int:
    """Try the wheel with every Python that was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pythons", nargs="+", help="interpreters, as python3.11")
    parser.add_argument("--keep", type=Path, help="make the environments here, and find them next time")
    asked = parser.parse_args()
    for python in asked.pythons:
        print(f"{python}:", flush=True)
        with tempfile.TemporaryDirectory(prefix="attex-release-") as place:
            home = (asked.keep or Path(place)) / f"env-{Path(python).name}"
            _try(asked.wheel.absolute(), python, home.absolute(), Path(place))
    return 0


def _try(wheel: Path, python: str, environment: Path, place: Path) -> None:
    command = environment / "bin"
    with _timed("environment with torch"):
        if not command.is_dir():
            _run(place, python, "-m", "venv", environment)
        # torch alone is held: it is the one package whose newest build may be gigabytes larger.
        held = [line for line in CONSTRAINTS.read_text().splitlines() if line.startswith("torch==")]
        _run(place, command / "python", "-m", "pip", "install", "--quiet", *held)
    with _timed("the wheel beside it"):
        again = ("--force-reinstall", "--no-deps")
        _run(place, command / "python", "-m", "pip", "install", "--quiet", wheel)
        _run(place, command / "python", "-m", "pip", "install", "--quiet", *again, wheel)
    attex = command / "attex"
    print(f"  {_run(place, attex, '--version').strip()}, Python {_version(command)}")
    empty = place / "empty"
    empty.mkdir()
    with _timed("attex init && attex run demo"):
        _run(empty, attex, "init")
        _ends_with_a_report(empty, attex, "run", "demo")
    with _timed("attex run experiments/own_texts.jsonnet"):
        _ends_with_a_report(empty, attex, "run", "experiments/own_texts.jsonnet")
    table = place / "table"
    table.mkdir()
    unusable = _write_messy_export(table / "reviews.csv")
    with _timed("attex run reviews.csv --text body --label stars"):
        _ends_with_a_report(table, attex, "run", "reviews.csv", "--text", "body", "--label", "stars")
    (listed,) = table.glob("outputs/reviews/*/left_out_rows.csv")
    with listed.open(encoding="utf-8", newline="") as file:
        found = {int(row["name"]) for row in csv.DictReader(file)}
    if found != unusable:
        sys.exit(f"rows {sorted(unusable)} cannot be used, but {sorted(found)} are listed")
    other = place / "other"
    other.mkdir()
    (other / "my_measures.py").write_text(PLUG_IN, encoding="utf-8")
    (other / "own.json").write_text(json.dumps(EXPERIMENT), encoding="utf-8")
    with _timed("a plug-in"):
        _ends_with_a_report(other, attex, "run", "own.json")
        shown = _run(other, attex, "runs", "own")
        if "attention and embedding_norm(order=1.0) rank" not in shown:
            sys.exit(f"the plug-in's measure is in no headline:\n{shown}")


def _write_messy_export(path: Path) -> set[int]:
    """Write 600 rows as a spreadsheet exports them; return the numbers of those that cannot be used."""
    draw, moods = random.Random(1), {"1": ("awful", "cold"), "5": ("great", "warm")}
    rows = []
    for number in range(1, 601):
        stars = draw.choice("15")
        words = (
            f"the {draw.choice(moods[stars])} room {draw.randrange(9)} was {draw.choice(moods[stars])}"
        )
        rows.append([str(number), words, stars])
    texts = {40: "<script>alert(1)</script> <b>great</b>", 50: "great 😀👍🏽", 60: "חדר נהדר"}
    texts |= {70: 'cold,\n"too"\n cold', 10: "", 20: "   ", 80: "word " * 2000}
    for number, text in texts.items():
        rows[number - 1][1] = text
    rows[29][2] = ""
    # A class that is seen once, and a row that lost a cell.
    rows[89][2], rows[99] = "4", ["100", "only two cells"]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows([["id", "body", "stars"], *rows])
    return {10, 20, 30, 80, 90, 100}


def _version(command: Path) -> str:
    return subprocess.check_output([command / "python", "-V"], text=True).split()[1]


def _ends_with_a_report(folder: Path, *command: object) -> None:
    last = _run(folder, *command).splitlines()[-1]
    report = folder / last.rpartition(" ")[2]
    if not report.is_file():
        sys.exit(f"{command} does not end by naming a report, but with: {last}")


def _run(folder: Path, *command: object) -> str:
    # Nothing of the user's own: no checkout on the path, no data.
    foreign = ("PYTHONPATH", "ATTEX_DATA", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


@contextmanager
def _timed(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"  {what}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
