"""The narrow form of a table that a person reads, and that a paper prints: few columns, pooled rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attex.analyses.summary import ALL_SEEDS

if TYPE_CHECKING:
    import polars as pl

MOST_COLUMNS = 8
"""What fits a screen of 100 letters."""

_BESIDES = ("n", "std", "k", "uncalibrated")
"""What a reader who did not choose the columns can do without."""
_PAIR, _UNDEFINED = "pair", "undefined"


@dataclass(frozen=True)
class View:
    """Which rows and columns of a table a person reads first.

    `of` are the columns that say what a row is about; one that says the same in every row is left
    out. `pair` is there for every table with `measure_a` and `measure_b`. `numbers` are what is known
    of it, each followed by the ends of its interval, if it has one (`mean`, `low`, `high`, or
    `gain`, `gain_low`, `gain_high`). `where` keeps the rows that have these values, and `pooled` those
    over all seeds. How many values are undefined is added where any is.
    """

    of: tuple[str, ...]
    numbers: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    pooled: bool = True


def narrow(table: "pl.DataFrame", view: View | None = None) -> "pl.DataFrame":
    """Return the view of a table; without one, a sensible choice of its columns."""
    table = with_pair(table)
    if view is None:
        rows = _over_seeds(table)
        return rows.select(_whole_intervals(_worth_reading(rows)))
    rows = _over_seeds(table) if view.pooled else table
    for column, value in view.where.items():
        chosen = rows.filter(rows[column] == value)
        rows = rows if chosen.is_empty() else chosen
    of = _telling(rows, view.of)
    undefined = [_UNDEFINED] if _any_undefined(rows) and _UNDEFINED not in view.numbers else []
    return rows.select([*of, *view.numbers, *undefined])


def interval_of(columns: Sequence[str], place: int) -> tuple[str, str] | None:
    """Name the columns that bound the one at `place`: the two after it, if they do."""
    ends = tuple(columns[place + 1 : place + 3])
    own = columns[place]
    known = (("low", "high"), (f"{own}_low", f"{own}_high"))
    return (ends[0], ends[1]) if ends in known else None


def with_pair(table: "pl.DataFrame") -> "pl.DataFrame":
    """Put the names of two measures that are compared into one column."""
    import polars as pl

    both = ("measure_a", "measure_b")
    if _PAIR in table.columns or not set(both) <= set(table.columns):
        return table
    # Of a number about the model itself, as accuracy, there are no measures.
    named = pl.concat_str(both, separator=" ~ ", ignore_nulls=True).str.strip_chars(" ~")
    place = table.columns.index("measure_a")
    paired = table.with_columns(named.alias(_PAIR))
    columns = [name for name in table.columns if name not in both]
    columns.insert(place, _PAIR)
    return paired.select([*columns, *both])


def _over_seeds(table: "pl.DataFrame") -> "pl.DataFrame":
    """Keep what is said of all seeds together; of a single one, what is said of that."""
    if "seed" not in table.columns:
        return table
    pooled = table.filter(table["seed"].cast(str) == ALL_SEEDS)
    return table if pooled.is_empty() else pooled


def _telling(rows: "pl.DataFrame", columns: Sequence[str]) -> list[str]:
    """Leave out what is the same in every row; where all is, keep what comes last."""
    telling = [name for name in columns if rows[name].n_unique() > 1]
    return telling or list(columns[-1:])


def _any_undefined(rows: "pl.DataFrame") -> bool:
    return _UNDEFINED in rows.columns and bool((rows[_UNDEFINED] > 0).any())


def _worth_reading(rows: "pl.DataFrame") -> list[str]:
    """Choose columns of a table that nobody has chosen for."""
    words = [name for name in rows.columns if not rows[name].dtype.is_numeric()]
    parts = {"measure_a", "measure_b"} if _PAIR in rows.columns else set()
    telling = set(_telling(rows, [name for name in words if name not in parts]))
    left_out = (set(words) - telling) | parts | set(_BESIDES)
    left_out |= set() if _any_undefined(rows) else {_UNDEFINED}
    chosen = [name for name in rows.columns if name not in left_out and not name.endswith("_std")]
    return chosen or list(rows.columns)


def _whole_intervals(columns: Sequence[str]) -> list[str]:
    """Take the first few, and none of a value whose interval would not fit any more."""
    chosen: list[str] = []
    place = 0
    while place < len(columns):
        size = 3 if interval_of(columns, place) else 1
        if len(chosen) + size > MOST_COLUMNS:
            break
        chosen += columns[place : place + size]
        place += size
    return chosen
