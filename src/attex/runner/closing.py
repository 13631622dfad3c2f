"""What came of an experiment, in one sentence."""

from pathlib import Path

from attex.analyses.analysis import analysis_class
from attex.analyses.headline import PERFORMANCE, Headline, decimals, read_headlines


def closing_line(folder: Path) -> str:
    """Answer the first question that a run was made for, from the headlines in its folder.

    How good the model is comes first: of one that cannot do its task there is nothing to explain.
    """
    by_analysis = read_headlines(folder / "headlines.csv")
    performance = by_analysis.pop(PERFORMANCE)[0]
    parts = [f"{performance.number()}{_limits(performance)}"]
    if performance.above_chance() is False:
        parts.append("No better than by chance, so there is no decision to explain")
    if by_analysis:
        name, lines = next(iter(by_analysis.items()))
        parts.append(answer(analysis_class(name).leading(lines)))
    return ". ".join(parts)


def answer(headline: Headline) -> str:
    """Answer a headline's question: how it compares with chance, then the number itself."""
    if headline.value is None:
        return f"{headline.question} It cannot be said: {headline.quantity} is undefined for every text"
    compared = _compared(headline)
    number = f"{headline.number()}{_limits(headline)}"
    return f"{headline.question} {compared}: {number}" if compared else f"{headline.question} {number}"


def _compared(headline: Headline) -> str:
    """Say on which side of chance the whole interval lies."""
    above = headline.above_chance()
    if above is None or headline.high is None or headline.chance is None:
        return ""
    if above:
        return "More than by chance"
    return "Less than by chance" if headline.high < headline.chance else "No more than by chance"


def _limits(headline: Headline) -> str:
    known = {"chance": headline.chance, "at most": headline.ceiling}
    words = [f"{word} {decimals(number)}" for word, number in known.items() if number is not None]
    return f" ({', '.join(words)})" if words else ""
