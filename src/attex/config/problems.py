"""Validation errors as lines that say where and what was meant."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

_PREFIXES = ("Value error, ", "Input ", "Tuple ", "String ")
_IN_WORDS_OF_JSON = {
    "missing": "is required",
    "model_type": "should be an object",
    "tuple_type": "should be an array",
}


def describe(error: ValidationError, file: str) -> str:
    """Say what is wrong, one line a problem, each with the file and the path in it."""
    problems = _lines(error.errors(include_url=False, include_input=False), ())
    return "\n".join(f"{file}: {problem}" for problem in problems)


def _lines(errors: Iterable[Any], above: tuple[Any, ...]) -> Iterator[str]:
    for error in errors:
        path = above + tuple(error["loc"])
        nested = error.get("ctx", {}).get("nested")
        if nested is not None:
            yield from _lines(nested, path)
            continue
        message = _IN_WORDS_OF_JSON.get(error["type"], error["msg"])
        for prefix in _PREFIXES:
            message = message.removeprefix(prefix)
        where = _dotted(path)
        yield f"{where}: {message}" if where else message


def _dotted(path: tuple[Any, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
