"""Charts with a row for every level of every choice, below the name of the choice."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

ROW = 15
"""The height of a row."""


@dataclass(frozen=True)
class ChoiceRows:
    """The rows from top to bottom: what is written before each, and which of them are headings."""

    labels: tuple[str, ...]
    headings: tuple[int, ...]

    def row(self, choice: int, level: int) -> int:
        """Return the number of the row that belongs to a level of a choice, both by number."""
        return self.headings[choice] + 1 + level

    def named(self) -> dict[tuple[str, str], int]:
        """Return the number of every row that is no heading, by heading and label."""
        return {
            (self.labels[heading], self.labels[row]): row
            for heading, end in pairwise((*self.headings, len(self.labels)))
            for row in range(heading + 1, end)
        }

    @property
    def height(self) -> int:
        """The height of all rows together."""
        return ROW * len(self.labels)

    def label(self, row: str) -> str:
        """Write a Vega expression for what is written before a row, of which `row` gives the number."""
        return f"{json.dumps(self.labels)}[{row}]"

    def axis(self, limit: int = 260) -> Any:
        """Encode `row` as the place from top to bottom; labels have so many pixels at most."""
        import altair as alt

        is_heading = f"indexof({json.dumps(self.headings)}, datum.value) >= 0"
        written = alt.Axis(
            labelExpr=self.label("datum.value"),
            labelFontWeight={"condition": {"test": is_heading, "value": "bold"}, "value": "normal"},
            labelLimit=limit,
            labelPadding=8,
            labelOverlap=False,
            ticks=False,
            domain=False,
            title=None,
        )
        domain = list(range(len(self.labels)))
        return alt.Y("row:O", axis=written, scale=alt.Scale(domain=domain, paddingInner=0.2))


def choice_rows(choices: Mapping[str, Sequence[str]]) -> ChoiceRows:
    """Lay out the levels of every choice below its name."""
    labels: list[str] = []
    headings = []
    for choice, levels in choices.items():
        headings.append(len(labels))
        labels += [choice, *map(str, levels)]
    return ChoiceRows(tuple(labels), tuple(headings))
