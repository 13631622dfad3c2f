"""From an experiment file, or what is written in one, to experiments."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from attex.config.evaluation import evaluate, located
from attex.config.imports import import_modules
from attex.config.overrides import apply_override
from attex.config.own_table import table_kind, what_to_write
from attex.config.plain import plain
from attex.config.problems import describe
from attex.config.published import is_published, translated
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError, brief
from attex.foundations.progress import say


def load_experiments(
    path: Path, overrides: Sequence[str] = (), external: Mapping[str, str] | None = None
) -> tuple[ExperimentConfig, ...]:
    """Evaluate a file: an object is one experiment, an array is several.

    In place of a path it can be the name of an experiment that comes with attex. `external` are
    Jsonnet's external variables; those of the environment are some, too. A file of a published system
    is translated, and each of its keys without a counterpart is told.
    """
    if table_kind(path) is not None:
        raise UserError(what_to_write(path))
    path = located(path)
    value = evaluate(path, external)
    if isinstance(value, Mapping) and "study" in value:
        raise UserError(f"{path}: this is a study of many models, not an experiment; attex run takes it")
    if not isinstance(value, list):
        return (validate(value, overrides, str(path), path.stem, path.parent),)
    if not value:
        raise UserError(f"{path}: the array has no experiment in it")
    return tuple(
        validate(item, overrides, f"{path}[{i}]", f"{path.stem}-{i}", path.parent)
        for i, item in enumerate(value)
    )


def validate(
    value: Any,
    overrides: Sequence[str] = (),
    origin: str = "experiment",
    name: str = "experiment",
    folder: Path | None = None,
) -> ExperimentConfig:
    """Turn plain data into an experiment, or say where it is wrong and what was meant."""
    if not isinstance(value, Mapping):
        raise UserError(f"{origin}: an experiment is an object, not {type(value).__name__}")
    fields: dict[str, Any] = plain(value, origin)
    if is_published(fields):
        fields, notes = translated(fields, origin)
        say(
            "\n  ".join([f"attex: {origin}: written for AllenNLP, and translated; of its keys:", *notes])
        )
    fields = {"name": name} | fields
    for override in overrides:
        apply_override(fields, override)
    # Once more: an override can bring in anything that a file can.
    fields = plain(fields, origin)
    import_modules(fields.get("imports", []), origin, folder)
    try:
        asked = ExperimentConfig.model_validate(fields).found_in(folder)
    except ValidationError as error:
        raise UserError(describe(error, origin)) from None
    config = asked.with_truth()
    if config is not asked:
        _tell_truth(str(config.data.options()["rationale"]))
    return config


@functools.cache
def _tell_truth(column: str) -> None:
    # Once, and not for every experiment of a sweep.
    say(f"the column '{brief(column)}' marks tokens that decide: the analysis 'truth' is added")
