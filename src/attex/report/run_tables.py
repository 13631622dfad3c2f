"""The tables of a run's page: few columns, the calibrated number first, each with its interval."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from attex.agreement.statistic import STATISTICS
from attex.analyses.analysis import Analysis
from attex.analyses.headline import ALL_SEEDS, OVERALL
from attex.analyses.views import View, interval_of, narrow, with_pair
from attex.report.page import written

if TYPE_CHECKING:
    import polars as pl

_IDENTIFYING = ("experiment", "dataset", "encoder", "attention", "projection")
_FIRST = ("calibrated", "calibrated_low", "calibrated_high")
_BESIDE = ("null", "chance", "random", "ceiling", "untrained", "permuted", "uncalibrated")
"""What a number is read beside, where a table has it."""
_WORDS = {
    "null": "chance",
    "untrained": "untrained model",
    "permuted": "permuted attention",
    "n": "texts",
    "roc_auc": "ROC-AUC",
    "f1": "F1",
}
_MOST_ACROSS = 8
"""As many classes or seeds stand side by side; of more there is the file."""
_MOST_ROWS = 60
_MOST_NAMED = 6
"""As many rows or columns without a number are named; more are counted."""
_UNDEFINED, _ABSENT = written(float("nan")), "–"


@dataclass(frozen=True)
class Cell:
    """A cell as it is written: a number and its interval, or words; `first` is to be read first."""

    text: str
    interval: str = ""
    number: bool = False
    first: bool = False


@dataclass(frozen=True)
class Grid:
    """A table as it is shown; the first `about` columns say what a row is about."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    about: int
    heading: str = ""
    remark: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Fold:
    """Grids that are shown when asked for; the heading asks."""

    heading: str
    grids: Sequence[Grid]


@dataclass(frozen=True)
class Shown:
    """The grids of one table: `first` is there at once, `more` when asked for; `file` has all of it."""

    name: str
    file: str
    first: Sequence[Grid] = ()
    more: Sequence[Fold] = ()


def shown_tables(analysis: Analysis, tables: "Mapping[str, pl.DataFrame]") -> list[Shown]:
    """Lay out the tables of an analysis, the one of its name first."""
    return [
        _shown(analysis, path, table) for path, table in tables.items() if path.startswith("tables/")
    ]


def misleads(statistic: str) -> str:
    """Say why a statistic, by its title, misleads; nothing where it does not."""
    name = re.match(r"\w*", statistic)
    known = name is not None and name[0] in STATISTICS
    return str(STATISTICS[name[0]].facts["misleads"]) if known and name is not None else ""


def _shown(analysis: Analysis, path: str, table: "pl.DataFrame") -> Shown:
    name = path.removeprefix("tables/")
    table = table.drop(_IDENTIFYING, strict=False)
    given = type(analysis).views.get(name)
    words = name.replace("_", " ")
    if given is None:
        whole = narrow(table)
        of = [column for column in whole.columns if not whole[column].dtype.is_numeric()]
        return Shown(words, f"{path}.csv", [_grid(whole, len(of))])
    view = _fuller(table, given)
    first, apart, misleading = [], [], []
    for statistic, rows in _by_statistic(table):
        why = misleads(statistic)
        heading = statistic if statistic and table["statistic"].n_unique() > 1 else ""
        overall, *parts = _grids(rows, view, heading, f"{statistic} misleads: {why}." if why else "")
        misleading += [overall] if why else []
        first += [] if why else [overall]
        apart += [] if why else parts
    folds = {"By class and by seed": apart, "A statistic that misleads": misleading}
    more = [Fold(heading, grids) for heading, grids in folds.items() if grids]
    return Shown(words, f"{path}.csv", first, more)


def _by_statistic(table: "pl.DataFrame") -> "Iterator[tuple[str, pl.DataFrame]]":
    if "statistic" not in table.columns:
        yield "", table
        return
    for statistic in table["statistic"].unique(maintain_order=True).to_list():
        yield str(statistic), table.filter(table["statistic"] == statistic)


def _fuller(table: "pl.DataFrame", view: View) -> View:
    """Put the calibrated number before the view's numbers, and what they are read beside after them."""
    there = [name for name in (*_FIRST, *_BESIDE) if name in table.columns and not _empty(table[name])]
    calibrated = [name for name in _FIRST if name in there]
    chosen = [
        *calibrated,
        *(name for name in view.numbers if name not in there),
        *there[len(calibrated) :],
    ]
    # How many values could not be calibrated is told where any could not.
    if "uncalibrated" in chosen and not (table["uncalibrated"] > 0).any():
        chosen.remove("uncalibrated")
    return View(view.of, tuple(chosen), view.where, view.pooled)


def _empty(column: "pl.Series") -> bool:
    return bool(column.is_nan().all()) if column.dtype.is_float() else False


