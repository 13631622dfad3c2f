"""Regression within settings: what goes with what among models that were chosen alike."""

from dataclasses import dataclass, field

import numpy as np

from attex.studies.bounds import student, two_sided

_NOTHING = 1e-9
"""A column of which less than this share is left does not vary."""


@dataclass(frozen=True)
class Slope:
    """How far the outcome goes with one predictor; `problem` says why where it is NaN.

    `spread` is the standard deviation of the predictor within settings: slope · spread is what usual
    differences between seeds go with, whatever the predictor's unit.
    """

    slope: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    p: float = float("nan")
    correlation: float = float("nan")
    spread: float = float("nan")
    problem: str = ""


@dataclass(frozen=True)
class Fit:
    """A regression: a slope for each predictor, how much it rests on, and columns that did not vary."""

    slopes: tuple[Slope, ...]
    models: int
    settings: int
    left_out: int
    constant: tuple[int, ...] = field(default=())


def within_settings(
    outcome: np.ndarray, predictors: np.ndarray, adjusters: np.ndarray, setting: np.ndarray
) -> Fit:
    """Regress an outcome on predictors among models of the same setting: [N], [N,P], [N,A], [N] → Fit.

    y = a_setting + predictors·β + adjusters·γ + ε: every setting has a level of its own, so that only
    differences between its seeds count. Models with a number missing, and settings that are left
    with one model, are left out and counted. Standard errors are clustered by setting, by leaving
    each out in turn (the jackknife, or CR3, which holds its level with few clusters):
    (G−1)/G·Σ(β₋g − β)², with Student's t of G−1 degrees of freedom for G settings.

    `correlation` is the partial one: of outcome and predictor, each less what setting, adjusters and the
    other predictors say of it. An adjuster that does not vary within settings is named in
    `constant`. A predictor that does not, or that others determine, has no slope.
    """
    whole = np.column_stack([outcome, predictors, adjusters])
    known = ~np.isnan(whole).any(axis=1)
    names, group, size = np.unique(setting[known], return_inverse=True, return_counts=True)
    several = size[group] > 1
    group = np.unique(group[several], return_inverse=True)[1]
    models, settings = len(group), int((size > 1).sum())
    count = predictors.shape[1]
    demeaned = _without_means(whole[known][several], group, settings)
    varies = np.linalg.norm(demeaned, axis=0) > 0
    constant = tuple(int(i) for i in np.flatnonzero(~varies[1 + count :]))
    problem = _too_little(models, settings, int(varies[1:].sum()), bool(varies[0]), len(names))
    if problem:
        slopes = tuple(Slope(problem=problem) for _ in range(count))
    else:
        slopes = _slopes(demeaned[:, 0], demeaned[:, 1:], group, settings, count)
    return Fit(slopes, models, settings, len(outcome) - models, constant)


def _too_little(models: int, settings: int, columns: int, varies: bool, known: int) -> str:
    if not models:
        return (
            "no setting has two seeds with all numbers, and one seed says nothing within a setting"
            if known
            else "no model has all of these numbers"
        )
    if not varies:
        return "the outcome is the same for all seeds of a setting"
    if settings < columns + 2:
        return f"{settings} settings are too few for {columns} columns"
    return ""


def _without_means(columns: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """Take each setting's mean from its models: [N,C]; what is then only rounding becomes 0."""
    total = np.zeros((groups, columns.shape[1]))
    np.add.at(total, group, columns)
    left = columns - (total / np.maximum(np.bincount(group, minlength=groups), 1)[:, None])[group]
    small = np.linalg.norm(left, axis=0) <= _NOTHING * np.linalg.norm(columns, axis=0)
    return np.where(small, 0.0, left)


def _slopes(
    y: np.ndarray, x: np.ndarray, group: np.ndarray, groups: int, count: int
) -> tuple[Slope, ...]:
    scale = np.linalg.norm(x, axis=0)
    x = x / np.where(scale > 0, scale, 1.0)
    inverse = np.linalg.pinv(x.T @ x, rcond=_NOTHING, hermitian=True)
    beta = inverse @ (x.T @ y)
    error = _jackknife(x, y - x @ beta, inverse, group, groups)
    reach = float(student(0.95, np.array(groups - 1.0)))
    made = []
    for number in range(count):
        others = np.delete(x, number, axis=1)
        alone = _residual(x[:, number], others)
        if not scale[number]:
            made.append(Slope(problem="it is the same for all seeds of a setting"))
        elif np.linalg.norm(alone) < np.sqrt(_NOTHING):
            made.append(Slope(problem="the other columns determine it"))
        elif np.isnan(error[number]):
            made.append(Slope(problem="it rests on one setting alone"))
        else:
            rest = _residual(y, others)
            norm = np.linalg.norm(rest) * np.linalg.norm(alone)
            slope, half = (float(one[number] / scale[number]) for one in (beta, reach * error))
            p = float(two_sided(beta[number] / error[number], np.array(groups - 1.0)))
            correlation = float(rest @ alone / norm) if norm else float("nan")
            spread = float(scale[number] / np.sqrt(len(y) - groups))
            made.append(Slope(slope, slope - half, slope + half, p, correlation, spread))
    return tuple(made)


def _residual(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(y - x @ np.linalg.lstsq(x, y, rcond=_NOTHING)[0])


def _jackknife(
    x: np.ndarray, residual: np.ndarray, inverse: np.ndarray, group: np.ndarray, groups: int
) -> np.ndarray:
    """Return the standard error of each slope: [C], NaN where it cannot do without some setting.

    Without the models g, β changes by (X'X)⁻¹X_g'(I − X_g(X'X)⁻¹X_g')⁻¹e_g.
    """
    changes = np.zeros((groups, x.shape[1]))
    order = np.argsort(group, kind="stable")
    for number, members in enumerate(np.split(order, np.cumsum(np.bincount(group))[:-1])):
        mine: np.ndarray = x[members]
        left = np.eye(len(members)) - mine @ inverse @ mine.T
        if np.linalg.eigvalsh(left)[0] < _NOTHING:
            direction = inverse @ mine.T
            changes[number] = np.where(np.abs(direction).max(axis=1) > _NOTHING, np.nan, 0.0)
        else:
            changes[number] = inverse @ (mine.T @ np.linalg.solve(left, residual[members]))
    return np.asarray(np.sqrt((groups - 1) / groups * (changes**2).sum(axis=0)))


def correlation_between(outcome: np.ndarray, predictor: np.ndarray, setting: np.ndarray) -> float:
    """Return Pearson's correlation of the means of settings, as they are: [N], [N], [N] → r."""
    known = ~np.isnan(outcome) & ~np.isnan(predictor)
    names, group = np.unique(setting[known], return_inverse=True)
    columns = np.column_stack([outcome[known], predictor[known]])
    total = np.zeros((len(names), 2))
    np.add.at(total, group, columns)
    y, x = _without_means(
        total / np.bincount(group, minlength=len(names))[:, None], np.zeros(len(names), dtype=int), 1
    ).T
    norm = np.linalg.norm(y) * np.linalg.norm(x)
    return float(y @ x / norm) if norm > 0 else float("nan")
