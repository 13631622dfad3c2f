"""Plain data: what an experiment is made of before anybody asks what it means."""

from collections.abc import Mapping
from typing import Any

from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import is_unicode

_DEEPEST = 40
"""No experiment nests a tenth as deep, and every later step can follow so far."""

_BITS = 2_048
"""More than a floating-point number can hold; Python cannot even print the really long ones."""


def plain(value: Any, origin: str, path: tuple[str | int, ...] = ()) -> Any:
    """Copy data of the kinds that JSON has, or say where something else stands."""
    if len(path) > _DEEPEST:
        raise UserError(f"{origin}: {dotted(path[:3])}…: nested more than {_DEEPEST} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise _wrong(origin, path, f"a key must be a text, not {type(key).__name__}")
            if not is_unicode(key):
                raise _wrong(origin, path, f"the key '{brief(key)}' holds half a character")
        return {str(key): plain(item, origin, (*path, key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, origin, (*path, place)) for place, item in enumerate(value)]
    if isinstance(value, str) and not is_unicode(value):
        raise _wrong(origin, path, f"'{brief(value)}' holds half a character (a lone surrogate)")
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise _wrong(origin, path, f"an integer of {value.bit_length():,} bits is too large")
    if value is None or isinstance(value, str | int | float):
        return value
    kind = type(value).__name__
    raise _wrong(origin, path, f"expected text, numbers, arrays or objects, not {kind}")


def _wrong(origin: str, path: tuple[str | int, ...], what: str) -> UserError:
    return UserError(f"{origin}: {dotted(path)}: {what}" if path else f"{origin}: {what}")


def dotted(path: tuple[str | int, ...]) -> str:
    """Write a path into nested data as people do: `model.encoder`, `seeds[2]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{brief(part, 60)}"
    return text.removeprefix(".")
