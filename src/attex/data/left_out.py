"""Texts that are left out of a corpus: named, counted by reason, refused where they are most of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from attex.foundations.errors import UserError, brief

SHOWN = 10
"""How many are told one by one where there may be very many; a file of the run has all of them."""

_LETTERS = 80


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A text that is not used.

    `reason` is the same for all texts with the same fault, which are counted by it; `detail` says what
    is particular to this one, and `begins` how it begins. `asked` is true where an option asked for it,
    as `max_tokens` does, or where the dataset is always used so: then nothing is wrong with the text.
    """

    name: str
    reason: str
    detail: str = ""
    begins: str = ""
    asked: bool = False

    def line(self, unit: str = "text") -> str:
        """Say it on one line; `unit` is what the texts are called, as `row`."""
        return f"{unit} {brief(self.name, 60)}: {self.detail or self.reason}"


def beginning(text: str) -> str:
    """Return the first words of a text, as far as a list has room for them."""
    # Cut first: the text may be a megabyte.
    return brief(" ".join(text[: 4 * _LETTERS].split()), _LETTERS)


def by_reason(left_out: Iterable[LeftOut]) -> dict[str, int]:
    """Count by reason, the most frequent first."""
    return dict(Counter(one.reason for one in left_out).most_common())


def counted(counts: dict[str, int]) -> str:
    """Say counts by reason in a line."""
    return "; ".join(f"{count:,} × {reason}" for reason, count in counts.items())


def told(left_out: Sequence[LeftOut], unit: str) -> Iterator[str]:
    """Say the first few, a line each, and how many more there are."""
    for one in left_out[:SHOWN]:
        yield one.line(unit)
    if len(left_out) > SHOWN:
        yield f"… and {len(left_out) - SHOWN:,} more"


def refusal(left_out: Sequence[LeftOut], of: int, unit: str, why: str) -> UserError:
    """Make the error that says at once what is wrong with all of them."""
    counts = counted(by_reason(left_out))
    first = f"{len(left_out):,} of {of:,} {unit}s cannot be used{why}: {counts}"
    return UserError("\n  ".join([first, *told(left_out, unit)]))
