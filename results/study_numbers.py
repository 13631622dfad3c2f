"""The numbers that the models of a study left, and which of its models are still to be trained."""

import functools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from attex.analyses.quantity import OVERALL
from attex.claims.ledger import Cell
from attex.claims.numbers import BASE
from attex.claims.quantities import key_of, limits, projection_of
from attex.studies import universes
from attex.studies.run_set import RunSet
from attex.studies.settings import level_names
from attex.studies.study_file import StudyFile, find_study
from results.by_seed import Mean, Seeds, mean_of
from results.lambdas import lambdas_of
from results.markdown import table

CELL = ("dataset", "encoder", "attention", "projection")
DENSE = "softmax"
STUDIES = Path(__file__).parent.parent / "experiments" / "studies"


class Model(NamedTuple):
    """A model of a study: what it is, what was chosen for it, and its seed."""

    cell: Cell
    setting: str
    seed: int


class NumberOf(NamedTuple):
    """What a number is of: a model, and a quantity that was measured of it."""

    cell: Cell
    quantity: str
    setting: str = BASE

    def of(self, dataset: str, setting: str | None) -> "NumberOf":
        """Return the same of another dataset, and in another setting, if one is given."""
        return self._replace(cell=(dataset, *self.cell[1:]), setting=setting or self.setting)


class StudyNumbers:
    """Tables of numbers beside a page, and the study files that they are of, taken as one.

    A model that several tables have counts once. Where there is no table no model is there: it can be
    asked all the same, and has nothing.
    """

    def __init__(self, paths: Sequence[Path], studies: Sequence[str]) -> None:
        self._studies = studies
        rows = _read(paths).with_columns(pl.col("projection").map_elements(projection_of, pl.String))
        made = rows.select(*CELL, "setting", "seed").unique(maintain_order=True).rows()
        self.made = {Model((*about,), setting, seed) for *about, setting, seed in made}
        self.cells: list[Cell] = rows.select(CELL).unique(maintain_order=True).rows()
        named: list[str] = rows["setting"].unique(maintain_order=True).to_list()
        self.settings = sorted(named, key=lambda setting: setting != BASE)
        grouped = rows.group_by(*CELL, "setting", "quantity", "class", maintain_order=True).agg("value")
        self._values = {
            (*about, setting, key_of(quantity), class_): Seeds(
                tuple(value for value in values if value is not None and value == value)
            )
            for *about, setting, quantity, class_, values in grouped.rows()
        }
        self._classes: list[str] = rows["class"].unique(maintain_order=True).to_list()
        self._by_seed: dict[tuple[str, ...], dict[int, float]] = {}
        for *about, setting, quantity, class_, seed, value in rows.select(
            *CELL, "setting", "quantity", "class", "seed", "value"
        ).rows():
            known = self._by_seed.setdefault((*about, setting, key_of(quantity), class_), {})
            known[seed] = value

    @property
    def models(self) -> int:
        """How many models the numbers are of: what is made of several has no model of its own."""
        return len(self.made & set(self.planned))

    def seeds(self, cell: Cell, quantity: str, setting: str = BASE, class_: str = OVERALL) -> Seeds:
        """Return a number of ours, of every seed; options of measures need not be named."""
        return self._values.get((*cell, setting, key_of(quantity), class_), Seeds(()))

    def mean(self, cell: Cell, quantity: str, setting: str = BASE, class_: str = OVERALL) -> Mean:
        """Return the mean over seeds of a share or a divergence, with its interval.

        The spread is pooled over all datasets, projections and settings with this encoder and attention.
        """
        return mean_of(
            self.seeds(cell, quantity, setting, class_),
            [
                [self.seeds(other, quantity, some, name) for name in self._classes_like(class_)]
                for other in self.cells
                for some in self.settings
                if other[1:3] == cell[1:3]
            ],
            limits(quantity),
        )

    def difference(self, one: NumberOf, other: NumberOf, class_: str = OVERALL) -> Mean:
        """Return by how much one number exceeds another, seed by seed, with its interval.

        The spread is pooled over all datasets that have both; and over all settings, if both have the
        same, as those of two models that were trained alike. Where a number stands beside another one
        of another setting, the spread of the two as published counts with theirs.
        """
        datasets = dict.fromkeys(cell[0] for cell in self.cells)
        settings: list[str | None] = [None]
        if one.setting == other.setting:
            settings = [*self.settings]
        elif one._replace(setting=BASE) != other._replace(setting=BASE):
            settings = [None, BASE]
        alike = [
            [
                self._apart(one.of(dataset, setting), other.of(dataset, setting), name)
                for name in self._classes_like(class_)
            ]
            for dataset in datasets
            for setting in settings
        ]
        return mean_of(self._apart(one, other, class_), alike)

    def _apart(self, one: NumberOf, other: NumberOf, class_: str) -> Seeds:
        """Return by how much one number exceeds another, of every seed that has both."""
        to, start = (
            self._by_seed.get((*end.cell, end.setting, key_of(end.quantity), class_), {})
            for end in (one, other)
        )
        return Seeds(tuple(to[seed] - start[seed] for seed in to if seed in start))

    def _classes_like(self, class_: str) -> list[str]:
        """Return the classes whose numbers vary as that of a class: all, or the whole alone."""
        return [OVERALL] if class_ == OVERALL else [name for name in self._classes if name != OVERALL]

    @functools.cached_property
    def planned(self) -> list[Model]:
        """Every model that the study files ask for, once."""
        models: dict[Model, None] = {}
        for study in self._studies:
            file, cells = _asked(study)
            runs = RunSet({choice.name: choice.names for choice in file.choices}, ())
            models |= {
                Model(_cell(cell), str(chosen.get("setting") or BASE), seed): None
                for cell in cells
                for chosen in level_names(runs, cell.design.levels)
                for seed in file.seeds
            }
        return [*models]

    def models_on(self, dataset: str) -> tuple[int, int]:
        """Count the models of a dataset that are here, and those that the study files ask for."""
        planned = {model for model in self.planned if model.cell[0] == dataset}
        return len(planned & self.made), len(planned)

    @functools.cached_property
    def lambdas(self) -> dict[str, float]:
        """λ of the projections that have one, by their names; sparsemax has 0."""
        return lambdas_of(cell for study in self._studies for cell in _asked(study)[1])

    def by_sparsity(self) -> list[Cell]:
        """Return the cells on the way from softmax to the sparsest λ, model by model."""
        order = [DENSE, *sorted(self.lambdas, key=lambda name: self.lambdas[name])]
        models = [*dict.fromkeys(cell[:3] for cell in self.cells)]
        there = [cell for cell in self.cells if cell[-1] in order]
        return sorted(there, key=lambda cell: (models.index(cell[:3]), order.index(cell[-1])))

    @property
    def missing(self) -> list[Model]:
        """The models of the study that are still to be trained."""
        return [model for model in self.planned if model not in self.made]

    def missing_table(self) -> str:
        """Count by setting and dataset which models are still to be trained."""
        planned = Counter((model.setting, model.cell[0]) for model in self.planned)
        missing = Counter((model.setting, model.cell[0]) for model in self.missing)
        by_setting: dict[str, list[str]] = {}
        for place, count in missing.items():
            by_setting.setdefault(place[0], []).append(f"{place[1]} {count} of {planned[place]}")
        return table(
            ["setting", "missing"], [[name, ", ".join(some)] for name, some in by_setting.items()]
        )


