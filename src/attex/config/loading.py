"""Read an experiment file: Jsonnet or JSON, overrides, arrays, a user's own modules."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from attex.config.imports import import_modules
from attex.config.own_table import table_kind, what_to_write
from attex.config.plain import plain
from attex.config.problems import describe
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import NotJSON, parse_json
from attex.foundations.progress import say
from attex.foundations.registry import did_you_mean

_DIGITS = 9
"""No array has places of longer numbers, and Python converts no number of thousands of digits."""


def load_experiments(path: Path, overrides: Sequence[str] = ()) -> tuple[ExperimentConfig, ...]:
    """Evaluate a file: an object is one experiment, an array is several."""
    value = evaluate(path)
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
    fields: dict[str, Any] = plain({"name": name} | dict(value), origin)
    for override in overrides:
        _override(fields, override)
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


def evaluate(path: Path) -> Any:
    """Evaluate a `.json` file with Python alone, anything else as Jsonnet."""
    if table_kind(path) is not None:
        raise UserError(what_to_write(path))
    if not path.is_file():
        beside = [p.name for p in path.parent.glob("*.json*")] if path.parent.is_dir() else []
        raise UserError(f"{path}: no such file{did_you_mean(path.name, beside)}")
    try:
        # Some editors begin a file with a byte-order mark.
        text = path.read_text(encoding="utf-8-sig") if path.suffix == ".json" else _jsonnet(path)
        return parse_json(text)
    except NotJSON as error:
        place = "".join(f":{number}" for number in error.place or ())
        raise UserError(f"{path}{place}: {error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason})") from None


def _jsonnet(path: Path) -> str:
    try:
        import _jsonnet
    except ImportError:
        raise UserError(
            f"{path}: Jsonnet needs the package `jsonnet`; a .json file goes without"
        ) from None
    try:
        text: str = _jsonnet.evaluate_file(str(path))
        return text
    except UnicodeEncodeError:
        raise UserError(f"{path}: Jsonnet cannot open a file whose name is not UTF-8") from None
    except RuntimeError as error:
        raise UserError(_jsonnet_problem(path, str(error))) from None


def _jsonnet_problem(path: Path, message: str) -> str:
    """Bring Jsonnet's message, and the first place in a file that it names, onto one line."""
    lines = [line.strip() for line in message.strip().splitlines()]
    what = brief(re.sub(r"^(STATIC|RUNTIME) ERROR: ", "", lines[0]), 400)
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
    *parents, last = path.split(".")
    for part in parents:
        inner = _child(target, part, override)
        if isinstance(inner, str):
            # A name is shorthand for an object with that type.
            inner = {"type": inner}
            _assign(target, part, inner, override)
        target = inner
    _assign(target, last, value, override)


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
