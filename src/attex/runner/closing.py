"""What came of an experiment, in one sentence."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from attex.analyses.analysis import Headline, analysis_class

_PERFORMANCE = "performance"
_NUMBERS = ("value", "low", "high", "chance", "ceiling")


def closing_line(folder: Path) -> str:
    """Answer the first question that a run was made for, from the headlines in its folder.

    How good the model is comes first: of one that cannot do its task there is nothing to explain.
    """
    by_analysis = _headlines(folder / "headlines.csv")
    performance = by_analysis.pop(_PERFORMANCE)[0]
    parts = [f"{performance.quantity} {_number(performance)}{_limits(performance)}"]
    if by_analysis:
        name, lines = next(iter(by_analysis.items()))
        parts.append(answer(analysis_class(name).leading(lines)))
    return ". ".join(parts)


def answer(headline: Headline) -> str:
    """Answer a headline's question: how it compares with chance, then the number itself."""
    if headline.value is None:
        return f"{headline.question} It cannot be said: {headline.quantity} is undefined for every text"
    compared = _compared(headline)
    number = f"{headline.quantity} {_number(headline)}{_limits(headline)}"
    return f"{headline.question} {compared}: {number}" if compared else f"{headline.question} {number}"


def _headlines(path: Path) -> dict[str, list[Headline]]:
    """Read the headlines of every analysis that has any, in the order of the experiment."""
    found: dict[str, list[Headline]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            numbers = dict(_numbers(row))
            line = Headline(row["question"], row["quantity"], **numbers)
            found.setdefault(row["analysis"], []).append(line)
    return found


def _numbers(row: Mapping[str, str]) -> Iterator[tuple[str, float | None]]:
    for name in _NUMBERS:
        number = float(row[name]) if row[name] else float("nan")
        yield name, number if number == number else None


def _compared(headline: Headline) -> str:
    """Say on which side of chance the whole interval lies."""
    value, low, high, chance = headline.value, headline.low, headline.high, headline.chance
    if value is None or low is None or high is None or chance is None:
        return ""
    if low > chance:
        return "More than by chance"
    return "Less than by chance" if high < chance else "No more than by chance"


def _number(headline: Headline) -> str:
    if headline.value is None:
        return "is undefined"
    if headline.low is None or headline.high is None:
        return _decimals(headline.value)
    low, high = _decimals(headline.low), _decimals(headline.high)
    return f"{_decimals(headline.value)} [{low}, {high}]"


def _limits(headline: Headline) -> str:
    known = {"chance": headline.chance, "at most": headline.ceiling}
    words = [f"{word} {_decimals(number)}" for word, number in known.items() if number is not None]
    return f" ({', '.join(words)})" if words else ""


def _decimals(number: float) -> str:
    # Rounded first: what is nearly 0 from below is 0.00, and not -0.00.
    return f"{round(number, 2) + 0.0:.2f}"
