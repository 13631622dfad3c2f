"""All measures against all measures: a matrix for every cell, where there are many."""

from collections.abc import Iterator, Sequence

import numpy as np

from attex.charts.measure_matrix import MANY, matrices_chart
from attex.report.study_page import Part
from attex.studies.parts.subject import cell_name
from attex.studies.run_set import CellRuns, RunSet

_BEFORE = "kendall_tau("
_TITLE = "Which measures agree?"


def matrix_parts(runs: RunSet) -> Iterator[Part]:
    """Yield a part with a matrix for every cell; nothing where no cell has many measures."""
    by_measures: dict[tuple[str, ...], list[CellRuns]] = {}
    for cell in runs.cells:
        measures = tuple(dict.fromkeys(name for pair in _pairs(cell) for name in pair))
        if len(measures) >= MANY:
            by_measures.setdefault(measures, []).append(cell)
    charts = {
        f"measures_{number}": matrices_chart(
            [row for cell in cells for row in _rows(cell)], measures, _TITLE, "Kendall's τ"
        )
        for number, (measures, cells) in enumerate(by_measures.items(), 1)
    }
    if charts:
        yield Part(
            _TITLE,
            "Kendall's τ of every pair of measures, the mean over texts, seeds and settings. Cells "
            "whose models have the same measures stand together.",
            charts=charts,
        )


def _rows(cell: CellRuns) -> Iterator[dict[str, object]]:
    for (first, second), quantity in _pairs(cell).items():
        values = cell.values[quantity]
        known = values[~np.isnan(values)]
        agreement = float(known.mean()) if known.size else None
        pair = {"measure_a": first, "measure_b": second}
        yield {"panel": cell_name(cell)} | pair | {"agreement": agreement}


def _pairs(cell: CellRuns) -> dict[tuple[str, str], str]:
    """Return the pairs of measures of which τ is known, with the quantity's name."""
    plain = [name for name in cell.values if name.startswith(_BEFORE) and name.endswith(")")]
    named = ((_apart(name.removeprefix(_BEFORE)[:-1]), name) for name in plain)
    return {(titles[0], titles[1]): name for titles, name in named if len(titles) == 2}


def _apart(titles: str) -> Sequence[str]:
    """Cut a list of titles at its commas, but for those between options."""
    depth, parts = 0, [""]
    for letter in titles:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
