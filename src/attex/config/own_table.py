"""From a user's own table to the experiment that they would have to write."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from attex.data.cleaning import words_and_marks
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.readers.tables import Table
from attex.data.table_columns import Column, columns_of, likely_labels, likely_text
from attex.data.table_rows import Row
from attex.foundations.errors import MissingData, UserError, brief, listed
from attex.foundations.progress import say
from attex.foundations.registry import did_you_mean

_KINDS = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_PACKED = (".gz", ".zip")

_LENGTHS = 2_000
"""The texts that are looked at for their length."""
_LONGEST, _TIMES_USUAL = 400, 4
_MANY_ROWS, _LIMIT = 20_000, 5_000
_EPOCHS, _FEWEST_EPOCHS, _TEXTS_READ = 20, 4, 60_000
"""At most so many epochs, and fewer where the texts of all epochs would be more than this."""


@dataclass(frozen=True)
class OwnColumns:
    """Which columns of a table are what."""

    text: str | None = None
    label: str | None = None
    split: str | None = None
    rationale: str | None = None
    query: str | None = None

    def named(self) -> dict[str, str]:
        """Return those that were named, by what they are."""
        return {what: name for what, name in vars(self).items() if name is not None}


def table_kind(path: Path) -> str | None:
    """Return the dataset that reads a file of this name, if it is a table."""
    inner = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return _KINDS.get(inner.suffix.lower())


def experiment_files(files: Sequence[Path], columns: OwnColumns, data: DataFolder) -> list[Path]:
    """Put the experiment of each table in its place, which is written, shown and named."""
    experiments = []
    for path in files:
        if table_kind(path) is None:
            if options := ", ".join(f"--{what}" for what in columns.named()):
                raise UserError(f"{path}: {options} is for a csv or jsonl file; here, change its data")
            experiments.append(path)
            continue
        text = experiment_for(path, columns, data)
        file, new = _written(text, path)
        say(f"{text}{file}: {'written' if new else 'there already'}; change it, and attex run {file}")
        experiments.append(file)
    return experiments


def experiment_for(path: Path, columns: OwnColumns, data: DataFolder) -> str:
    """Return the experiment for a table, as Jsonnet; or say what to write, if columns are not named."""
    if columns.text is None or columns.label is None:
        raise UserError(what_to_write(path, columns))
    reader = _reader(path, columns)
    shape = _shape(path, reader, columns)
    return _jsonnet(_place(path, data), str(table_kind(path)), columns, shape)


def _written(text: str, table: Path) -> tuple[Path, bool]:
    """Write an experiment where attex was started, under a name that no other file has.

    A file that says the same is as good. Returns the file, and whether it is new.
    """
    stem = re.sub(r"[^\w.=+-]+", "-", table.name.split(".")[0]).strip("-.=+")[:60] or "experiment"
    for number in count(1):
        file = Path(f"{stem}.jsonnet" if number == 1 else f"{stem}-{number}.jsonnet")
        try:
            with file.open("x", encoding="utf-8") as new:
                new.write(text)
        except FileExistsError:
            if file.is_file() and file.read_bytes() == text.encode():
                return file, False
            say(f"{file} is there and says something else: it stays as it is")
        else:
            return file, True
    raise AssertionError("numbers do not end")


def what_to_write(path: Path, columns: OwnColumns | None = None) -> str:
    """Say how a table is run: with its columns, which are guessed from what they hold."""
    columns = columns or OwnColumns()
    rows = _reader(path, columns).rows(path, [*columns.named().values()])
    found = columns_of(row.cells for row in rows if isinstance(row, Row))
    others = [column for column in found if column.name != columns.query]
    text = columns.text or _name(likely_text(others)) or "TEXT"
    labels = [column for column in likely_labels(others) if column.name != text]
    label = columns.label or _name(labels[0] if labels else None) or "LABEL"
    asked = "" if columns.query is None else f" --query {_quoted(columns.query)}"
    holds = ", ".join(column.line() for column in found[:20]) + (", …" if len(found) > 20 else "")
    return (
        f"{path} is a table: say which of its columns is the text and which the label, as in\n"
        f"  attex run {_quoted(str(path))} --text {_quoted(text)} --label {_quoted(label)}{asked}\n"
        f"its columns: {holds}"
    )


def _reader(path: Path, columns: OwnColumns) -> Table:
    """Return a reader of the file, or say that it is none."""
    if not path.is_file():
        beside = [p.name for p in path.parent.glob("*") if table_kind(p)]
        raise MissingData(f"{path}: no such file{did_you_mean(path.name, beside)}")
    spec = {"type": table_kind(path), "path": str(path.absolute())} | columns.named()
    reader: Table = READERS.bind(READERS.spec(spec))
    return reader


def _name(column: Column | None) -> str | None:
    return None if column is None else column.name


def _quoted(word: str) -> str:
    """Write a word as a shell takes it."""
    return shlex.quote(brief(word))


@dataclass(frozen=True)
class _Shape:
    """How many rows a table has, and how many tokens nine in ten of its texts do not exceed."""

    rows: int
    usual_length: int


def _shape(path: Path, reader: Table, columns: OwnColumns) -> _Shape:
    """Look through a table; say what is wrong with its columns before anything is written."""
    rows, lengths, seen, labels = 0, [], dict[str, None](), set[str]()
    for row in reader.rows(path, [*columns.named().values()]):
        if isinstance(row, Row):
            rows += 1
            labels.add(str(row.cells.get(reader.label)))
            if rows <= _LENGTHS:
                seen |= dict.fromkeys(row.cells)
                lengths.append(_length(row.cells.get(reader.text)))
    if not rows:
        raise UserError(f"{path} has no row that could be used")
    for column in columns.named().values():
        if column not in seen:
            near = did_you_mean(column, seen) or f"; it has {listed(seen)}"
            raise UserError(f"{path} has no column '{brief(column)}'{near}")
    reader.check_labels(labels, rows, path)
    return _Shape(rows, sorted(lengths)[len(lengths) * 9 // 10])


def _jsonnet(place: str, kind: str, columns: OwnColumns, shape: _Shape) -> str:
    many = shape.rows > _MANY_ROWS
    longest = max(_LONGEST, -(-_TIMES_USUAL * shape.usual_length // 100) * 100)
    epochs = max(_FEWEST_EPOCHS, min(_EPOCHS, _TEXTS_READ // min(shape.rows, _MANY_ROWS)))
    named = "".join(f"    {what}: {_text(name)},\n" for what, name in columns.named().items())
    limit = f"    // A quick look at {_LIMIT:,} texts of each split; without this line all are used.\n"
    limit += f"    limit: {_LIMIT},\n"
    truth = ", 'truth'" if columns.rationale is not None else ""
    asked = ""
    if columns.query is not None:
        asked = "    // The query has an encoder of its own; attention and answer depend on it.\n"
        asked += "    query: {},\n    decoder: 'query',\n"
    return f"""\
