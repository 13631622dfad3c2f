"""What a study says cell by cell is the same, whether cells are asked about together or apart."""

from dataclasses import replace
from typing import Any

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
    answers = [study(replace(runs, cells=(cell,)), []).parts for cell in runs.cells]
    tables: dict[str, pl.DataFrame] = {}
    charts: dict[str, dict[str, Any]] = {}
    for together, *apart in zip(study(runs, []).parts, *answers, strict=True):
        assert {(one.title, one.explanation) for one in apart} == {
            (together.title, together.explanation)
        }
        # Those of a cell may be in two places.
        said = [said for one in apart for said in one.sentences]
        assert sorted(said) == sorted(together.sentences)
        assert [one for one in said if one in apart[0].sentences] == [*apart[0].sentences]
        for path, table in together.tables.items():
            # What cells share stands there once.
            joined = pl.concat([one.tables[path] for one in apart])
            of_cells = "dataset" in table.columns
            tables[path] = joined if of_cells else joined.unique(maintain_order=True)
            assert tables[path].equals(table)
        charts |= {name: chart for one in apart for name, chart in one.charts.items()}
    expected = {name: chart for part in study(runs, []).parts for name, chart in part.charts.items()}
    assert charts | {**study.overview(tables)} == expected


def test_what_compares_cells_says_so_and_brings_no_models_of_its_own() -> None:
    names = kinds(cell_by_cell=False)
    assert {"multiverse", "sweep"} <= {*names}
    # What they say cannot be kept beside a page cell by cell.
    studies: list[Study] = [STUDIES.bind(STUDIES.spec(name)) for name in names]
    assert all(study.as_published(()) is None for study in studies)


def test_a_chart_of_all_cells_is_drawn_from_their_tables() -> None:
    study: Study = STUDIES.bind(STUDIES.spec("use_of_attention"))
    runs = simulated(study)
    (together,), (first,), (second,) = (
        study(replace(runs, cells=cells), []).parts
        for cells in (runs.cells, runs.cells[:1], runs.cells[1:])
    )
    assert together.charts != first.charts != second.charts
    (path,) = together.tables
    assert study.overview({path: together.tables[path]}) == together.charts
    assert (
        study.overview({path: pl.concat([first.tables[path], second.tables[path]])}) == together.charts
    )
