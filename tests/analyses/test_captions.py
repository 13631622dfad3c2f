"""The words that name marks, against the marks that are drawn."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from every_analysis import EVERY, led_through

from attex.analyses.analysis import ANALYSES
from attex.charts.style import finish

NAMED = {
    "tick": {"tick"},
    "dot": {"point", "circle"},
    "curve": {"line"},
    "line": {"line", "rule"},
    "bar": {"bar"},
    "band": {"area", "errorband"},
    "area": {"area"},
    "shaded": {"area"},
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
    return drawn - told - {"dashed"}


def charts(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for classes in (2, 3):
        result = led_through(name, classes)
        yield from result.charts.items() if result is not None else ()


@pytest.mark.parametrize("name", EVERY)
def test_what_is_written_on_a_chart_names_marks_that_it_has(name: str) -> None:
    for title, chart in charts(name):
        for text in words(chart):
            assert not misnamed(text, marks(chart)), (title, text)


@pytest.mark.parametrize("name", EVERY)
def test_a_caption_names_every_kind_of_mark(name: str) -> None:
    for title, chart in charts(name):
        assert not unnamed(chart.get("description", ""), marks(chart)), title


@pytest.mark.parametrize("name", EVERY)
def test_an_explanation_names_marks_of_its_charts(name: str) -> None:
    drawn = {mark for _, chart in charts(name) for mark in marks(chart)}
    assert not misnamed(ANALYSES.bind(ANALYSES.spec(name)).explanation, drawn)


def test_a_tick_that_is_a_line_is_caught() -> None:
    import altair as alt

    base = alt.Chart(alt.InlineData([{"x": 0}])).encode(x="x:Q")
    told = "The tick is chance, and the dots are seeds."
    right = finish(alt.layer(base.mark_tick(), base.mark_point()), told)
    wrong = finish(alt.layer(base.mark_rule(strokeDash=[2, 2]), base.mark_point()), told)
    assert marks(right) == {"tick", "point"}
    assert not misnamed(told, marks(right))
    assert not unnamed(told, marks(right))
    assert marks(wrong) == {"rule", "point", "dashed"}
    assert misnamed(told, marks(wrong)) == {"tick"}
    assert unnamed(told, marks(wrong)) == {"rule"}
    assert words(right) == [told]
