"""Rows of a csv file, whatever their size; a file that cannot be read so is named."""

import csv
from collections.abc import Iterator
from pathlib import Path

from attex.data.table_form import TableForm, rows_of
from attex.foundations.errors import UserError


def csv_rows(path: Path, form: TableForm | None = None) -> Iterator[list[str]]:
    """Yield the cells of each row that has any, the header's first."""
    for _, cells in numbered_rows(path, form):
        if cells:
            yield cells


def numbered_rows(path: Path, form: TableForm | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield (the line it begins in, its cells) of each row; a blank line is a row without cells."""
    try:
        yield from rows_of(path, form or TableForm())
    except csv.Error as error:
        raise UserError(f"{path} is not csv: {error}") from error
