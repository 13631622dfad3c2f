"""What is in an output folder, without opening more of each run than its headlines."""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attex.foundations.csv_cells import original_text

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d+))?")


@dataclass(frozen=True)
class Number:
    """One headline: a question, and the number that answers it with interval and chance."""

    analysis: str
    question: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    chance: float | None

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.quantity} undefined"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.quantity} {self.value:.2f}{interval}"


@dataclass(frozen=True)
class ListedRun:
    """A run folder: its experiment, when it was made, its seeds, and its headlines or what they lack."""

    path: Path
    experiment: str
    when: str
    seeds: int
    numbers: tuple[Number, ...]
    trouble: str = ""

    def line(self) -> str:
        """Say it in one line: the first headline of each analysis."""
        first = {number.analysis: number for number in reversed(self.numbers)}
        shown = [
            str(number) if number.analysis == "performance" else f"{number.analysis} {number}"
            for number in self.numbers
            if number is first[number.analysis]
        ]
        seeds = f"{self.seeds} seed{'s' * (self.seeds != 1)}"
        return f"{self.when}  {self.experiment}  {self.trouble or '; '.join([seeds, *shown])}"

    def lines(self) -> Iterator[str]:
        """Say it in full: the folder, and every headline with its question."""
        yield f"{self.when}  {self.path}"
        for number in self.numbers:
            chance = "" if number.chance is None else f" (chance {number.chance:.2f})"
            yield f"  {number.question}  {number}{chance}"
        if self.trouble:
            yield f"  {self.trouble}"


def finished_runs(output: Path, experiment: str | None = None) -> list[ListedRun]:
    """Return the runs in an output folder, newest first; those of one experiment if it is named."""
    folders = [path.parent for path in output.glob(f"{experiment or '*'}/*/manifest.json")]
    found = [folder for folder in folders if _TIME.fullmatch(folder.name)]
    return [_listed(folder) for folder in sorted(found, key=_age)]


def _age(folder: Path) -> tuple[str, int, str]:
    """Sort newest first; of two that ended in the same second, the one with the higher number."""
    time = _TIME.fullmatch(folder.name)
    assert time is not None
    newest_first = "".join(str(9 - int(digit)) for digit in re.sub(r"\D", "", time[0])[:14])
    return newest_first, -int(time[5] or 1), folder.parent.name


def _listed(folder: Path) -> ListedRun:
    time = _TIME.fullmatch(folder.name)
    assert time is not None
    when = f"{time[1]} {time[2]}:{time[3]}:{time[4]}"
    try:
        seeds = len(json.loads((folder / "manifest.json").read_bytes())["seeds"])
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return ListedRun(folder, folder.parent.name, when, 0, (), "its manifest.json cannot be read")
    try:
        numbers, trouble = tuple(_headlines(folder / "headlines.csv")), ""
    except FileNotFoundError:
        numbers, trouble = (), "it has no headlines.csv: an earlier version of attex made it"
    except (ValueError, KeyError, csv.Error):
        numbers, trouble = (), "its headlines.csv cannot be read"
    return ListedRun(folder, folder.parent.name, when, seeds, numbers, trouble)


def _headlines(path: Path) -> Iterator[Number]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            analysis, question, quantity = (
                original_text(row[name]) for name in ("analysis", "question", "quantity")
            )
            value, low, high, chance = (
                _number(row[name]) for name in ("value", "low", "high", "chance")
            )
            yield Number(analysis, question, quantity, value, low, high, chance)


def _number(cell: str) -> float | None:
    """Read a cell; one that is empty or not a number is undefined."""
    value = float(cell) if cell else float("nan")
    return value if value == value else None
