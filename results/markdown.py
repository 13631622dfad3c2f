"""Numbers and tables of the results pages."""

from collections.abc import Mapping, Sequence
from typing import Any


def number(value: float | None) -> str:
    """Write a number, or what stands for none."""
    return "–" if value is None or value != value else f"{value:.3f}".replace("-", "−")


def spread(row: Mapping[str, Any], name: str = "mean", low: str = "low", high: str = "high") -> str:
    """Write a number with its interval, if it has one."""
    if row[low] is None or row[low] != row[low]:
        return number(row[name])
    return f"{number(row[name])} [{number(row[low])}, {number(row[high])}]"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
