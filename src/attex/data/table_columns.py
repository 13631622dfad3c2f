"""What the columns of a table hold, as far as that tells texts from labels and labels from the rest."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from attex.foundations.errors import brief, listed

_ROWS = 10_000
_MOST_CLASSES = 30
"""More different numbers than this are a quantity, as long as they are not spread over many rows."""
_FEW = 10
_ROWS_OF_A_NUMBER = 10
_WORDS = 3
"""A text has more words than a class usually has."""


@dataclass
class Column:
    """The values of one column: how many rows have one, which there are, and how long they are."""

    name: str
    filled: int = 0
    words: int = 0
    values: set[str] = field(default_factory=set)

    def add(self, value: Any) -> None:
        """Take in the value of a row."""
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        if value is not None and text.strip():
            self.filled += 1
            self.words += len(text.split())
            self.values.add(text)

    @property
    def mean_words(self) -> float:
        """How many words its values have."""
        return self.words / max(1, self.filled)

    def line(self) -> str:
        """Say what the column holds."""
        if not self.filled:
            return f"{brief(self.name, 60)} (empty)"
        if mistaken(self.values, self.filled) is None and len(self.values) <= _MOST_CLASSES:
            values = listed(sorted(self.values), 3, quote="'")
            return f"{brief(self.name, 60)} ({len(self.values)} different values: {values})"
        long = f", {self.mean_words:.0f} words each" if self.mean_words > _WORDS else ""
        return f"{brief(self.name, 60)} ({len(self.values):,} different values{long})"


def columns_of(rows: Iterable[Mapping[str, Any]]) -> list[Column]:
    """Look at the first ten thousand rows."""
    columns: dict[str, Column] = {}
    for row in islice(rows, _ROWS):
        for name, value in row.items():
            columns.setdefault(name, Column(name)).add(value)
    return [*columns.values()]


def likely_text(columns: Sequence[Column]) -> Column | None:
    """Guess the column of the texts: the one with the most words."""
    texts = [column for column in columns if column.mean_words >= _WORDS]
    return max(texts, key=lambda column: column.mean_words, default=None)


def likely_labels(columns: Sequence[Column]) -> list[Column]:
    """Guess which columns could hold the labels, the likeliest first: few values, each in many rows."""
    could = [
        column
        for column in columns
        if len(column.values) > 1 and mistaken(column.values, column.filled) is None
    ]
    named = ("label", "class", "category", "target", "sentiment", "stars", "rating", "topic")
    splits = {"train", "dev", "test", "valid", "validation"}
    could = [column for column in could if not column.values <= splits]
    return sorted(could, key=lambda c: (c.name.lower() not in named, len(c.values), -c.filled))


def mistaken(values: Collection[str], rows: int) -> str | None:
    """Say why values are hardly labels: nearly as many as rows, or numbers of a quantity."""
    count = len(values)
    if count >= _FEW and 2 * count > rows:
        return f"{count:,} different values in {rows:,} rows"
    if count > _MOST_CLASSES and all(map(_is_number, values)):
        whole = all(float(value).is_integer() for value in values)
        if not whole or count * _ROWS_OF_A_NUMBER > rows:
            return f"{count:,} different numbers in {rows:,} rows"
    return None


def _is_number(value: str) -> bool:
    try:
        return abs(float(value)) < float("inf")
    except ValueError:
        return False
