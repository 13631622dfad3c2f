"""All models of a study as experiments: every cell × every setting of the choices."""

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attex.analyses.agreement import file_name
from attex.config.loading import validate
from attex.config.schema import ExperimentConfig
from attex.data.reader import dataset_name
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.studies.choices import Choice, apply
from attex.studies.designs import Design
from attex.studies.study_file import CellGroup, StudyFile
from attex.training.trainer import TRAINERS, Trainer


@dataclass(frozen=True)
class Cell:
    """What a paper asks about, as dataset, encoder, attention and projection; and its universes."""

    about: Mapping[str, str]
    design: Design
    configs: tuple[ExperimentConfig, ...]

    @property
    def name(self) -> str:
        """What it is called in sentences and files; no two cells of a study are called the same."""
        return " ".join(self.about.values())


def cells_of(study: StudyFile) -> list[Cell]:
    """Make the experiment of every universe, or say which part of the file is wrong."""
    _check_choices(study)
    written = [(group, fields) for group in study.groups for fields in _cell_fields(study, group)]
    cells: dict[str, Cell] = {}
    firsts: dict[str, ExperimentConfig] = {}
    for group, fields in written:
        first = _experiment(study, fields, [0] * len(study.choices), study.name)
        about = _about(first)
        name = " ".join(about.values())
        if firsts.setdefault(name, first) != first:
            raise UserError(
                f"{study.origin}: cells: two of them would be called '{name}' in every table; cells "
                "differ in dataset, encoder, attention or projection; what else is to differ is a choice"
            )
        # A cell that stands in two groups is that of the first.
        if name not in cells:
            design = _design(study, group)
            cells[name] = Cell(about, design, _configs(study, fields, about, design))
    return [*cells.values()]


def _design(study: StudyFile, group: CellGroup) -> Design:
    try:
        counts = [len(choice.levels) for choice in study.choices]
        return study.study.design(counts, group.blocks, [choice.name for choice in study.choices])
    except ValueError as trouble:
        raise UserError(f"{study.origin}: {trouble}") from None


def _configs(
    study: StudyFile, cell: dict[str, Any], about: Mapping[str, str], design: Design
) -> tuple[ExperimentConfig, ...]:
    short = file_name("_".join(about.values()))[:50]
    return tuple(
        _experiment(study, cell, row, f"{study.name}.{short}.{number}")
        for number, row in enumerate(design.levels.tolist())
    )


def _experiment(
    study: StudyFile, cell: dict[str, Any], levels: Sequence[int], name: str
) -> ExperimentConfig:
    fields = copy.deepcopy(cell)
    chosen = study.set_levels(fields, levels)
    settings = ", ".join(f"{choice} {level.name}" for choice, level in chosen.items())
    where = f"{study.origin}: {settings}" if settings else study.origin
    whole = fields | {"name": name, "seeds": list(study.seeds)}
    return validate(whole, origin=where, folder=study.folder)


def _cell_fields(study: StudyFile, group: CellGroup) -> Iterator[dict[str, Any]]:
    """Yield the base with the keys of every combination of the cells' levels."""
    for levels in itertools.product(*(range(len(factor.levels)) for factor in group.factors)):
        fields = copy.deepcopy(study.base)
        apply(fields, group.factors, levels)
        yield fields


def _about(config: ExperimentConfig) -> dict[str, str]:
    """Name a cell by what tables call its data and model."""
    about: dict[str, str] = MODELS.bind(config.model).about()
    return {"dataset": dataset_name(config.data)} | about


def _check_choices(study: StudyFile) -> None:
    """Refuse a level that cannot be set, and one that is the same experiment as another."""
    cell = next(_cell_fields(study, study.groups[0]))
    for place, choice in enumerate(study.choices):
        first = [_first_level(other, choice) for other in study.choices]
        known: dict[str, Any] = {}
        for number, level in enumerate(choice.levels):
            levels = [*first[:place], number, *first[place + 1 :]]
            setting = _setting(_experiment(study, cell, levels, study.name))
            same = next((name for name, other in known.items() if other == setting), None)
            if same is not None:
                raise UserError(
                    f"{study.origin}: choices.{choice.name}: '{same}' and '{level.name}' are the same "
                    "experiment; a choice must change something"
                )
            known[level.name] = setting


def _setting(config: ExperimentConfig) -> Any:
    """Return all that makes a model what it is, and the models that it is trained or compared with."""
    trainer: Trainer = TRAINERS.bind(config.trainer)
    return config.settings(), trainer.sources()


def _first_level(other: Choice, choice: Choice) -> int:
    """Return the first level, or of a parent the first at which the nested choice exists."""
    return other.names.index(choice.within[0]) if other.name == choice.parent else 0
