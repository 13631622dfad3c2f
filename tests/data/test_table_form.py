"""How a table is written is found out; the csv module, told how, is the oracle."""

import codecs
import csv
import io
import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attex.data.corpus import build_corpus
from attex.data.csv_rows import csv_rows
from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut
from attex.data.reader import READERS, Document
from attex.data.table_form import Encoding, find_encoding, find_form
from attex.foundations.errors import UserError

TABLES = {
    "plain": [["id", "text", "label"], ["1", "good day", "a"], ["2", "bad day", "b"]],
    "marks in texts": [
        ["text", "label"],
        ["one, two; three | four", "a"],
        ["a\ttab, a; semicolon", "b"],
        ['he said "no", twice', "a"],
        ["two\nlines; here", "b"],
    ],
    "letters": [["text", "label", "n"], ["café – naïve", "a", "1,5"], ["“quoted” œuvre", "b", "2;5"]],
}
ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16": b"",
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "cp1252": b"",
}


def written(rows: list[list[str]], **how: object) -> str:
    file = io.StringIO()
    csv.writer(file, **how).writerows(rows)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize("table", list(TABLES))
def test_every_dialect_in_every_encoding_gives_the_same_cells(tmp_path: Path, table: str) -> None:
    rows, path = TABLES[table], tmp_path / "own.csv"
    dialects = itertools.product(",;\t|", (csv.QUOTE_MINIMAL, csv.QUOTE_ALL), ("\n", "\r\n", "\r\r\n"))
    for (delimiter, quoting, end), encoding in itertools.product(dialects, ENCODINGS):
        text = written(rows, delimiter=delimiter, quoting=quoting, lineterminator=end)
        path.write_bytes(ENCODINGS[encoding] + text.encode(encoding))
        for columns in ((), ("text", "label")):
            form = find_form(path, columns)
            assert form.delimiter == delimiter, (delimiter, encoding)
            assert [*csv_rows(path, form)] == rows, (delimiter, quoting, end, encoding)


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"text,label\nfine,x\n", Encoding()),
        ("text,label\nfine,x\n".encode("utf-16-le"), Encoding("utf-16-le")),
        ("text,label\ncafé,x\n".encode("latin-1"), Encoding("cp1252")),
        (b"text,label\ncaf\x81,x\n", Encoding("latin-1")),
        (("café\n" * 9).encode() + b"caf\xe9\n", Encoding(damaged=True)),
    ],
)
def test_the_encoding_is_the_one_that_all_bytes_fit(
    tmp_path: Path, content: bytes, encoding: Encoding
) -> None:
    (tmp_path / "own.csv").write_bytes(content)
    assert find_encoding(tmp_path / "own.csv") == encoding


def test_a_byte_that_is_wrong_in_utf8_costs_its_row_and_no_other(tmp_path: Path) -> None:
    content = b"text,label\n" + "café,a\n".encode() * 9 + b"caf\xe9,b\n" + "ü,b\n".encode()
    (tmp_path / "own.csv").write_bytes(content)
    reader = READERS.bind(READERS.spec({"type": "csv", "path": "own.csv"}))
    found = [*reader.documents(DataFolder(tmp_path))]
    assert [one.name for one in found if isinstance(one, LeftOut)] == ["10"]
    assert [one.tokens for one in found if isinstance(one, Document)] == [["café"]] * 9 + [["ü"]]


def test_quotes_that_fit_around_no_cell_are_letters(tmp_path: Path) -> None:
    rows = [["text", "label"], *([f'"Fine, he said {n}', "a"] for n in range(7))]
    path = tmp_path / "own.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    form = find_form(path, ("text", "label"))
    assert (form.quotes, [*csv_rows(path, form)]) == ("none", rows)


def test_quotes_after_a_backslash_are_understood(tmp_path: Path) -> None:
    rows = [["text", "label"], *([f'she said "no, {n}", twice', "a"] for n in range(7))]
    path = tmp_path / "own.csv"
    path.write_text(written(rows, escapechar="\\", doublequote=False))
    form = find_form(path, ("text", "label"))
    assert (form.quotes, [*csv_rows(path, form)]) == ("backslash", rows)


def test_a_quote_that_is_never_closed_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("text,label\n" + '"a, b",x\n' * 5 + '"c, d,y\n' + "e,x\n" * 3)
    with pytest.raises(UserError, match="a quote is opened in the row of line 7 and never closed"):
        [*csv_rows(path, find_form(path))]


cell = st.text(st.sampled_from("ab ,;|\t\"'\n<é😀ש\0"), max_size=8)
label = st.sampled_from(["x", "y", "z", "", " "])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.one_of(st.tuples(cell, label), st.tuples(cell), st.tuples(cell, label, cell)), max_size=40
    ),
    delimiter=st.sampled_from(",;\t|"),
)
def test_every_row_is_a_document_or_left_out_once(
    tmp_path: Path, rows: list[tuple[str, ...]], delimiter: str
) -> None:
    path = tmp_path / "own.csv"
    # Many, so that what is drawn is never most of the table.
    good = [(f"word{n} day", "xy"[n % 2]) for n in range(60)]
    text = written([["text", "label"], *good, *map(list, rows)], delimiter=delimiter)
    path.write_bytes(text.encode())
    oracle = [
        row for row in csv.reader(io.StringIO(text.replace("\r\n", "\n")), delimiter=delimiter) if row
    ]
    spec = {"type": "csv", "path": "own.csv", "tokenizer": "whitespace", "delimiter": delimiter}
    reader = READERS.bind(READERS.spec(spec | {"max_tokens": 3}))
    found = [one for one in reader.documents(DataFolder(tmp_path)) if isinstance(one, Document)]
    for document in found:
        text_cell, label_cell = oracle[int(document.name)]
        assert (document.tokens, document.label) == (text_cell.split(), label_cell.strip())
    corpus = build_corpus(reader, DataFolder(tmp_path))
    kept = [name for split in corpus.splits.values() for name in split.names]
    names = kept + [one.name for one in corpus.left_out]
    assert sorted(map(int, names)) == [*range(1, len(oracle))]
    assert sum(corpus.facts["left_out"].values()) == len(corpus.left_out)
