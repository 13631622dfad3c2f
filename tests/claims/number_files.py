"""Small tables of numbers in the form that studies leave, for tests of what is read from them."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

SST = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
TAU = "kendall_tau(attention, gradient)"
PUBLISHED = 0.3512
"""τ(attention, gradient) of this model over all texts, in Jain & Wallace's released results."""


def rows(
    values: Sequence[float],
    quantity: str = TAU,
    class_: str = "overall",
    about: dict[str, str] = SST,
    **choices: str,
) -> list[dict[str, str]]:
    """Return the rows of one number, a seed each."""
    return [
        about
        | choices
        | {"seed": str(seed), "quantity": quantity, "class": class_, "value": str(value)}
        | {"low": str(value - 0.02), "high": str(value + 0.02)}
        for seed, value in enumerate(values)
    ]


def write_rows(path: Path, lines: Iterable[dict[str, str]]) -> Path:
    """Write a table; the first row names the columns."""
    lines = list(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path
