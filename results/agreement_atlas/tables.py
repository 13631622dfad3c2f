"""From the numbers of the study's models to the tables of the atlas."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attex.analyses.agreement import BOUNDS, CALIBRATED
from attex.analyses.faithfulness import COMPREHENSIVENESS, NORMALISED, RANDOM, SUFFICIENCY
from attex.analyses.measure_pairs import OF_PIECES
from attex.analyses.measures import GAP, HALF, SECONDS, ZEROS
from attex.analyses.truth import AT_RANDOM
from attex.config.schema import ExperimentConfig
from attex.foundations.registry import Spec
from attex.studies.bounds import bounded
from attex.studies.models import Models
from attex.studies.run_set import CellRuns, RunSet
from results.made import MadeModels
from results.study_page import rounded

KINDS = {"lstm": "BiLSTM", "pretrained_classifier": "MiniLM"}
"""What the two kinds of model are called, by their encoder."""

TABLES = ("models", "agreement", "truth", "measures")
SCORE = "auprc"
_STATISTIC = "kendall_tau"
Row = dict[str, Any]


def write_tables(place: Path, runs: RunSet, models: Models, made: MadeModels) -> None:
    """Write the tables: of models, of pairs of measures, of truth, and of single measures."""
    kept = {(about["dataset"], KINDS[about["encoder"]]) for about in made.named(made.kept)}
    fresh = {
        (cell.cell["dataset"], KINDS[cell.cell["encoder"]]): rows_of(cell, planned.configs[0])
        for cell, planned in zip(runs.cells, models.cells, strict=True)
    }
    order = [(cell.about["dataset"], KINDS[cell.about["encoder"]]) for cell in made.cells]
    for name in TABLES:
        path = place / f"{name}.csv"
        old = pl.read_csv(path, infer_schema_length=None).to_dicts() if path.exists() else []
        rows = [row for row in old if (row["dataset"], row["model"]) in kept]
        rows += [row for about, some in fresh.items() if about not in kept for row in some[name]]
        rows.sort(key=lambda row: order.index((row["dataset"], row["model"])))
        path.unlink(missing_ok=True)
        if rows:
            table = pl.DataFrame(rows, infer_schema_length=None)
            rounded(table.with_columns(pl.col(pl.Float64).fill_nan(None))).write_csv(path)


def rows_of(cell: CellRuns, config: ExperimentConfig) -> dict[str, list[Row]]:
    """Lay out what the models of one dataset and kind came to, by table."""
    about = {"dataset": cell.cell["dataset"], "model": KINDS[cell.cell["encoder"]]}
    numbers, measures = _Numbers(cell), _names(config)
    limits = {"texts": config.data.options()["test_limit"]}
    rows = {
        "models": [limits | numbers.bounded("accuracy")],
        "agreement": [*_pairs(numbers, measures)],
        "truth": [*_truth(numbers, measures)],
        "measures": [*_single(numbers, measures)],
    }
    return {name: [about | row for row in some] for name, some in rows.items()}


class _Numbers:
    """The numbers of a cell with one setting, over its seeds."""

    def __init__(self, cell: CellRuns) -> None:
        self._cell = cell

    def __contains__(self, name: str) -> bool:
        return name in self._cell.values

    def bounded(self, name: str) -> Row:
        """Return the mean over seeds, its interval, and how many seeds have the number."""
        found = bounded(self._cell.values[name], self._cell.draws.get(name))
        numbers = {"value": found.value[0], "low": found.low[0], "high": found.high[0]}
        return {"seeds": int(found.seeds[0])} | {key: float(one) for key, one in numbers.items()}

    def mean(self, name: str) -> float:
        """Return the mean over the seeds that have the number; NaN where none has."""
        values = self._cell.values.get(name, np.array([np.nan]))
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")


def _names(config: ExperimentConfig) -> Mapping[str, Spec]:
    """Return the measures by the names that the atlas has for them: without their options."""
    measures = {measure.type: measure for measure in config.importance}
    assert len(measures) == len(config.importance)
    return measures


def _pairs(numbers: _Numbers, measures: Mapping[str, Spec]) -> Iterator[Row]:
    for (first, a), (second, b) in combinations(measures.items(), 2):
        name = f"{_STATISTIC}({a.title}, {b.title})"
        row: Row = {"measure_a": first, "measure_b": second} | numbers.bounded(name)
        row |= {bound: numbers.mean(f"{name} {bound}") for bound in (*BOUNDS, OF_PIECES)}
        yield row | {"calibrated": numbers.mean(name + CALIBRATED)}


def _truth(numbers: _Numbers, measures: Mapping[str, Spec]) -> Iterator[Row]:
    for name, measure in measures.items():
        if f"{SCORE}({measure.title})" in numbers:
            row: Row = {"measure": name} | numbers.bounded(f"{SCORE}({measure.title})")
            yield row | {"chance": numbers.mean(f"{SCORE}({AT_RANDOM})")}


def _single(numbers: _Numbers, measures: Mapping[str, Spec]) -> Iterator[Row]:
    at_random = numbers.mean(f"{COMPREHENSIVENESS}({RANDOM})")
    for name, measure in measures.items():
        kinds = (SECONDS, HALF, ZEROS, GAP, COMPREHENSIVENESS, SUFFICIENCY)
        row = {kind: numbers.mean(f"{kind}({measure.title})") for kind in kinds}
        gained = numbers.mean(f"{COMPREHENSIVENESS}({measure.title}){NORMALISED}")
        yield {"measure": name} | row | {"random": at_random, "gained": gained}
