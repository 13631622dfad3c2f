"""How a table of text is written: its encoding, what parts its cells, and what quotes mean in it."""

import codecs
import csv
import itertools
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attex.data.folder import open_bytes, open_text

AUTO = "auto"
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

_CHUNK = 2**20
_SAMPLE_BYTES = 4096
_SAMPLE_LINES, _SAMPLE_ROWS = 2_000, 100
_FITS = 0.9
_END = "\0\0\0"

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The first that a file begins with counts: UTF-16's is the beginning of UTF-32's."""

_QUOTES: dict[str, dict[str, Any]] = {
    "doubled": {},
    "backslash": {"escapechar": "\\"},
    "none": {"quoting": csv.QUOTE_NONE},
}
"""What a quote inside a quoted cell looks like; with `none` quotes are letters like any other."""


@dataclass(frozen=True)
class Encoding:
    """How bytes become letters; with `damaged` those that do not become halves of characters."""

    name: str = "utf-8-sig"
    damaged: bool = False

    @property
    def errors(self) -> str:
        """What Python calls it."""
        return "surrogateescape" if self.damaged else "strict"


@dataclass(frozen=True)
class TableForm:
    """How a csv file is written; by default as most are."""

    encoding: Encoding = Encoding()
    delimiter: str = ","
    quotes: str = "doubled"

    def remarks(self) -> Iterator[str]:
        """Say what of it is not as most files have it."""
        if self.delimiter != ",":
            yield f"its cells are parted by {DELIMITERS.get(self.delimiter, repr(self.delimiter))}s"
        if self.quotes == "backslash":
            yield "a backslash stands before quotes inside of quoted cells"
        elif self.quotes == "none":
            yield "quotes are taken as part of the text, because they do not fit around cells"


def about_encoding(encoding: Encoding) -> Iterator[str]:
    """Say how a file was read that is not, or not all, UTF-8."""
    if encoding.damaged:
        yield "some of its bytes are not UTF-8, and their rows cannot be used"
    elif not encoding.name.startswith("utf-8"):
        guess = "" if encoding.name.startswith("utf") else "; if letters look wrong, say data.encoding"
        yield f"read as {encoding.name}, because it is not UTF-8{guess}"


def known_encoding(name: str) -> str:
    """Return the name of an encoding of text, for a user's option, or raise `ValueError`."""
    if name == AUTO:
        return name
    try:
        "a".encode(name)
        known = codecs.lookup(name).name
    except (LookupError, ValueError, UnicodeError):
        raise ValueError(f"no encoding '{name[:60]}'; as utf-8, utf-16, cp1252, latin-1") from None
    return "utf-8-sig" if known == "utf-8" else known


def known_delimiter(name: str) -> str:
    """Return what may part cells, for a user's option, or raise `ValueError`."""
    if name == AUTO or (len(name) == 1 and name not in '"\r\n\0\ufeff'):
        return name
    raise ValueError("should be one character, as ; or \\t, or auto")


def find_encoding(path: Path, given: str = AUTO) -> Encoding:
    """Find the encoding of a file: by its byte-order mark, or by what all of its bytes can be.

    What is not UTF-8 is UTF-16, if every other byte is null. Else it is damaged UTF-8, if more of its
    letters outside ASCII are UTF-8 than are not. Else it is cp1252, in which spreadsheets write Western
    languages, or latin-1, which gives every byte a meaning.
    """
    if given != AUTO:
        return Encoding(given)
    with open_bytes(path) as file:
        start = file.read(_SAMPLE_BYTES)
    for mark, name in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark) and name != "utf-8-sig":
            return Encoding(name)
    for name, null, letter in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        if 2 * start[null::2].count(0) > len(start[null::2]) and not start[letter::2].count(0):
            return Encoding(name)
    if _decodes(path, "utf-8"):
        return Encoding()
    good, bad = _outside_ascii(path)
    if good > bad:
        return Encoding(damaged=True)
    return Encoding("cp1252" if _decodes(path, "cp1252") else "latin-1")


def _decodes(path: Path, name: str) -> bool:
    decoder = codecs.getincrementaldecoder(name)()
    with open_bytes(path) as file:
        try:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _outside_ascii(path: Path) -> tuple[int, int]:
    """Count letters outside ASCII that are UTF-8, and bytes that are not."""
    good = bad = 0
    with open_text(path, errors="surrogateescape") as file:
        while text := file.read(_CHUNK):
            outside = re.sub("[\0-\x7f]+", "", text)
            wrong = len(re.findall("[\udc80-\udcff]", outside))
            good, bad = good + len(outside) - wrong, bad + wrong
    return good, bad


def find_form(
    path: Path, columns: Collection[str] = (), encoding: str = AUTO, delimiter: str = AUTO
) -> TableForm:
    """Find how a csv file is written, as far as it is not said; `columns` should be in its header."""
    found = find_encoding(path, encoding)
    if delimiter == AUTO:
        delimiter = _find_delimiter(path, found, columns)
    usual = TableForm(found, delimiter)
    if _is_strict(path, usual):
        return usual
    fits = {form: _well_formed(path, form) for form in _with_other_quotes(usual)}
    best = max(fits, key=lambda form: fits[form])
    return best if fits[best] > max(_FITS, _well_formed(path, usual)) else usual


def _with_other_quotes(form: TableForm) -> list[TableForm]:
    return [replace(form, quotes=quotes) for quotes in _QUOTES if quotes != form.quotes]


def _find_delimiter(path: Path, encoding: Encoding, columns: Collection[str]) -> str:
    """Choose what gives a header with all the columns; else several cells, the same in every row."""

    def fits(delimiter: str) -> tuple[bool, bool, float, int]:
        with open_text(path, encoding.name, encoding.errors) as file:
            lines = itertools.islice(file, _SAMPLE_LINES)
            table = filter(None, csv.reader(lines, delimiter=delimiter))
            header = next(table, [])
            rows = [*itertools.islice(table, _SAMPLE_ROWS)]
        widths = [len(cells) for cells in rows]
        alike = widths.count(len(header)) / max(1, len(widths))
        return set(columns) <= set(header), len(header) > 1, alike, len(header)

    csv.field_size_limit(sys.maxsize)
    return max(DELIMITERS, key=fits)


def _is_strict(path: Path, form: TableForm) -> bool:
    """Say whether every quote is where one may be, and closed."""
    try:
        for _ in rows_of(path, form, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _well_formed(path: Path, form: TableForm) -> float:
    """Return the share of rows that have as many cells as the header."""
    try:
        widths = [len(cells) for _, cells in rows_of(path, form) if cells]
    except csv.Error:
        return 0.0
    return widths.count(widths[0]) / len(widths) if widths else 0.0


def rows_of(path: Path, form: TableForm, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield (the line it begins in, its cells) of every row, blank ones too.

    Raises `csv.Error` where a quote is never closed, and where the rows are not csv.
    """
    csv.field_size_limit(sys.maxsize)
    ended = False

    def lines() -> Iterator[str]:
        nonlocal ended
        yield from file
        # One more line, which is a row of its own unless a quote is still open.
        ended = True
        yield _END

    with open_text(path, form.encoding.name, form.encoding.errors) as file:
        options = _QUOTES[form.quotes]
        table = csv.reader(lines(), delimiter=form.delimiter, strict=strict, **options)
        begins = 1
        for cells in table:
            if ended and cells != [_END]:
                raise csv.Error(f"a quote is opened in the row of line {begins} and never closed")
            if not ended:
                yield begins, cells
            begins = table.line_num + 1