// Does attention explain what a model makes of these texts? Change what you like, and run it again.
{{
  data: {{
    type: {_text(kind)},
    path: {_text(place)},
{named}\
    // A longer text is left out, and listed: some measures read a text once for each of its tokens.
    max_tokens: {longest},
    // Words of fewer training texts are unknown to the model.
    min_frequency: 2,
{limit if many else ""}\
  }},
  model: {{
    embedding_width: 64,
    encoder: {{ type: 'lstm', hidden: 64 }},
    attention: {{ type: 'tanh', projection: 'softmax' }},
{asked}\
  }},
  // The best model is kept. Training ends early when development texts get no better.
  trainer: {{ epochs: {epochs}, patience: 4 }},
  // Three models that differ in their random numbers only: what holds for one of them may be chance.
  seeds: [0, 1, 2],
  importance: ['attention', 'gradient', 'leave_one_out'],
  analyses: [{{ type: 'agreement', statistics: ['kendall_tau'] }}, 'faithfulness', 'erasure'{truth}],
}}
"""


def _length(text: object) -> int:
    return len(text) if isinstance(text, list) else len(words_and_marks(str(text or "")))


def _text(text: str) -> str:
    """Write a text as Jsonnet has it."""
    if "'" not in text and "\\" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text)


def _place(path: Path, data: DataFolder) -> str:
    """Return the file's name by which it, and no other file, is found."""
    try:
        same = data.own_file(str(path)).samefile(path)
    except MissingData:
        same = False
    return str(path if same else path.absolute())
