"""Validation errors as lines that say where and what was meant."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from attex.config.plain import dotted

_PREFIXES = ("Value error, ", "Input ", "Tuple ", "String ")
_IN_WORDS_OF_JSON = {
    "missing": "is required",
    "model_type": "should be an object",
    "tuple_type": "should be an array",
}


_MOST = 10


def describe(error: ValidationError, file: str) -> str:
    """Say what is wrong, one line a problem, each with the file and the path in it."""
    problems = list(_lines(error.errors(include_url=False, include_input=False), ()))
    more = len(problems) - _MOST
    if more > 0:
        problems[_MOST:] = [f"… and {more:,} more like these"]
    return "\n".join(f"{file}: {problem}" for problem in problems)


def problem_lines(problem: PydanticCustomError) -> list[str]:
    """Say what is wrong with one choice that was validated on its own."""
    nested = (problem.context or {}).get("nested")
    return [*_lines(nested, ())] if nested else [problem.message()]


def _lines(errors: Sequence[Any], above: tuple[Any, ...]) -> Iterator[str]:
    inside = {error["loc"][:-1] for error in errors}
    for error in errors:
        if error["type"] == "too_short" and error["loc"] in inside:
            # Items that are wrong were not counted: the array is not short, they are wrong.
            continue
        path = above + tuple(error["loc"])
        nested = error.get("ctx", {}).get("nested")
        if nested is not None:
            yield from _lines(nested, path)
            continue
        message = _IN_WORDS_OF_JSON.get(error["type"], error["msg"])
        for prefix in _PREFIXES:
            message = message.removeprefix(prefix)
        where = dotted(path)
        yield f"{where}: {message}" if where else message
