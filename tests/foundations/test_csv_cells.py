"""Text in csv files against Python's csv module: never a formula, and the same when read back."""

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attex.foundations.csv_cells import harmless, original

STARTS = ("=", "+", "-", "@", "\t", "\r")
"""OWASP, "CSV injection": cells that begin so are run."""

FORMULAS = [
    '=HYPERLINK("http://example.org", "click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1+1)",
    "\t=1",
    "\r=1",
    "-",
    "--",
    "-inf",
    "+49 30 1234",
]
PLAIN = ["good", "", "a=b", "'tis", "it's", "'", "-1", "+1.5", "-2e-3", "-.5", "größe", "'-1", " =x"]


def written(values: list[str]) -> list[str]:
    """What any other program reads in the csv file."""
    text = harmless(pl.DataFrame({"class": values})).write_csv(quote_style="always")
    return [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:]


@pytest.mark.parametrize("value", FORMULAS)
def test_a_formula_becomes_text_by_an_apostrophe(value: str) -> None:
    assert written([value]) == [f"'{value}"]


@pytest.mark.parametrize("value", PLAIN)
def test_other_texts_stay_as_they_are_and_so_do_numbers(value: str) -> None:
    assert written([value]) == [value]


cells = st.one_of(
    st.text(),
    st.text("'=+-@\t\r1.e", max_size=6),
    st.sampled_from([*FORMULAS, *PLAIN]),
)


@given(st.lists(cells, min_size=1))
def test_no_text_is_a_formula_and_each_comes_back(values: list[str]) -> None:
    safe = harmless(pl.DataFrame({"class": values}))
    for cell in safe["class"]:
        assert not cell.startswith(STARTS) or float(cell) == float(cell)
    assert original(safe)["class"].to_list() == values


@given(st.lists(cells, min_size=1, unique=True))
def test_headings_are_texts_too(names: list[str]) -> None:
    table = pl.DataFrame({name: [number] for number, name in enumerate(names)})
    safe = harmless(table)
    assert not any(name in FORMULAS for name in safe.columns)
    assert original(safe).equals(table)
    assert original(safe).columns == names


def test_numbers_gaps_and_truth_values_are_left_alone() -> None:
    table = pl.DataFrame(
        {
            "class": ["=x", None, "y"],
            "value": [-1.5, float("nan"), None],
            "count": [-1, 2, None],
            "holds": [True, False, None],
            "kind": pl.Series(["-a", "b", None], dtype=pl.Categorical),
        }
    )
    safe = harmless(table)
    assert safe["class"].to_list() == ["'=x", None, "y"]
    assert safe["kind"].to_list() == ["'-a", "b", None]
    assert safe.select("value", "count", "holds").equals(table.select("value", "count", "holds"))
    assert original(safe).equals(table.with_columns(pl.col("kind").cast(pl.String)))


def test_a_table_without_text_or_without_rows_is_left_alone() -> None:
    for table in (pl.DataFrame({"value": [-1.0]}), pl.DataFrame({"class": []}), pl.DataFrame()):
        assert harmless(table).shape == table.shape
        assert original(harmless(table)).columns == table.columns