def _grids(rows: "pl.DataFrame", view: View, heading: str, warning: str) -> Iterator[Grid]:
    """Show all seeds and classes together first, then one column for each class, and for each seed."""
    narrowed = narrow(rows, view)
    of = [name for name in narrowed.columns if name not in (*view.numbers, "undefined")]
    yield _grid(narrowed, len(of), heading, warning)
    main = view.numbers[:3] if interval_of(view.numbers, 0) else view.numbers[:1]
    across = [("class", "by class", OVERALL), ("seed", "by seed", ALL_SEEDS)]
    for column, words, all_of_them in across:
        if column in view.of or column not in rows.columns:
            continue
        others = {"seed": ALL_SEEDS} if column == "class" else dict(view.where)
        chosen = _where(rows, others)
        levels = [x for x in chosen[column].unique(maintain_order=True).to_list() if x != all_of_them]
        if 1 < len(levels) <= _MOST_ACROSS:
            title = f"{heading}, {words}" if heading else words.capitalize()
            yield _pivoted(chosen, of, column, levels, main, title, warning)


def _where(rows: "pl.DataFrame", values: Mapping[str, str]) -> "pl.DataFrame":
    for column, value in values.items():
        if column in rows.columns:
            chosen = rows.filter(rows[column].cast(str) == value)
            rows = rows if chosen.is_empty() else chosen
    return rows


def _pivoted(
    rows: "pl.DataFrame",
    of: Sequence[str],
    column: str,
    levels: Sequence[str],
    main: Sequence[str],
    heading: str,
    warning: str,
) -> Grid:
    """Put the main number of every level of a column side by side."""
    paired = with_pair(rows)
    found: dict[tuple[Any, ...], dict[str, Cell]] = {}
    for row in paired.to_dicts():
        if row[column] in levels:
            place = found.setdefault(tuple(row[name] for name in of), {})
            place[row[column]] = _number(row[main[0]], [row[name] for name in main[1:]])
    heads = [*(_word(name) for name in of), *(f"{column} {level}" for level in levels)]
    body = [
        [
            *(Cell(str(part)) for part in about),
            *(cells.get(x, Cell(_ABSENT, number=True)) for x in levels),
        ]
        for about, cells in found.items()
    ]
    remark = f"{_word(main[0]).capitalize()}."
    return _cut(_told_once(Grid(heads, body, len(of), heading, remark, warning)))


def _grid(table: "pl.DataFrame", about: int, heading: str = "", warning: str = "") -> Grid:
    """Write a table with each interval beside its number."""
    names = table.columns
    ends = {name for place in range(len(names)) for name in interval_of(names, place) or ()}
    heads = [_word(name) for name in names if name not in ends]
    bounded = (place for place in range(about, len(names)) if interval_of(names, place))
    main = next(bounded, about)
    body = []
    for row in table.iter_rows():
        cells = []
        for place, name in enumerate(names):
            if name in ends:
                continue
            if place < about or not isinstance(row[place], int | float):
                cells.append(Cell(_ABSENT if row[place] is None else str(row[place])))
            else:
                bounds = row[place + 1 : place + 3] if interval_of(names, place) else ()
                beside = name in _BESIDE
                cells.append(_number(row[place], bounds, first=place == main, rough=beside))
        body.append(cells)
    return _cut(_told_once(Grid(heads, body, about, heading, "", warning)))


def _told_once(grid: Grid) -> Grid:
    """Leave rows and columns out in which everything is undefined, and name them in a remark."""
    numbers = range(grid.about, len(grid.heads))
    # A row that is undefined may say that it is of no text.
    empty = [_undefined([row[at] for at in numbers], "0") for row in grid.rows]
    rows = [row for row, undefined in zip(grid.rows, empty, strict=True) if not undefined]
    nowhere = [at for at in numbers if _undefined([row[at] for row in rows])]
    about = [", ".join(cell.text for cell in row[: grid.about]) for row in grid.rows]
    told = _undefined_words("in", [*compress(about, empty)], "rows")
    told += _undefined_words("throughout:", [grid.heads[at] for at in nowhere], "columns")
    kept = [at for at in range(len(grid.heads)) if at not in nowhere]
    return replace(
        grid,
        heads=[grid.heads[at] for at in kept],
        rows=[[row[at] for at in kept] for row in rows],
        remark=f"{grid.remark}{told}".strip(),
    )


def _undefined(cells: Sequence[Cell], *also: str) -> bool:
    """Say whether some of the cells are undefined, and the others absent or what may be there, too."""
    texts = {cell.text for cell in cells}
    return _UNDEFINED in texts and texts <= {_UNDEFINED, _ABSENT, *also}


def _undefined_words(how: str, named: Sequence[str], what: str) -> str:
    if not named:
        return ""
    told = ", ".join(named) if len(named) <= _MOST_NAMED else f"{len(named)} {what}"
    return f" Undefined {how} {told}."


def _cut(grid: Grid) -> Grid:
    if len(grid.rows) <= _MOST_ROWS:
        return grid
    remark = f"{grid.remark} The first {_MOST_ROWS} of {len(grid.rows):,} rows.".strip()
    return Grid(grid.heads, grid.rows[:_MOST_ROWS], grid.about, grid.heading, remark, grid.warning)


def _number(value: Any, bounds: Sequence[Any], first: bool = False, rough: bool = False) -> Cell:
    """Write a number with its interval; a `rough` one is not told from 0 where it rounds to it."""
    known = [bound for bound in bounds if bound is not None and bound == bound]
    interval = f"[{', '.join(map(written, known))}]" if len(known) == 2 else ""
    tiny = rough and isinstance(value, float) and abs(value) < 0.001
    return Cell(written(0.0 if tiny else value), interval, number=True, first=first)


def _word(name: str) -> str:
    return _WORDS.get(name, name.replace("_", " "))
