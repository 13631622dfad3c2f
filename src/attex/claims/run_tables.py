"""The numbers in the tables of a run folder, in the words that studies and the ledger have for them."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attex.analyses.headline import ALL_SEEDS
from attex.claims.numbers import Number, read_numbers
from attex.claims.quantities import OVERALL, projection_of
from attex.foundations.csv_cells import original_text

Rows = Sequence[Mapping[str, Any]]
Interval = tuple[float, float] | None

_PERFORMANCE = {"accuracy": "accuracy", "f1": "f1_macro", "roc_auc": "roc_auc"}
"""Columns of the table of performance, and what they are of."""


def numbers_in(tables: Mapping[str, Rows]) -> Iterator[tuple[Number, Interval]]:
    """Yield every number of one experiment that the ledger has words for, with its interval.

    Of several seeds there is a row each and one over all. A number that stands in two tables comes once.
    """
    seen = set()
    for row, quantity, class_, column in _named(tables):
        cell = row["dataset"], row["encoder"], row["attention"], projection_of(row["projection"])
        number = Number(cell, {}, str(row["seed"]), quantity, class_, _number(row[column]))
        place = number.seed, quantity, class_
        if place not in seen:
            seen.add(place)
            # The interval of a table is that of its main column.
            low, high = _number(row["low"]), _number(row["high"])
            bounded = column in ("mean", "accuracy") and not math.isnan(low)
            yield number, (low, high) if bounded else None


def _named(tables: Mapping[str, Rows]) -> Iterator[tuple[Mapping[str, Any], str, str, str]]:
    """Yield a row, what its number is of, of which class, and the column that the number is in."""
    for row in tables.get("performance", ()):
        for column, quantity in _PERFORMANCE.items():
            yield row, quantity, OVERALL, column
    for name in ("agreement", "contextualisation"):
        for row in tables.get(name, ()):
            yield (
                row,
                f"{row['statistic']}({row['measure_a']}, {row['measure_b']})",
                row["class"],
                "mean",
            )
    for row in tables.get("dispersion", ()):
        yield row, f"entropy({row['of']})", OVERALL, "mean"
    for row in tables.get("permutation", ()):
        name = row["highest_weight"].replace("–", "-")
        if name == "any":
            yield row, "median_output_change", row["class"], "mean"
        else:
            yield row, f"median_output_change[{name}] median", row["class"], "q50"
    for row in tables.get("adversarial", ()):
        exact = f"jsd_max(exact, {float(row['epsilon']):g})"
        yield row, "jsd_max(search)" if row["method"] == "search" else exact, OVERALL, "mean"


def numbers_of_run(folder: Path) -> Iterator[Number]:
    """Read the numbers of each seed from a run folder: its own table of them, or those of analyses."""
    # A study whose models have names of its own has a table in the words of the ledger beside them.
    for name in ("published.csv", "numbers.csv"):
        if (folder / "tables" / name).exists():
            yield from read_numbers(folder / "tables" / name)
            return
    tables = {path.stem: _rows(path) for path in sorted((folder / "tables").glob("*.csv"))}
    yield from (number for number, _ in numbers_in(tables) if number.seed != ALL_SEEDS)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {original_text(name): original_text(cell) for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]


def _number(value: Any) -> float:
    return math.nan if value is None or value == "" else float(value)
