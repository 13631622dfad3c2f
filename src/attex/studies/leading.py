"""Which of many quantities come first: what a reader asks about before all else."""

from collections.abc import Iterable

ACCURACY = "accuracy"
_OF_ATTENTION = "(attention, "
_ENDINGS = (" calibrated", " permuted", " beyond permuted", " untrained", " normalised")


def agreements(names: Iterable[str]) -> list[str]:
    """Return how attention agrees with each other measure, as it is: nothing calibrated, no control."""
    return [name for name in names if _OF_ATTENTION in name and not name.endswith(_ENDINGS)]


def leading_first(names: Iterable[str]) -> list[str]:
    """Order quantities: accuracy, the agreements of attention, then the others as they come."""
    names = list(dict.fromkeys(names))
    first = [name for name in names if name == ACCURACY] + agreements(names)
    return first + [name for name in names if name not in first]
