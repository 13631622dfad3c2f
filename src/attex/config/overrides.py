"""Change one key of an experiment: `-o trainer.epochs=2`."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import NotJSON, parse_json

_DIGITS = 9
"""No array has places of longer numbers, and Python converts no number of thousands of digits."""


def apply_override(fields: dict[str, Any], override: str) -> None:
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
    set_key(fields, path, value, f"-o {brief(override)}")


def set_key(fields: dict[str, Any], path: str, value: Any, asked: str) -> None:
    """Set a key at any depth, `a.b.c`; errors begin with what was `asked`."""
    target: Any = fields
    parts = path.split(".")
    *parents, last = parts
    for depth, part in enumerate(parents, 1):
        if isinstance(target, dict) and part not in target and parts[depth].isdecimal():
            # Into a list that the file leaves at its default.
            target[part] = _default(fields, parts[:depth])
        inner = _child(target, part, asked)
        if isinstance(inner, str):
            # A name is shorthand for an object with that type; of vectors, for one with that path.
            inner = {"path" if parts[:depth] == ["vectors"] else "type": inner}
            _assign(target, part, inner, asked)
        target = inner
    _assign(target, last, value, asked)


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


def _child(target: Any, part: str, asked: str) -> Any:
    if isinstance(target, dict):
        return target.setdefault(part, {})
    return target[_position(target, part, asked)]


def _assign(target: Any, part: str, value: Any, asked: str) -> None:
    if isinstance(target, dict):
        target[part] = value
    else:
        target[_position(target, part, asked)] = value


def _position(target: Any, part: str, asked: str) -> int:
    if not isinstance(target, list):
        inside = brief(json.dumps(target), 60)
        raise UserError(f"{asked}: '{brief(part, 60)}' cannot be set inside {inside}")
    if not part.isdecimal() or len(part) > _DIGITS or int(part) >= len(target):
        raise UserError(f"{asked}: '{brief(part, 60)}' is not one of the {len(target)} places here")
    return int(part)
