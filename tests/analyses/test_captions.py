"""The words that name marks, against the marks that are drawn."""

from collections.abc import Iterator
from typing import Any

import pytest
from caption_words import marks, misnamed, unnamed, words
from every_analysis import EVERY, led_through

from attex.analyses.analysis import ANALYSES
from attex.charts.style import finish


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
