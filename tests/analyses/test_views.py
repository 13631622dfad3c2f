"""The view of a table: few columns, numbers of the table itself, nothing undefined hidden."""

import polars as pl
import pytest
from every_analysis import EVERY, led_through

from attex.analyses.analysis import analysis_class
from attex.analyses.summary import ALL_SEEDS
from attex.analyses.views import MOST_COLUMNS, View, narrow

CASES = [(name, classes, constant) for name in EVERY for classes in (2, 3) for constant in (False, True)]


def tables(name: str, classes: int, constant: bool) -> dict[str, pl.DataFrame]:
    result = led_through(name, classes, constant)
    if result is None:
        pytest.skip(f"'{name}' has nothing to say of {classes} classes")
    found = {path.removeprefix("tables/"): t for path, t in result.tables.items()}
    return {path: table for path, table in found.items() if "/" not in path}


@pytest.mark.parametrize("name", EVERY)
def test_an_analysis_has_chosen_for_each_of_its_tables(name: str) -> None:
    made = tables(name, 2, False)
    assert set(analysis_class(name).views) == set(made)
    assert all(path.startswith(name) for path in made), "a finished run finds the owner by this"


@pytest.mark.parametrize(("name", "classes", "constant"), CASES)
def test_a_view_is_narrow_and_holds_what_the_table_holds(
    name: str, classes: int, constant: bool
) -> None:
    for path, table in tables(name, classes, constant).items():
        view = analysis_class(name).view(path, table)
        assert not view.is_empty()
        assert len(view.columns) <= MOST_COLUMNS
        if "measure_a" in table.columns and "pair" not in table.columns:
            joined = pl.col("measure_a") + " ~ " + pl.col("measure_b")
            table = table.with_columns(joined.alias("pair"))
        kept = table.select(view.columns).rows()
        assert all(repr(row) in map(repr, kept) for row in view.rows()), path
        assert view.n_unique() == len(view), "no two rows look the same"


@pytest.mark.parametrize("name", EVERY)
def test_a_view_fits_a_screen_of_a_hundred_letters(name: str) -> None:
    # With names of measures as long as the usual ones; longer ones are folded, or cut, by Polars.
    usual = pl.col(pl.String).str.replace_all("gradient_norm[hidden]", "leave_one_out", literal=True)
    for path, table in tables(name, 2, False).items():
        with pl.Config(tbl_rows=-1, tbl_width_chars=1000, fmt_str_lengths=100):
            shown = str(analysis_class(name).view(path, table.with_columns(usual)))
        # A row about two pairs names four measures: only with short names do they fit unfolded.
        most = 110 if path == "agreement_differences" else 100
        assert max(map(len, shown.splitlines())) <= most, path


def test_undefined_values_are_counted_where_there_are_any() -> None:
    view = analysis_class("agreement").view("agreement", tables("agreement", 2, True)["agreement"])
    assert (view["undefined"] > 0).all()


TABLE = pl.DataFrame(
    {
        "experiment": ["e"] * 4,
        "measure_a": ["a"] * 4,
        "measure_b": ["b", "b", "c", "c"],
        "seed": ["0", ALL_SEEDS] * 2,
        "n": [10, 20] * 2,
        "undefined": [0, 0, 0, 1],
        "mean": [0.1, 0.2, 0.3, 0.4],
        "std": [1.0] * 4,
        "low": [0.0] * 4,
        "high": [0.5] * 4,
    }
)


def test_a_table_that_nobody_chose_for_is_made_narrow_all_the_same() -> None:
    view = narrow(TABLE)
    assert view.columns == ["pair", "undefined", "mean", "low", "high"]
    assert view.rows() == [("a ~ b", 0, 0.2, 0.0, 0.5), ("a ~ c", 1, 0.4, 0.0, 0.5)]
    wide = pl.DataFrame({f"x{i}{end}": [1.0] for i in range(4) for end in ("", "_low", "_high")})
    assert narrow(wide).columns == wide.columns[:6], "no interval is cut in two"


def test_a_chosen_view_leaves_out_what_says_the_same_everywhere() -> None:
    view = narrow(TABLE, View(("experiment", "pair"), ("mean",)))
    assert view.columns == ["pair", "mean", "undefined"]
    single = narrow(TABLE.head(1), View(("experiment", "pair"), ("mean",)))
    assert single.rows() == [("a ~ b", 0.1)]
