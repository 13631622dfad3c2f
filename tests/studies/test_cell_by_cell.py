"""What a study says cell by cell is the same, whether cells are asked about together or apart."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from attex.analyses.impermissible import MASS, NEUTRALISED, REMOVED, SHARE, ZEROED
from attex.studies.joined import brought
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study import STUDIES, Study

QUANTITIES = (
    *("accuracy", "development_accuracy", MASS, SHARE, REMOVED, NEUTRALISED, ZEROED),
    *(f"{what}({other})" for what in ("jsd", "tvd") for other in ("base", "beside", "uniform")),
    *("development_jsd", "same_decision(beside)", "beyond_bound(base)"),
)


def kinds(cell_by_cell: bool) -> list[str]:
    return [one.name for one in STUDIES if one.target.cell_by_cell is cell_by_cell]


def simulated(study: Study) -> RunSet:
    """Return models of two datasets in two settings, with numbers by chance."""
    rng, seeds = np.random.default_rng(0), (0, 1, 2)
    choices = {"setting": ("as published", "swapped")} | {c.name: c.names for c in brought(study)}
    levels = study.design([len(names) for names in choices.values()], None, [*choices]).levels
    cells = tuple(
        CellRuns(
            {"dataset": data, "encoder": "lstm", "attention": "tanh", "projection": "softmax"},
            levels,
            seeds,
            {name: rng.uniform(0.1, 0.6, (len(levels), len(seeds))) for name in QUANTITIES},
            {name: rng.uniform(0.1, 0.6, (len(levels), len(seeds), 5)) for name in QUANTITIES},
        )
        for data in ("sst", "imdb")
    )
    return RunSet(choices, cells)


@pytest.mark.parametrize("kind", kinds(cell_by_cell=True))
def test_cells_apart_are_said_the_same_of_as_together(kind: str) -> None:
    study: Study = STUDIES.bind(STUDIES.spec(kind))
    runs = simulated(study)
    (together,) = study(runs, []).parts
    apart = [study(replace(runs, cells=(cell,)), []).parts[0] for cell in runs.cells]
    assert {(one.title, one.explanation) for one in apart} == {(together.title, together.explanation)}
    assert [said for one in apart for said in one.sentences] == [*together.sentences]
    for path, table in together.tables.items():
        assert pl.concat([one.tables[path] for one in apart]).equals(table)
    charts = {name: chart for one in apart for name, chart in one.charts.items()}
    assert charts == together.charts


def test_what_compares_cells_says_so() -> None:
    assert {"use_of_attention", "side_by_side", "multiverse", "sweep"} <= {*kinds(cell_by_cell=False)}
    study: Study = STUDIES.bind(STUDIES.spec("use_of_attention"))
    runs = simulated(study)
    (together,), (first,) = (
        study(replace(runs, cells=cells), []).parts for cells in (runs.cells, runs.cells[:1])
    )
    assert together.charts.keys() == first.charts.keys()
    assert together.charts != first.charts, "one chart has the points of all cells"
