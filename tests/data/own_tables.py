"""Small tables of a user's own, as csv and as jsonl, and what a reader makes of them."""

import csv
import io
import json
from pathlib import Path

import pytest

from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut
from attex.data.reader import READERS, Document, Remark
from attex.foundations.errors import UserError

Row = dict[str, object]
ROWS: list[Row] = [
    {"text": "Good, really good!", "label": "pos", "part": "train", "marks": "1 0 0 1 0"},
    {"text": 'Bad "day"', "label": "neg", "part": "train", "marks": "1 0 0 0"},
    {"text": "It's\nfine", "label": "pos", "part": "dev", "marks": "0 1"},
    {"text": "not ok", "label": "neg", "part": "test", "marks": "1 1"},
]
TOKENS = [
    ["good", ",", "really", "good", "!"],
    ["bad", '"', "day", '"'],
    ["it's", "fine"],
    ["not", "ok"],
]


def as_csv(rows: list[Row]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def as_jsonl(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


WRITERS = {"csv": as_csv, "jsonl": as_jsonl}
both_kinds = pytest.mark.parametrize("kind", list(WRITERS))


Found = list[Document | LeftOut | Remark]


def found_in(folder: Path, kind: str, content: str | bytes, **options: object) -> Found:
    name = f"own.{kind}"
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    spec = READERS.spec({"type": kind, "path": name} | options)
    return list(READERS.bind(spec).documents(DataFolder(folder)))


def read(folder: Path, kind: str, content: str | bytes, **options: object) -> list[Document]:
    found = found_in(folder, kind, content, **options)
    assert not [one for one in found if isinstance(one, LeftOut)]
    return [one for one in found if isinstance(one, Document)]


def read_rows(folder: Path, kind: str, rows: list[Row], **options: object) -> list[Document]:
    return read(folder, kind, WRITERS[kind](rows), **options)


def left_out(folder: Path, kind: str, content: str | bytes, **options: object) -> str:
    """Say what became of the one row that cannot be used."""
    found = found_in(folder, kind, content, **options)
    (fault,) = [one for one in found if isinstance(one, LeftOut)]
    line = fault.line("row")
    assert "\n" not in line
    return line


def problem(folder: Path, kind: str, content: str | bytes, **options: object) -> str:
    with pytest.raises(UserError) as caught:
        found_in(folder, kind, content, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{folder}/")
