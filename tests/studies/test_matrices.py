"""The matrix of measures on the page of a sweep: the numbers in its squares, and when there is one."""

from itertools import combinations

import numpy as np
import pytest

from attex.studies.parts.matrices import matrix_parts
from attex.studies.run_set import CellRuns, RunSet

MEASURES = ["attention", "gradient_norm[hidden]", "lime(samples=8, seed=1)", "random", "occlusion"]


def cell(dataset: str, measures: list[str], seed: int) -> CellRuns:
    """Agreement of all pairs of two settings with three seeds, and what stands beside it."""
    rng = np.random.default_rng(seed)
    values = {"accuracy": np.ones((2, 3))}
    for a, b in combinations(measures, 2):
        values |= {f"kendall_tau({a}, {b}){ending}": rng.random((2, 3)) for ending in ("", " null")}
        values[f"spearman({a}, {b})"] = rng.random((2, 3))
    return CellRuns({"dataset": dataset}, np.zeros((2, 0), int), (0, 1, 2), values, {})


def squares(chart: dict[str, object]) -> list[dict[str, object]]:
    """Return all squares of a chart, wherever its data stand."""
    found: list[dict[str, object]] = []

    def search(value: object) -> None:
        if isinstance(value, dict):
            if "row" in value and "column" in value and "written" in value:
                found.append(value)
            else:
                [search(inner) for inner in value.values()]
        elif isinstance(value, list):
            [search(inner) for inner in value]

    search(chart)
    return found


def test_a_square_is_the_mean_over_seeds_and_settings() -> None:
    one = cell("sst", MEASURES, 0)
    one.values["kendall_tau(attention, random)"][:] = np.nan
    one.values["kendall_tau(attention, occlusion)"][0, 0] = np.nan
    (part,) = matrix_parts(RunSet({}, (one,)))
    (chart,) = part.charts.values()
    drawn = {(square["row"], square["column"]): square.get("value") for square in squares(chart)}
    assert len(drawn) == 20
    for a, b in combinations(MEASURES, 2):
        values = one.values[f"kendall_tau({a}, {b})"]
        expected = None if np.isnan(values).all() else pytest.approx(np.nanmean(values), rel=1e-4)
        assert drawn[a, b] == expected
        assert drawn[b, a] == expected


def test_cells_with_the_same_measures_stand_together_and_few_measures_need_none() -> None:
    cells = [cell("sst", MEASURES, 0), cell("imdb", MEASURES, 1), cell("snli", [*MEASURES, "x"], 2)]
    few = cell("few", MEASURES[:4], 3)
    (part,) = matrix_parts(RunSet({}, (*cells, few)))
    assert [len(squares(chart)) for chart in part.charts.values()] == [2 * 20, 30]
    assert not [*matrix_parts(RunSet({}, (few,)))]
