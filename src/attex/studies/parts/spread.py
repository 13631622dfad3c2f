"""How far a number spreads over the universes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attex.analyses.summary import frame
from attex.charts.specification_curve import specification_curve_chart
from attex.claims.quantities import limits
from attex.report.study_page import Part
from attex.studies.bounds import bounded
from attex.studies.designs import Design
from attex.studies.leading import ACCURACY
from attex.studies.parts.subject import (
    Subject,
    cell_name,
    chart_name,
    minus,
    published_values,
)
from attex.studies.run_set import CellRuns

_PERCENTS = (0, 5, 25, 50, 75, 95, 100)
_COLUMNS = ("least", "p5", "p25", "median", "p75", "p95", "most")


def spread_part(subject: Subject, designs: Sequence[Design]) -> Part:
    """Lay out percentiles of every quantity in every cell, and draw the universes one by one."""
    rows = [_row(cell, quantity) for cell, quantity in subject.pairs()]
    charts = {}
    for quantity in subject.quantities:
        for cell in subject.drawn:
            if quantity in cell.values:
                every = bounded(cell.values[quantity], cell.draws.get(quantity))
                bounds = every.within(limits(quantity))
                charts[chart_name("curve", quantity, cell_name(cell))] = specification_curve_chart(
                    bounds.value,
                    bounds.low,
                    bounds.high,
                    subject.chosen(cell.levels),
                    subject.runs.choices,
                    f"{quantity}: {cell_name(cell)}",
                    quantity,
                    experiments=cell.experiments,
                    lines={
                        f"published {value:.2f} ({paper})": value
                        for paper, value in published_values(cell, quantity).items()
                    },
                )
    return Part(
        "How far does it spread?",
        "Every universe is one defensible way to train the same model. Its value is the mean over its "
        "seeds. The table has percentiles over universes, and the share of them that lie below a "
        "published number. " + " ".join(_designs(designs)),
        [_sentence(row) for row in _leading(subject, rows)],
        {"tables/spread": frame(rows)},
        charts,
    )


def _designs(designs: Sequence[Design]) -> list[str]:
    """Say which settings were tried, once for each kind of design."""
    kinds = dict.fromkeys((design.kind, design.weights) for design in designs)
    return [f"Design: {kind}{f' ({weights})' if weights else ''}." for kind, weights in kinds]


def _row(cell: CellRuns, quantity: str) -> dict[str, Any]:
    values = bounded(cell.values[quantity]).value
    known = values[~np.isnan(values)]
    numbers = dict(zip(_COLUMNS, np.percentile(known, _PERCENTS).tolist(), strict=True))
    claims = published_values(cell, quantity)
    return {
        **cell.cell,
        "quantity": quantity,
        "universes": len(values),
        "undefined": len(values) - len(known),
        **numbers,
        "published": "; ".join(
            f"{value:g} ({paper}), above {np.mean(known < value):.0%} of the universes"
            for paper, value in claims.items()
        ),
    }


def _leading(subject: Subject, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = [cell.cell for cell in subject.drawn]
    return [
        row
        for row in rows
        if any(cell.items() <= row.items() for cell in names) and row["quantity"] != ACCURACY
    ]


def _sentence(row: dict[str, Any]) -> str:
    cell = " ".join(str(row[key]) for key in ("dataset", "encoder", "attention", "projection"))
    sentence = (
        f"{row['quantity']} of {cell} is {row['least']:.2f} to {row['most']:.2f} over "
        f"{row['universes']} universes (5 to 95 %: {row['p5']:.2f} to {row['p95']:.2f})"
    )
    if row["published"]:
        sentence += f"; published is {row['published']}"
    return minus(sentence) + "."
