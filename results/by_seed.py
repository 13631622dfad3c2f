"""Numbers of models that differ in their seed only, and a study of them that stands aside."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from results.markdown import number, table


@dataclass(frozen=True)
class Seeds:
    """One number of the models that differ in their seed only."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(np.mean(self.values)) if self.values else math.nan

    def __str__(self) -> str:
        if not self.values:
            return "–"
        if len(self.values) == 1:
            return number(self.mean)
        return f"{number(self.mean)} ({number(min(self.values))} to {number(max(self.values))})"


@dataclass(frozen=True)
class Aside:
    """A further study of one model: by what was chosen, numbers that were published of it.

    `nearest` is the setting in which the published numbers are least far, by the largest distance.
    """

    choices: tuple[str, ...]
    published: Mapping[str, float]
    rows: Mapping[tuple[str, ...], Mapping[str, Seeds]]

    def distance(self, levels: tuple[str, ...]) -> float:
        """How far the number that is furthest is from the published one."""
        return max(abs(self.rows[levels][q].mean - value) for q, value in self.published.items())

    @property
    def nearest(self) -> dict[str, str]:
        """What is chosen where the published numbers are nearest."""
        levels: tuple[str, ...] = min(self.rows, key=self.distance)
        return dict(zip(self.choices, levels, strict=True))

    def __str__(self) -> str:
        header = [*self.choices, *(f"{q}, published {number(v)}" for q, v in self.published.items())]
        rows = [[*levels, *(str(by[q]) for q in self.published)] for levels, by in self.rows.items()]
        return table(header, rows)
