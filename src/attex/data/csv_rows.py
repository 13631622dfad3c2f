"""Rows of a csv file, whatever their size; one that cannot be read is named."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from attex.data.folder import open_text
from attex.foundations.errors import UserError


def csv_rows(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each row that has any, the header's first."""
    csv.field_size_limit(sys.maxsize)
    with open_text(path) as file:
        table = csv.reader(file)
        try:
            yield from filter(None, table)
        except csv.Error as error:
            raise UserError(f"{path} line {table.line_num}: not csv: {error}") from error
