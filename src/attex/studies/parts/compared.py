"""A few kinds of models side by side: their numbers, and how far each is from one of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attex.charts.estimates import estimates_chart
from attex.claims.quantities import limits
from attex.studies.bounds import Bounds, bounded_apart
from attex.studies.parts.subject import Subject, cell_name, chart_name
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names

Row = dict[str, Any]


@dataclass(frozen=True)
class Compared:
    """The models of a study that differ in one `choice`, with the level that all are held against.

    All other choices of the study are settings, in which they are compared apart.
    """

    runs: RunSet
    choice: str
    against: str
    quantities: Sequence[str]

    def rows(self) -> list[Row]:
        """Lay out every quantity of every level: mean over seeds, and how far it is from `against`.

        A difference is one of models with the same seed and texts, and so is its interval.
        """
        return [
            row
            for cell in self.runs.cells
            for setting, places in self._settings(cell).items()
            for quantity in self.quantities
            if quantity in cell.values
            for row in self._of(cell, dict(setting), places, quantity)
        ]

    def _settings(self, cell: CellRuns) -> dict[tuple[tuple[str, str | None], ...], list[int]]:
        settings: dict[tuple[tuple[str, str | None], ...], list[int]] = {}
        for place, chosen in enumerate(level_names(self.runs, cell.levels)):
            others = tuple(item for item in chosen.items() if item[0] != self.choice)
            settings.setdefault(others, []).append(place)
        return settings

    def _of(
        self, cell: CellRuns, setting: Mapping[str, Any], places: Sequence[int], quantity: str
    ) -> Iterator[Row]:
        values = cell.values[quantity][list(places)]
        draws = cell.draws[quantity][list(places)] if quantity in cell.draws else None
        levels = self.runs.choices[self.choice]
        first = levels.index(self.against)
        moved = None if draws is None else draws - draws[first]
        here, apart = bounded_apart(values, draws), bounded_apart(values - values[first], moved)
        for level, own, away in zip(levels, here, apart, strict=True):
            whose = dict(cell.cell) | dict(setting) | {self.choice: level, "quantity": quantity}
            differences = zip(_DIFFERENCE, _numbers(away).values(), strict=True)
            numbers = _numbers(own.within(limits(quantity)))
            yield whose | numbers | {"seeds": int(own.seeds[0])} | dict(differences)

    def charts(self, rows: Sequence[Row], titles: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Draw a chart of each leading cell: groups of quantities by their `titles`, a dot a level.

        A level whose models are not trained yet has none.
        """
        charts, there = {}, [row for row in rows if not math.isnan(row["value"])]
        for cell in Subject(self.runs, [*titles]).drawn:
            for number, setting in enumerate(self._settings(cell)):
                mine = (dict(cell.cell) | dict(setting)).items()
                shown = [
                    {"group": titles[row["quantity"]], "name": row[self.choice]}
                    | {end: row[end] for end in _ENDS}
                    for quantity in titles
                    for row in there
                    if row["quantity"] == quantity and mine <= row.items()
                ]
                of = " ".join([cell_name(cell), *(f"{c} {level}" for c, level in setting)])
                place = [str(number)] if setting else []
                charts[chart_name(self.choice, cell_name(cell), *place)] = estimates_chart(
                    shown, f"By {self.choice}: {of}", "mean over seeds"
                )
        return charts

    def groups(self, rows: Sequence[Row]) -> Iterator[tuple[str, dict[str, dict[str, Row]]]]:
        """Yield the rows of each cell and setting, by level and quantity, with what it is called."""
        named: dict[str, dict[str, dict[str, Row]]] = {}
        for row in rows:
            known = (*self.runs.choices, *(name for cell in self.runs.cells for name in cell.cell))
            about = [str(row[name]) for name in dict.fromkeys(known) if name != self.choice]
            levels = named.setdefault(" ".join(about), {})
            levels.setdefault(row[self.choice], {})[row["quantity"]] = row
        yield from named.items()


_ENDS = ("value", "low", "high")
_DIFFERENCE = ("difference", "difference_low", "difference_high")


def _numbers(bounds: Bounds) -> dict[str, float]:
    columns = (bounds.value, bounds.low, bounds.high)
    return {end: float(column[0]) for end, column in zip(_ENDS, columns, strict=True)}
