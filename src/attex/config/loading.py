"""Read an experiment file: Jsonnet or JSON, overrides, arrays, a user's own modules."""

import importlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from attex.config.problems import describe
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError
from attex.foundations.registry import did_you_mean


def load_experiments(
    path: Path, overrides: Sequence[str] = ()
) -> ExperimentConfig | list[ExperimentConfig]:
    """Evaluate a file: an object is one experiment, an array is a list of them."""
    value = evaluate(path)
    if not isinstance(value, list):
        return validate(value, overrides, str(path), path.stem, path.parent)
    return [
        validate(item, overrides, f"{path}[{i}]", f"{path.stem}-{i}", path.parent)
        for i, item in enumerate(value)
    ]


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
    fields: dict[str, Any] = json.loads(json.dumps({"name": name} | dict(value)))
    for override in overrides:
        _override(fields, override)
    _import_modules(fields.get("imports", ()), origin, folder)
    try:
        return ExperimentConfig.model_validate(fields)
    except ValidationError as error:
        raise UserError(describe(error, origin)) from None


def evaluate(path: Path) -> Any:
    """Evaluate a `.json` file with Python alone, anything else as Jsonnet."""
    if not path.is_file():
        beside = [p.name for p in path.parent.glob("*.json*")] if path.parent.is_dir() else []
        raise UserError(f"{path}: no such file{did_you_mean(path.name, beside)}")
    try:
        if path.suffix == ".json":
            return json.loads(path.read_text(encoding="utf-8"))
        import _jsonnet

        return json.loads(_jsonnet.evaluate_file(str(path)))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason})") from None
    except RuntimeError as error:
        raise UserError(_jsonnet_problem(path, str(error))) from None


def _jsonnet_problem(path: Path, message: str) -> str:
    """Bring Jsonnet's message, and the first place in a file that it names, onto one line."""
    lines = [line.strip() for line in message.strip().splitlines()]
    what = re.sub(r"^(STATIC|RUNTIME) ERROR: ", "", lines[0])
    if re.match(r"\S+:[(\d]", what) or len(lines) == 1:
        return what
    place = re.split(r"\s", lines[1])[0]
    return f"{place}: {what}" if re.search(r":[(\d]", place) else f"{path}: {what}"


def _override(fields: dict[str, Any], override: str) -> None:
    """Apply `a.b.c=value`; the value is JSON, or else a plain string."""
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise UserError(f"-o {override}: expected KEY=VALUE, as in trainer.epochs=2")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
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
        raise UserError(f"-o {override}: '{part}' cannot be set inside {json.dumps(target)}")
    if not part.isdecimal() or int(part) >= len(target):
        raise UserError(f"-o {override}: '{part}' is not one of the {len(target)} places here")
    return int(part)


def _import_modules(names: Any, origin: str, folder: Path | None) -> None:
    if not isinstance(names, list | tuple):
        return
    for place in (str(folder or Path.cwd()), str(Path.cwd())):
        if place not in sys.path:
            sys.path.insert(0, place)
    for name in names:
        try:
            importlib.import_module(str(name))
        except Exception as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise UserError(f"{origin}: imports: cannot import '{name}': {reason}") from error
