"""Is agreement evidence of faithfulness? Asked within settings, with permuted attention as a control."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attex.studies.conclusion import agreement
from attex.studies.fixed_effects import correlation_between, within_settings
from attex.studies.paired import same_settings
from attex.studies.run_set import CellRuns, RunSet

OUTCOMES = ("auprc(attention)", "comprehensiveness(attention) normalised")
"""What faithfulness is measured by: the words that are known to decide, and what deleting words does."""
MEASURES = ("gradient", "leave_one_out")
ADJUSTED_FOR = ("accuracy", "confidence", "entropy(attention)")
OWN, PERMUTED = "own", "permuted"
_ENDINGS = {OWN: " calibrated", PERMUTED: " permuted"}
ALL = "all"


def faithfulness_rows(runs: RunSet, statistic: str = "kendall_tau") -> list[dict[str, Any]]:
    """Regress faithfulness on agreement among models that differ in their seed only.

    Universes cannot be compared raw: a learning rate that makes attention agree more may make the model
    better for other reasons. So every setting of every cell has a level of its own (fixed effects),
    and what is left are seeds. Accuracy, confidence and the entropy of attention are adjusted for.

    There is a row for each outcome (`OUTCOMES` that the models have), each dataset and `all` of them,
    each predictor, alone and `together` with the other:

    - `attention` is `own` for the calibrated τ(attention, measure), and `permuted` for the negative
      control: τ of the model's own weights put on other words. Which words were attended to is lost
      there, so what still goes with the outcome is not agreement.
    - `slope`, `low`, `high`, `p`: of the regression (see `within_settings`), in units of the outcome for
      one unit of the predictor. Own and permuted τ have different units; times `spread`, the standard
      deviation of the predictor within settings, their slopes can be compared.
    - `correlation_within`: the partial correlation; `correlation_between`: the raw one of the means of
      settings, for contrast.
    - `models`, `settings`: what the regression rests on; `left_out`: models that have not all numbers,
      or no other seed; `constant`: adjusters that do not vary within settings; `problem`: why there is
      no slope.

    Comprehensiveness of the first word is leave-one-out, so that outcome and τ(attention,
    leave_one_out) share a part by construction; the truth does not.
    """
    names = sorted({cell.cell.get("dataset", "") for cell in runs.cells})
    groups = [(ALL, runs.cells)] if len(names) != 1 else []
    groups += [
        (name, tuple(c for c in runs.cells if c.cell.get("dataset", "") == name)) for name in names
    ]
    rows: list[dict[str, Any]] = []
    for outcome in OUTCOMES:
        for dataset, cells in groups:
            having = [_once(cell) for cell in cells if outcome in cell.values]
            if having:
                about = {"outcome": outcome, "dataset": dataset}
                rows += [about | row for row in _rows(having, outcome, statistic)]
    return rows


def _once(models: CellRuns) -> CellRuns:
    """Take each setting once: a design may have one twice, with the same models."""
    rows, _ = same_settings(models.levels, models.levels)
    values = {name: numbers[rows] for name, numbers in models.values.items()}
    return CellRuns(models.cell, models.levels[rows], models.seeds, values, {})


def _rows(cells: Sequence[CellRuns], outcome: str, statistic: str) -> Iterator[dict[str, Any]]:
    quantities = {name for cell in cells for name in cell.values}
    for attention, ending in _ENDINGS.items():
        wanted = (agreement(statistic, "attention", measure, ending) for measure in MEASURES)
        known = [name for one in wanted if (name := one.known_as(quantities)) is not None]
        together = [known] if len(known) > 1 else []
        for predictors in [*([name] for name in known), *together]:
            for row in _regressed(cells, outcome, predictors):
                yield {"attention": attention, "together": len(predictors) > 1} | row


def _regressed(
    cells: Sequence[CellRuns], outcome: str, predictors: Sequence[str]
) -> Iterator[dict[str, Any]]:
    adjusters = [name for name in ADJUSTED_FOR if not np.isnan(_column(cells, name)).all()]
    setting = np.concatenate(list(_settings(cells)))
    y = _column(cells, outcome)
    x, adjust = _columns(cells, predictors), _columns(cells, adjusters)
    fit = within_settings(y, x, adjust, setting)
    for number, (predictor, slope) in enumerate(zip(predictors, fit.slopes, strict=True)):
        yield {
            "predictor": predictor,
            "slope": slope.slope,
            "low": slope.low,
            "high": slope.high,
            "p": slope.p,
            "spread": slope.spread,
            "correlation_within": slope.correlation,
            "correlation_between": correlation_between(y, x[:, number], setting),
            "models": fit.models,
            "settings": fit.settings,
            "left_out": fit.left_out,
            "adjusted_for": ", ".join(adjusters),
            "constant": ", ".join(adjusters[i] for i in fit.constant),
            "problem": slope.problem,
        }


def _settings(cells: Sequence[CellRuns]) -> Iterator[np.ndarray]:
    """Number the settings of all cells, once for each model: [U·S] for each cell."""
    before = 0
    for cell in cells:
        yield np.repeat(before + np.arange(len(cell.levels)), len(cell.seeds))
        before += len(cell.levels)


def _columns(cells: Sequence[CellRuns], names: Sequence[str]) -> np.ndarray:
    models = sum(len(cell.levels) * len(cell.seeds) for cell in cells)
    return np.stack([_column(cells, name) for name in names], axis=1) if names else np.empty((models, 0))


def _column(cells: Sequence[CellRuns], name: str) -> np.ndarray:
    """Return a quantity of all models in a row, NaN where a cell has none: [N]."""
    shapes = ((len(cell.levels), len(cell.seeds)) for cell in cells)
    parts = [
        cell.values.get(name, np.full(shape, np.nan)) for cell, shape in zip(cells, shapes, strict=True)
    ]
    return np.concatenate([part.ravel() for part in parts])
