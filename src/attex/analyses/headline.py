"""Headlines: the questions a reader of a run has, each with the number that answers it.

Nothing heavy is imported here: a list of many runs reads the headlines of each.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from attex.foundations.csv_cells import original_text

OVERALL = "overall"
"""The class of a number that is about all texts."""

PERFORMANCE = "performance"
"""The analysis that every run has: how good the model is."""

ALL_SEEDS = "all"
"""What tables call all seeds together."""

_SMALL = 0.05
"""Of numbers that are smaller, two decimals would not say much."""


@dataclass(frozen=True)
class Headline:
    """A question that a reader of the report has, and the number that answers it, if it has one."""

    question: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    ceiling: float | None = None

    def number(self) -> str:
        """Write the number with its interval."""
        if self.value is None:
            return f"{self.quantity} undefined"
        ends = [] if self.low is None or self.high is None else [self.low, self.high]
        places = 2 if max(map(abs, (self.value, *ends))) >= _SMALL else 4
        interval = ", ".join(decimals(end, places) for end in ends)
        return f"{self.quantity} {decimals(self.value, places)}" + (f" [{interval}]" if ends else "")

    def above_chance(self) -> bool | None:
        """Say whether the whole interval lies above chance; None where that is not known."""
        if self.low is None or self.chance is None:
            return None
        return self.low > self.chance


def decimals(number: float, places: int = 2) -> str:
    """Write a number to so many decimals; what is nearly 0 from below is 0.00, and not -0.00."""
    return f"{round(number, places) + 0.0:.{places}f}"


def answer(headline: Headline) -> str:
    """Answer a headline's question: how it compares with chance, then the number itself."""
    if headline.value is None:
        return f"{headline.question} It cannot be said: {headline.quantity} is undefined for every text"
    compared = _compared(headline)
    number = f"{headline.number()}{limits(headline)}"
    return f"{headline.question} {compared}: {number}" if compared else f"{headline.question} {number}"


def _compared(headline: Headline) -> str:
    """Say on which side of chance the whole interval lies."""
    above = headline.above_chance()
    if above is None or headline.high is None or headline.chance is None:
        return ""
    if above:
        return "More than by chance"
    return "Less than by chance" if headline.high < headline.chance else "No more than by chance"


def limits(headline: Headline) -> str:
    """Write what chance gives and what could be reached, in brackets, where that is known."""
    known = {"chance": headline.chance, "at most": headline.ceiling}
    words = [f"{word} {decimals(number)}" for word, number in known.items() if number is not None]
    return f" ({', '.join(words)})" if words else ""


def read_headlines(path: Path) -> dict[str, list[Headline]]:
    """Read the headlines of every analysis that has any, in the order of the experiment.

    Raises:
        OSError, ValueError, LookupError: if there are none, or the file is no such table.
    """
    found: dict[str, list[Headline]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            analysis, question, quantity = (
                original_text(row[name]) for name in ("analysis", "question", "quantity")
            )
            value, low, high, chance, ceiling = (
                _number(row[name]) for name in ("value", "low", "high", "chance", "ceiling")
            )
            headline = Headline(question, quantity, value, low, high, chance, ceiling)
            found.setdefault(analysis, []).append(headline)
    return found


def _number(cell: str) -> float | None:
    """Read a cell; one that is empty or not a number is undefined."""
    value = float(cell) if cell else float("nan")
    return value if value == value else None
