"""What came of an experiment, in one sentence."""

from pathlib import Path

from attex.analyses.analysis import analysis_class
from attex.analyses.headline import PERFORMANCE, answer, limits, read_headlines


def closing_line(folder: Path) -> str:
    """Answer the first question that a run was made for, from the headlines in its folder.

    How good the model is comes first: of one that cannot do its task there is nothing to explain.
    """
    by_analysis = read_headlines(folder / "headlines.csv")
    performance = by_analysis.pop(PERFORMANCE)[0]
    parts = [f"{performance.number()}{limits(performance)}"]
    if performance.above_chance() is False:
        parts.append("No better than by chance, so there is no decision to explain")
    if by_analysis:
        name, lines = next(iter(by_analysis.items()))
        parts.append(answer(analysis_class(name).leading(lines)))
    return ". ".join(parts)