def table_name(file: StudyFile) -> str:
    """Name the table of a further study's numbers: they count, too, if settings are settings.

    Where a file has choices of other names, its numbers are shown, and are no one's published ones.
    """
    own = {choice.name for choice in file.choices} - {choice.name for choice in file.brings}
    return f"numbers_{file.name}" if own <= {"setting"} else file.name


def further_table(study: str) -> str:
    """Name the table of a further study's numbers, by the name of its file."""
    return table_name(_asked(study)[0])


@functools.cache
def _asked(study: str) -> tuple[StudyFile, list[universes.Cell]]:
    """Read a study file, and make its cells; a second or two where it imports much."""
    file = find_study(STUDIES / f"{study}.jsonnet")
    assert file is not None
    return file, universes.cells_of(file)


def _cell(cell: universes.Cell) -> Cell:
    dataset, encoder, attention, projection = (cell.about[name] for name in CELL)
    return dataset, encoder, attention, projection_of(projection)


def _read(paths: Sequence[Path]) -> pl.DataFrame:
    there = [pl.read_csv(path, infer_schema_length=None) for path in paths if path.exists()]
    about = [*CELL, "setting", "seed", "quantity", "class"]
    if not there:
        return _nothing()
    # A study without a choice is as published.
    base = pl.lit(BASE).alias("setting")
    there = [rows if "setting" in rows.columns else rows.with_columns(base) for rows in there]
    order = there[0].columns
    rows = pl.concat([each.select(order) for each in there], how="vertical_relaxed")
    return rows.unique(about, keep="first", maintain_order=True)


def _nothing() -> pl.DataFrame:
    texts = dict.fromkeys((*CELL, "setting", "quantity", "class"), pl.String)
    return pl.DataFrame(schema={**texts, "seed": pl.Int64, "value": pl.Float64})
