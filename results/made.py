"""Which models a table of numbers is of: a list beside it, so that other machines can add models.

A cache holds the models of one machine. A table keeps those that another has trained, as long as the
study still asks for the very same: the list has the key of each model, which says what it was made of.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from attex.runner.stage import Stage
from attex.runner.workspace import Workspace
from attex.studies.models import Models
from attex.studies.run_set import RunSet
from attex.studies.settings import level_names
from attex.studies.study_file import StudyFile
from attex.studies.universes import Cell

Row = Mapping[str, Any]
Model = tuple[str, ...]
_SEED, _KEY = "seed", "key"


class MadeModels:
    """The models that a table is to have: those at hand, and those it had that are still asked for.

    A model is told apart by the columns `about`: what it is, what was chosen for it, and its seed. Where
    a row is made of all models of a cell, `whole_cells`, a cell is taken from where more of them are.
    """

    def __init__(
        self,
        table: Path,
        file: StudyFile,
        models: Models,
        workspace: Workspace,
        whole_cells: bool = False,
    ) -> None:
        self._table, self._list = table, table.with_name(f"made_{table.stem}.csv")
        asked = [*_asked(file, models)]
        self.about: tuple[str, ...] = tuple(asked[0][1])
        stages = {tuple(chosen.values()): stage for _, chosen, stage in asked}
        self._place = {model: place for place, model in enumerate(stages)}
        cache = workspace.cache
        known = _read_keys(self._list)
        self.at_hand: set[Model] = set()
        self.kept: set[Model] = set()
        for cell in models.planned:
            of_cell = [tuple(chosen.values()) for c, chosen, _ in asked if c is cell[0]]
            here = {model for model in of_cell if cache.has(stages[model])}
            had = {model for model in of_cell if known.get(model) == stages[model].key}
            if whole_cells:
                here, had = (here, set()) if len(here) >= len(had) else (set(), had)
            self.at_hand |= here
            self.kept |= had - here
        there = self.at_hand | self.kept
        self.keys = {model: stage.key for model, stage in stages.items() if model in there}
        self.cells = [*{id(c): c for c, chosen, _ in asked if tuple(chosen.values()) in there}.values()]
        new = [stages[model] for model in self.at_hand if model not in known]
        self.seconds_of_new = sum(cache.record(stage).seconds for stage in new)

    def extended(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows of the models at hand, and those that the table has of the models it keeps."""
        old = _read_numbers(self._table) if self.kept else []
        return sorted(
            [*rows, *(row for row in old if self.model_of(row) in self.kept)],
            key=lambda row: self._place[self.model_of(row)],
        )

    def write(self) -> None:
        """Write the list."""
        about = zip(self.named(self.keys), self.keys.values(), strict=True)
        listed = [model | {_KEY: key} for model, key in about]
        pl.DataFrame(listed, infer_schema_length=None).write_csv(self._list)

    def named(self, models: Iterable[Model]) -> list[dict[str, str]]:
        """Say of models what tells each apart, by column."""
        return [dict(zip(self.about, model, strict=True)) for model in models]

    def model_of(self, row: Row) -> Model:
        """Say which model a row is about."""
        return tuple(_plain(row[name]) for name in self.about)


def _asked(file: StudyFile, models: Models) -> Iterator[tuple[Cell, dict[str, Any], Stage]]:
    """Yield every model that a study asks for: its cell, what tells it apart, and its stage."""
    within = {c.name: (c.parent, c.within) for c in file.choices if c.parent is not None}
    runs = RunSet({choice.name: choice.names for choice in file.choices}, (), within)
    for cell, planned in models.planned:
        settings = level_names(runs, cell.design.levels)
        for chosen, of_seeds in zip(settings, planned, strict=True):
            for seed, stage in of_seeds.items():
                about = {**cell.about, **chosen, _SEED: seed}
                yield cell, {name: _plain(value) for name, value in about.items()}, stage


def _plain(value: Any) -> str:
    """Write a value as a table has it: names of levels may be numbers."""
    return "" if value is None else str(value)


def _read_numbers(table: Path) -> list[dict[str, Any]]:
    """Read a table of numbers; levels stay words, as `10` beside `5.2` would become `10.0`."""
    words = pl.read_csv(table, infer_schema_length=0)
    return words.with_columns(pl.col("value").cast(float), pl.col(_SEED).cast(int)).to_dicts()


def _read_keys(path: Path) -> dict[Model, str]:
    if not path.exists():
        return {}
    rows = pl.read_csv(path, infer_schema_length=0).rows()
    return {tuple(map(_plain, about)): key for *about, key in rows}
