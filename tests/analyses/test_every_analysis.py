"""What every analysis owes to the report: tables that say what they are of, charts, and answers."""

import json
import math

import polars as pl
import pytest
import vl_convert
from every_analysis import ABOUT, EVERY, SEEDS, led_through

from attex.analyses.analysis import ANALYSES, Analysis, Result
from attex.analyses.summary import ALL_SEEDS

KINDS = [(name, classes) for name in EVERY for classes in (2, 3)]
DRAWN = [(name, classes, constant) for name, classes in KINDS for constant in (False, True)]


def laid_out(name: str, classes: int, constant: bool = False) -> Result:
    result = led_through(name, classes, constant)
    if result is None:
        pytest.skip(f"'{name}' has nothing to say of {classes} classes")
    return result


@pytest.mark.parametrize("name", EVERY)
def test_it_says_what_it_is_and_how_to_read_it(name: str) -> None:
    analysis: Analysis = ANALYSES.bind(ANALYSES.spec(name))
    assert analysis.title.strip()
    assert analysis.explanation.rstrip().endswith(".")
    assert led_through(name) is not None, "everything is there"


@pytest.mark.parametrize(("name", "classes"), KINDS)
def test_its_tables_say_what_they_are_of(name: str, classes: int) -> None:
    tables = {n: t for n, t in laid_out(name, classes).tables.items() if n.startswith("tables/")}
    assert tables
    for title, table in tables.items():
        assert table.columns[: len(ABOUT)] == list(ABOUT), title
        assert set(table["seed"]) == {*map(str, SEEDS), ALL_SEEDS}, title
        for column, value in ABOUT.items():
            assert set(table[column]) == {value}, title
        assert all(column.dtype.is_numeric() or column.dtype == pl.String for column in table), title


@pytest.mark.parametrize(("name", "classes", "constant"), DRAWN)
def test_its_charts_can_be_drawn(name: str, classes: int, constant: bool) -> None:
    for title, chart in laid_out(name, classes, constant).charts.items():
        drawn = vl_convert.vegalite_to_svg(json.dumps(chart, allow_nan=False))
        assert "NaN" not in drawn, title
        assert vl_convert.svg_to_png(drawn, scale=0.5), title


@pytest.mark.parametrize(("name", "classes"), KINDS)
def test_its_answers_are_numbers_inside_their_intervals(name: str, classes: int) -> None:
    for line in laid_out(name, classes).headline:
        assert "?" in line.question
        assert line.quantity
        for number in (line.value, line.low, line.high, line.chance, line.ceiling):
            assert number is None or math.isfinite(number), line
        if line.value is not None and line.low is not None and line.high is not None:
            assert line.low <= line.value + 1e-9, line
            assert line.value <= line.high + 1e-9, line
