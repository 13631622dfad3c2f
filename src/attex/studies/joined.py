"""Several studies of one base as one: a single choice has the levels of all of theirs."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attex.studies.choices import Choice, read_choices
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study import Study

_ANY_BASE: Mapping[str, Any] = {"seeds": [0, 1]}
"""What choices and levels are called does not depend on the base (see `Study.choices`)."""


def brought(study: Study, base: Mapping[str, Any] = _ANY_BASE) -> tuple[Choice, ...]:
    """Return the choices that a study brings, its levels in the order that it would have alone."""
    return read_choices(study.choices(base), "choices", fewest=1)


def joined_levels(name: str, choices: Sequence[Choice]) -> dict[str, dict[str, Any]]:
    """Cross the choices of a study: every combination is one level, with the keys of all."""
    crossed: dict[str, dict[str, Any]] = {}
    for levels in itertools.product(*(choice.levels for choice in choices)):
        keys: dict[str, Any] = {}
        for level in levels:
            keys |= level.keys
        crossed[_called(name, [level.name for level in levels])] = keys
    return crossed


def crossed_names(name: str, choices: Sequence[Choice]) -> dict[str, tuple[str, ...]]:
    """Return by the name of each of these levels the names of those that it was made of."""
    every = itertools.product(*(choice.names for choice in choices))
    return {_called(name, names): names for names in every}


def runs_of(runs: RunSet, choice: str, name: str, choices: Sequence[Choice]) -> RunSet:
    """Return the models of one study, as if it had been run alone.

    `choice` is the one in which its levels were joined with those of others.
    """
    place = {
        _called(name, [c.names[at] for c, at in zip(choices, levels, strict=True)]): levels
        for levels in itertools.product(*(range(len(c.levels)) for c in choices))
    }
    at = [*runs.choices].index(choice)
    names = runs.choices[choice]
    others = {c: levels for c, levels in runs.choices.items() if c != choice}
    cells = tuple(_cell(cell, at, [place.get(level) for level in names]) for cell in runs.cells)
    return replace(runs, choices=others | {c.name: c.names for c in choices}, cells=cells)


def _cell(cell: CellRuns, at: int, place: Sequence[tuple[int, ...] | None]) -> CellRuns:
    """Keep the settings whose level has a place, and the quantities that some of them have."""
    rows, levels = [], []
    for row, setting in enumerate(cell.levels.tolist()):
        level = place[setting.pop(at)]
        if level is not None:
            rows.append(row)
            levels.append([*setting, *level])

    def some(numbers: Mapping[Any, np.ndarray]) -> dict[Any, np.ndarray]:
        return dict(_known((name, each[rows]) for name, each in numbers.items()))

    return replace(
        cell,
        levels=np.array(levels, dtype=int),
        values=some(cell.values),
        draws=some(cell.draws),
        of_classes=some(cell.of_classes),
        experiments=tuple(cell.experiments[row] for row in rows) if cell.experiments else (),
    )


def _known(numbers: Iterator[tuple[Any, np.ndarray]]) -> Iterator[tuple[Any, np.ndarray]]:
    for name, each in numbers:
        if not np.isnan(each).all():
            yield name, each


def _called(name: str, levels: Sequence[str]) -> str:
    return f"{name}: {', '.join(levels)}"
