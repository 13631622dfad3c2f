"""Read an experiment file: Jsonnet or JSON, overrides, arrays, a user's own modules."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from attex.config import shipped
from attex.config.imports import import_modules
from attex.config.plain import plain
from attex.config.problems import describe
from attex.config.published import is_published, translated
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import NotJSON, is_unicode, parse_json
from attex.foundations.progress import say
from attex.foundations.registry import did_you_mean

_DIGITS = 9
"""No array has places of longer numbers, and Python converts no number of thousands of digits."""


def load_experiments(
    path: Path, overrides: Sequence[str] = (), external: Mapping[str, str] | None = None
) -> tuple[ExperimentConfig, ...]:
    """Evaluate a file: an object is one experiment, an array is several.

    In place of a path it can be the name of an experiment that comes with attex. `external` are
    Jsonnet's external variables; those of the environment are some, too. A file of a published system
    is translated, and each of its keys without a counterpart is told.
    """
    path = _located(path)
    value = evaluate(path, external)
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
        _override(fields, override)
    # Once more: an override can bring in anything that a file can.
    fields = plain(fields, origin)
    import_modules(fields.get("imports", []), origin, folder)
    try:
        return ExperimentConfig.model_validate(fields)
    except ValidationError as error:
        raise UserError(describe(error, origin)) from None


def _located(path: Path) -> Path:
    """Return a file that is there, or else the experiment of that name that comes with attex."""
    if path.is_file():
        return path
    found = shipped.find(path.as_posix())
    if found is not None:
        return found
    beside = [p.name for p in path.parent.glob("*.json*")] if path.parent.is_dir() else []
    near = did_you_mean(path.name, beside)
    known = path.with_suffix("").as_posix().removeprefix("experiments/")
    if not near and shipped.find(known) is not None:
        near = f"; did you mean '{known}', which comes with attex?"
    raise UserError(f"{path}: no such file{near or did_you_mean(path.as_posix(), shipped.names())}")


def evaluate(path: Path, external: Mapping[str, str] | None = None) -> Any:
    """Evaluate a `.json` file with Python alone, anything else as Jsonnet."""
    try:
        # Some editors begin a file with a byte-order mark.
        text = (
            path.read_text(encoding="utf-8-sig") if path.suffix == ".json" else _jsonnet(path, external)
        )
        return parse_json(text)
    except NotJSON as error:
        if path.suffix == ".json" and '"dataset_reader"' in text:
            # AllenNLP takes JSON for Jsonnet, with comments and all.
            return parse_json(_jsonnet(path, external))
        place = "".join(f":{number}" for number in error.place or ())
        raise UserError(f"{path}{place}: {error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason})") from None


def _jsonnet(path: Path, external: Mapping[str, str] | None) -> str:
    try:
        import _jsonnet
    except ImportError:
        raise UserError(
            f"{path}: Jsonnet needs the package `jsonnet`; a .json file goes without"
        ) from None
    try:
        text: str = _jsonnet.evaluate_file(
            str(path), jpathdir=shipped.library(), ext_vars=_variables(external or {})
        )
        return text
    except UnicodeEncodeError:
        raise UserError(f"{path}: Jsonnet cannot open a file whose name is not UTF-8") from None
    except RuntimeError as error:
        raise UserError(_jsonnet_problem(path, str(error))) from None


def _variables(external: Mapping[str, str]) -> dict[str, str]:
    """Return what `std.extVar` finds: as for AllenNLP the environment, and what was given."""
    every = {"PWD": os.getcwd()} | dict(os.environ) | dict(external)
    return {name: value for name, value in every.items() if is_unicode(name) and is_unicode(value)}


def _jsonnet_problem(path: Path, message: str) -> str:
    """Bring Jsonnet's message, and the first place in a file that it names, onto one line."""
    lines = [line.strip() for line in message.strip().splitlines()]
    what = brief(re.sub(r"^(STATIC|RUNTIME) ERROR: ", "", lines[0]), 400)
    if (missing := re.match(r"undefined external variable: (.+)", what, re.I)) is not None:
        name = missing[1]
        what = f"no external variable '{name}': give it with --ext {name}=VALUE, or in the environment"
    if re.match(r"\S+:[(\d]", what) or len(lines) == 1:
        return what
    place = re.split(r"\s", lines[1])[0]
    return f"{place}: {what}" if re.search(r":[(\d]", place) else f"{path}: {what}"


def _override(fields: dict[str, Any], override: str) -> None:
    """Apply `a.b.c=value`; the value is JSON, or else a plain string."""
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise UserError(f"-o {brief(override)}: expected KEY=VALUE, as in trainer.epochs=2")
    try:
        value = parse_json(text)
    except NotJSON as error:
        if error.place is None:
            raise UserError(f"-o {brief(override)}: {error}") from None
        value = text
    target: Any = fields
    parts = path.split(".")
    *parents, last = parts
    for depth, part in enumerate(parents, 1):
        if isinstance(target, dict) and part not in target and parts[depth].isdecimal():
            # Into a list that the file leaves at its default.
            target[part] = _default(fields, parts[:depth])
        inner = _child(target, part, override)
        if isinstance(inner, str):
            # A name is shorthand for an object with that type.
            inner = {"type": inner}
            _assign(target, part, inner, override)
        target = inner
    _assign(target, last, value, override)


def _default(fields: dict[str, Any], parts: Sequence[str]) -> Any:
    """Return what stands at a place that the file says nothing of; nothing, where that is not known."""
    try:
        value: Any = ExperimentConfig.model_validate(fields).resolved()
        for part in parts:
            value = value[int(part) if isinstance(value, list) else part]
    except (ValidationError, LookupError, TypeError, ValueError):
        # What is wrong here, or in the file, is told when all of it is validated.
        return {}
    return value


def _child(target: Any, part: str, override: str) -> Any:
    if isinstance(target, dict):
        return target.setdefault(part, {})
    return target[_position(target, part, override)]


def _assign(target: Any, part: str, value: Any, override: str) -> None:
    if isinstance(target, dict):
        target[part] = value
    else:
        target[_position(target, part, override)] = value


def _position(target: Any, part: str, override: str) -> int:
    if not isinstance(target, list):
        inside = brief(json.dumps(target), 60)
        raise UserError(f"-o {brief(override)}: '{brief(part, 60)}' cannot be set inside {inside}")
    if not part.isdecimal() or len(part) > _DIGITS or int(part) >= len(target):
        raise UserError(
            f"-o {brief(override)}: '{brief(part, 60)}' is not one of the {len(target)} places here"
        )
    return int(part)
