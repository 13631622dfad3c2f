"""What all tests say of the same attention, of several models in one table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from results.markdown import number, table

_CELL = ("encoder", "attention", "projection")


def all_tests(folder: Path, studies: Sequence[str]) -> str:
    """Lay out a row for each test: what it measures, is held against, and found of each model.

    The models are those of studies of the kind `side_by_side` that have been trained.
    """
    paths = [folder / f"{study}_side_by_side.csv" for study in studies]
    models: dict[str, dict[str, str]] = {}
    tests: dict[str, list[str]] = {}
    for row in (row for path in paths if path.exists() for row in pl.read_csv(path).to_dicts()):
        tests.setdefault(row["test"], [row["number"], row["which_is"] or "–"])
        models.setdefault(" ".join(row[name] for name in _CELL), {})[row["test"]] = _found(row)
    rows = [
        [test, *what, *(found.get(test, "–") for found in models.values())]
        for test, what in tests.items()
    ]
    return table(["test", "number", "held against", *models], rows)


def _found(row: Mapping[str, Any]) -> str:
    """Write a number with its interval, what it is held against, and what it says."""
    value, low, high, beside = (number(row[name]) for name in ("value", "low", "high", "beside"))
    says = f"**{row['says']}**"
    if value == "–":
        return f"{says}: {row['of']}" if row["of"] else says
    ends = "" if low == "–" else f" [{low}, {high}]"
    against = "" if beside == "–" else f" beside {beside}"
    return f"{says}: {value}{ends}{against}"
