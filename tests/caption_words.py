"""What the words around a chart say that it has, and what it does have."""

import re
from collections.abc import Iterator
from typing import Any

NAMED = {
    "tick": {"tick"},
    "dot": {"point", "circle"},
    "curve": {"line"},
    "line": {"line", "rule"},
    "bar": {"bar"},
    "band": {"area", "errorband"},
    "area": {"area"},
    "shaded": {"area"},
    "square": {"point", "rect"},
    "dashed": {"dashed"},
}
"""What in a specification a word can stand for."""

WORDS = re.compile(rf"\b({'|'.join(NAMED)})s?\b", re.IGNORECASE)


def inside(specification: Any) -> Iterator[dict[str, Any]]:
    """Every object of a specification, but for its data."""
    if isinstance(specification, dict):
        yield specification
        for key, value in specification.items():
            if key not in ("data", "datasets", "config"):
                yield from inside(value)
    elif isinstance(specification, list):
        for value in specification:
            yield from inside(value)


def marks(chart: dict[str, Any]) -> set[str]:
    drawn = set()
    for part in inside(chart):
        mark = part.get("mark")
        if mark is not None:
            mark = mark if isinstance(mark, dict) else {"type": mark}
            drawn |= {mark["type"]} | ({"point"} if mark.get("point") else set())
        drawn |= {"dashed"} if "strokeDash" in part else set()
    return drawn


def words(chart: dict[str, Any]) -> list[str]:
    """All that is written around a chart: titles of the whole, its axes and legends, its caption."""
    titles = (part.get(key) for part in inside(chart) for key in ("title", "text", "description"))
    return [title for title in titles if isinstance(title, str)]


def misnamed(text: str, drawn: set[str]) -> set[str]:
    return {word for word in WORDS.findall(text) if not NAMED[word.lower()] & drawn}


def unnamed(caption: str, drawn: set[str]) -> set[str]:
    told = {mark for word in WORDS.findall(caption) for mark in NAMED[word.lower()]}
    return drawn - told - {"dashed", "text"}
