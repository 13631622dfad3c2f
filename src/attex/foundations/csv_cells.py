"""Text in csv files: none that a spreadsheet would run, and all of it as it was when read back.

A class named `=HYPERLINK(…)` would be a formula to a spreadsheet. An apostrophe before it makes it
text; a text that begins like that already gets one more, so that no two are confused.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"'*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
"""What begins like a formula and is only a number, as a class named -1, may stay as it is."""


def harmless(table: "pl.DataFrame") -> "pl.DataFrame":
    """Put an apostrophe before every text, headings included, that a spreadsheet would run."""
    return _changed(table, lambda text: f"'{text}" if _is_formula(text) else text)


def original(table: "pl.DataFrame") -> "pl.DataFrame":
    """Return what `harmless` was given."""
    return _changed(table, original_text)


def original_text(text: str) -> str:
    """Return one text as it was before `harmless`."""
    return text[text.startswith("'") :] if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)


def _changed(table: "pl.DataFrame", change: Callable[[str], str]) -> "pl.DataFrame":
    import polars as pl

    texts = [
        pl.Series(
            column.name,
            [None if text is None else change(text) for text in column.to_list()],
            dtype=pl.String,
        )
        for column in table
        if column.dtype in (pl.String, pl.Categorical, pl.Enum)
    ]
    return table.with_columns(texts).rename({name: change(name) for name in table.columns})
