"""Rows of a user's own table, by the names of its columns, and what of it cannot be used."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attex.data.csv_rows import numbered_rows
from attex.data.folder import open_text
from attex.data.left_out import LeftOut, beginning
from attex.data.reader import Remark
from attex.data.table_form import Encoding, TableForm
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.json_text import NotJSON, is_unicode, parse_json
from attex.foundations.registry import did_you_mean


class Unusable(Exception):
    """A row cannot be used: the reason, by which rows are counted, and what is particular to this."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason, self.detail = reason, detail

    def left_out(self, number: int, text: object) -> LeftOut:
        """Say which row it was."""
        shown = " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
        return LeftOut(str(number), self.reason, self.detail, beginning(shown))


@dataclass(frozen=True, slots=True)
class Row:
    """One row with its number, the first being 1, and its cells by column."""

    number: int
    cells: Mapping[str, Any]

    def cell(self, column: str, needed: bool = True) -> Any:
        """Return what stands in a column."""
        if column not in self.cells:
            near = did_you_mean(column, self.cells) or f"; it has {listed(self.cells)}"
            raise Unusable(f"no column '{brief(column)}'", f"no column '{brief(column)}'{near}")
        if needed and self.cells[column] is None:
            raise Unusable(f"'{brief(column)}' is empty")
        return self.cells[column]

    def word(self, column: str) -> str:
        """Return a cell that may be a number or a truth value as well, as text."""
        value = self.cell(column)
        if value != value:
            raise Unusable(f"'{brief(column)}' is empty", f"'{brief(column)}' is NaN, no number")
        if isinstance(value, int | float):
            return str(value)
        return check_text(value, column)


def check_text(text: Any, column: str, part: str = "") -> str:
    """Return a text that can be shown and written, or raise `Unusable`; it is `part` of a column."""
    if isinstance(text, str) and "\0" not in text and is_unicode(text):
        return text
    what = f"{part}'{brief(column)}'"
    if not isinstance(text, str):
        raise Unusable(f"{what} is not a text", f"{what} is not a text but {_shown(text)}")
    if "\0" in text:
        raise Unusable(f"{what} holds a null character")
    raise Unusable(f"{what} holds half a character, or bytes that are not UTF-8")


def table_rows(path: Path, form: TableForm, wanted: Sequence[str]) -> Iterator[Row | LeftOut | Remark]:
    """Yield the rows of a csv file whose header has the `wanted` columns, each once.

    Rows are numbered without blank lines. One with more or fewer cells than the header is left out.
    """
    table = numbered_rows(path, form)
    header = next((cells for _, cells in table if cells), [])
    header = [name if name in wanted else name.strip() for name in header]
    _check_header(path, header, wanted)
    number = blank = blank_before = 0
    for line, cells in table:
        if not cells:
            blank += 1
            continue
        number, blank_before = number + 1, blank
        if not any(map(str.strip, cells)):
            yield LeftOut(str(number), "all cells are empty")
        elif len(cells) != len(header):
            detail = f"{len(cells)} cells, but the header has {len(header)} (line {line})"
            reason = "more or fewer cells than the header"
            yield LeftOut(str(number), reason, detail, beginning(" ".join(cells)))
        else:
            yield Row(number, dict(zip(header, cells, strict=True)))
    if blank_before:
        lines = f"{blank_before:,} blank line{'s' * (blank_before > 1)}"
        yield Remark(f"{path.name}: passed over {lines} between its rows")


def _check_header(path: Path, header: Sequence[str], wanted: Sequence[str]) -> None:
    if not header:
        raise UserError(f"{path} is empty: it has no header")
    for column in wanted:
        if column not in header:
            near = did_you_mean(column, header) or f"; it has {listed(header)}"
            raise UserError(f"{path} has no column '{brief(column)}'{near}")
        if header.count(column) > 1:
            raise UserError(f"{path} has {header.count(column)} columns '{brief(column)}'")


def object_rows(path: Path, encoding: Encoding) -> Iterator[Row | LeftOut]:
    """Yield the rows of a jsonl file, numbered by its lines; what is no JSON object is left out."""
    with open_text(path, encoding.name, encoding.errors) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = parse_json(line)
            except NotJSON as error:
                detail = f"not JSON: {error}"
                yield LeftOut(str(number), "the line is not JSON", detail, beginning(line))
                continue
            if isinstance(row, dict):
                yield Row(number, row)
            else:
                yield LeftOut(str(number), "the line is not a JSON object", "", beginning(line))


def _shown(value: Any) -> str:
    try:
        return brief(json.dumps(value), 40)
    except RecursionError:
        return "nested deeply"
