"""Numbers of ours, as `numbers.csv` has them: by cell, what was chosen, seed, quantity and class."""

import copy
import csv
import functools
import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from attex.claims.ledger import Cell, Claim
from attex.claims.quantities import OVERALL, key_of, limits, of_whole_texts, projection_of
from attex.claims.verdict import Prediction, Spread, pooled, predict
from attex.foundations.csv_cells import original_text
from attex.foundations.errors import UserError

BASE = "as published"
"""The setting of a study that follows the paper in everything; others swap one ingredient."""

_ABOUT = ("dataset", "encoder", "attention", "projection")
_SETTING, _SEED, _QUANTITY, _CLASS, _VALUE = "setting", "seed", "quantity", "class", "value"
_ENDS = ("low", "high")


@dataclass(frozen=True)
class Number:
    """One number of one trained model; `choices` says what was chosen for it, by name."""

    cell: Cell
    choices: Mapping[str, str]
    seed: str
    quantity: str
    class_: str
    value: float

    @property
    def setting(self) -> str:
        """What differs from the paper, in words."""
        return self.choices.get(_SETTING, BASE)


def read_numbers(path: Path, wanted: Container[str] | None = None) -> Iterator[Number]:
    """Read `numbers.csv`: a row for each quantity, class and seed, or a column for each quantity.

    In the long form columns `quantity`, `class` and `value` follow `seed`. In the wide form every column
    after `seed` is a quantity over all texts. What stands between `projection` and `seed` was chosen. Of
    a large table only the wanted quantities, by their keys, need be read.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = [_text(name) for name in next(rows, [])]
        form = _Form.of(header, path)
        for cells in rows:
            where = f"{path} line {rows.line_num}"
            if len(cells) != len(header):
                raise UserError(f"{where}: {len(cells)} cells where the header has {len(header)}")
            for quantity, class_, value in form.named(cells):
                (dataset, *model), choices, seed = form.about(cells)
                dataset, quantity = of_whole_texts(dataset, quantity)
                if wanted is None or key_of(quantity) in wanted:
                    encoder, attention, projection = model
                    cell = dataset, encoder, attention, projection
                    yield Number(cell, choices, seed, quantity, class_, _value(value, where))


@dataclass(frozen=True)
class _Form:
    """Where in a row of a table its parts stand."""

    cell: tuple[int, ...]
    seed: int
    choices: Mapping[str, int]
    long: tuple[int, int, int] | None
    wide: Mapping[str, int]
    _seen: dict[tuple[str, ...], tuple[Cell, Mapping[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, header: list[str], path: Path) -> "_Form":
        absent = [name for name in (*_ABOUT, _SEED) if name not in header]
        if not absent and _QUANTITY in header:
            absent = [name for name in (_CLASS, _VALUE) if name not in header]
        if absent:
            raise UserError(
                f"{path}: no column {absent[0]}; a table of numbers has {', '.join(_ABOUT)}, …"
            )
        places = {name: place for place, name in enumerate(header)}
        known = (*_ABOUT, _SEED, _QUANTITY, _CLASS, _VALUE, *_ENDS)
        seed, is_long = places[_SEED], _QUANTITY in header
        return cls(
            tuple(places[name] for name in _ABOUT),
            seed,
            {n: place for n, place in places.items() if n not in known and (is_long or place < seed)},
            (places[_QUANTITY], places[_CLASS], places[_VALUE]) if is_long else None,
            {} if is_long else {n: place for n, place in places.items() if place > seed},
        )

    def named(self, cells: list[str]) -> Iterator[tuple[str, str, str]]:
        """Yield quantity, class and value."""
        if self.long is not None:
            quantity, class_, value = (cells[place] for place in self.long)
            yield _text(quantity), _text(class_), value
        for name, place in self.wide.items():
            yield name, OVERALL, cells[place]

    def about(self, cells: list[str]) -> tuple[Cell, Mapping[str, str], str]:
        """Return the cell, what was chosen, and the seed; equal ones are the same object."""
        told = tuple(cells[place] for place in (*self.cell, *self.choices.values()))
        if told not in self._seen:
            dataset, encoder, attention, projection, *levels = map(_text, told)
            choices = dict(zip(self.choices, levels, strict=True))
            self._seen[told] = (dataset, encoder, attention, projection_of(projection)), choices
        return *self._seen[told], cells[self.seed]


def _text(cell: str) -> str:
    return original_text(cell) if cell.startswith("'") else cell


def _value(text: str, where: str) -> float:
    try:
        return float(text) if text else math.nan
    except ValueError:
        raise UserError(f"{where}: '{text}' is no number") from None


BySeed = dict[str, float]


@dataclass
class Study:
    """The numbers of a study: by setting, quantity, cell and class a value for each seed."""

    name: str
    _values: dict[str, dict[str, dict[Cell, dict[str, BySeed]]]] = field(default_factory=dict)
    _spreads: dict[tuple[str, str, str, str, str, bool], Spread] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, numbers: Iterable[Number]) -> "Study":
        """Sort numbers by what they are of; two for the same model are refused."""
        study = cls(name)
        for number in numbers:
            by_key = study._values.setdefault(number.setting, {})
            by_cell = by_key.setdefault(key_of(number.quantity), {})
            by_seed = by_cell.setdefault(number.cell, {}).setdefault(number.class_, {})
            if number.seed in by_seed:
                model = " ".join((*number.cell, number.setting))
                raise UserError(
                    f"study {name} has two values of {number.quantity} for {model}, seed {number.seed}: "
                    "a column setting has to tell them apart"
                )
            by_seed[number.seed] = number.value
        return study

    def with_further(self, numbers: Iterable[Number]) -> "Study":
        """Add numbers of another table of the same study; where both have a seed, the first counts."""
        further = Study.of(self.name, numbers)
        whole = Study(self.name, copy.deepcopy(self._values))
        for setting, by_key in further._values.items():
            for key, by_cell in by_key.items():
                for cell, by_class in by_cell.items():
                    known = (
                        whole._values.setdefault(setting, {}).setdefault(key, {}).setdefault(cell, {})
                    )
                    for class_, by_seed in by_class.items():
                        known[class_] = by_seed | known.get(class_, {})
        return whole

    def settings(self) -> list[str]:
        """Name the settings there are."""
        return list(self._values)

    def settings_about(self, claim: Claim) -> list[str]:
        """Name the settings that have numbers about the same as a published one, in their order."""
        there = self._about.get((claim.key, claim.cell), [])
        return [setting for setting in there if self.values(claim, setting)]

    @functools.cached_property
    def _about(self) -> dict[tuple[str, Cell], list[str]]:
        # Of many settings, few are about any one cell.
        places: dict[tuple[str, Cell], list[str]] = {}
        for setting, by_key in self._values.items():
            for key, by_cell in by_key.items():
                for cell in by_cell:
                    places.setdefault((key, cell), []).append(setting)
        return places

    def values(self, claim: Claim, setting: str = BASE) -> list[float]:
        """Return the numbers of each seed that are about the same as a published one."""
        by_class = self._values.get(setting, {}).get(claim.key, {}).get(claim.cell, {})
        return [value for value in by_class.get(claim.class_, {}).values() if not math.isnan(value)]

    def asked(self, claim: Claim) -> bool:
        """Say whether some model was asked for a published number, defined or not."""
        return any(
            claim.class_ in by_key.get(claim.key, {}).get(claim.cell, {})
            for by_key in self._values.values()
        )

    def prediction(self, claim: Claim, setting: str = BASE) -> Prediction | None:
        """Return the interval for a published number under a setting; None without numbers of ours."""
        values, spread = self.values(claim, setting), self._spread(claim, setting)
        return predict(values, spread, limits=limits(claim.quantity))

    def _spread(self, claim: Claim, setting: str) -> Spread:
        """Pool over all cells with this encoder and attention, of numbers by class or over all texts.

        Trainings on bAbI split into those that find the fact and those that do not. They say nothing of
        how others vary, and others nothing of them.
        """
        overall = claim.class_ == OVERALL
        kind = _kind_of_data(claim.dataset)
        place = setting, claim.key, kind, claim.encoder, claim.attention, overall
        if place not in self._spreads:
            self._spreads[place] = pooled(
                [list(each.values()) for name, each in by_class.items() if (name == OVERALL) == overall]
                for (data, *model, _), by_class in self._values.get(setting, {})
                .get(claim.key, {})
                .items()
                if model == [claim.encoder, claim.attention] and _kind_of_data(data) == kind
            )
        return self._spreads[place]


def _kind_of_data(dataset: str) -> str:
    return "babi" if dataset.startswith("babi_") else "other"


@dataclass(frozen=True)
class Model:
    """A model of a multiverse: what was chosen for it, and one number of it."""

    choices: Mapping[str, str]
    value: float

    @property
    def universe(self) -> tuple[str, ...]:
        """The setting of all choices, without the seed."""
        return tuple(self.choices.values())


@dataclass(frozen=True)
class Universes:
    """The numbers of a multiverse, by quantity, class and cell; `base` names the papers' own levels."""

    models: Mapping[tuple[str, str, Cell], list[Model]]
    base: Mapping[str, str]

    @classmethod
    def of(cls, numbers: Iterable[Number], base: Mapping[str, str]) -> "Universes":
        """Sort numbers by what they are of."""
        models: dict[tuple[str, str, Cell], list[Model]] = {}
        for number in numbers:
            if not math.isnan(number.value):
                place = key_of(number.quantity), number.class_, number.cell
                models.setdefault(place, []).append(Model(number.choices, number.value))
        return cls(models, base)

    def about(self, claim: Claim) -> list[Model]:
        """Return the models that a published number could be of."""
        return self.models.get((claim.key, claim.class_, claim.cell), [])
