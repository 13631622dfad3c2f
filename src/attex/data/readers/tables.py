"""A user's own texts, in csv or jsonl files."""

import csv
import json
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from attex.data import cleaning
from attex.data.folder import DataFolder, open_text
from attex.data.reader import READERS, SPLITS, Document, Reader
from attex.foundations.errors import UserError
from attex.foundations.registry import did_you_mean

_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "words_and_marks": cleaning.words_and_marks,
    "words_only": cleaning.words_only,
    "whitespace": str.split,
}
_DEV_EVERY, _TEST_EVERY = 10, 5


@dataclass(frozen=True, kw_only=True)
class _Table(Reader):
    """Rows with a text and a label, and perhaps their split and the tokens that decide."""

    path: str
    text: str = "text"
    label: str = "label"
    split: str | None = None
    rationale: str | None = None
    labels: tuple[str, ...] = ()
    tokenizer: Literal["words_and_marks", "words_only", "whitespace"] = "words_and_marks"

    def class_names(self) -> tuple[str, ...]:
        """Return the labels in the order the user gave them, if given."""
        return self.labels

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the one file."""
        return [folder.own_file(self.path)]

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read every row; a row that cannot be used is an error that names it."""
        path = self.files(folder)[0]
        for number, row in self.rows(path):
            where = f"{path} row {number}"
            tokens = _TOKENIZERS[self.tokenizer](str(self._cell(row, self.text, where)))
            if not tokens:
                raise UserError(f"{where}: the text has no token that could be scored")
            label = str(self._cell(row, self.label, where))
            if self.labels and label not in self.labels:
                near = did_you_mean(label, self.labels)
                raise UserError(f"{where}: label '{label}' is not one of {list(self.labels)}{near}")
            yield Document(
                name=str(number),
                split=self._split(row, number, where),
                tokens=tokens,
                label=label,
                truth=self._truth(row, len(tokens), where),
            )

    @abstractmethod
    def rows(self, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield (row number, row), the first row of data being 1."""

    def _cell(self, row: Mapping[str, Any], column: str, where: str) -> Any:
        if row.get(column) is None:
            near = did_you_mean(column, row) or f"; it has {', '.join(map(str, row))}"
            raise UserError(f"{where}: no column '{column}'{near}")
        return row[column]

    def _split(self, row: Mapping[str, Any], number: int, where: str) -> str:
        if self.split is None:
            return (
                "test" if number % _TEST_EVERY == 0 else "dev" if number % _DEV_EVERY == 1 else "train"
            )
        split = str(self._cell(row, self.split, where))
        if split not in SPLITS:
            raise UserError(f"{where}: split '{split}' is not one of {', '.join(SPLITS)}")
        return split

    def _truth(self, row: Mapping[str, Any], length: int, where: str) -> list[bool] | None:
        if self.rationale is None:
            return None
        marks = self._cell(row, self.rationale, where)
        marks = marks.split() if isinstance(marks, str) else marks
        if len(marks) != length or any(str(mark) not in ("0", "1") for mark in marks):
            raise UserError(
                f"{where}: the rationale must be {length} marks of 0 or 1, one for each token"
            )
        return [str(mark) == "1" for mark in marks]


@READERS.register("csv")
@dataclass(frozen=True, kw_only=True)
class CSV(_Table):
    """Your own csv file with a header, plain or gz.

    `text` and `label` name columns; `split` the column with train, dev or test (without it every
    fifth row is test and every tenth dev); `rationale` a column of 0/1 marks, one for each token;
    `labels` fixes the order of the classes.
    """

    def rows(self, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Read rows by the header's names."""
        csv.field_size_limit(sys.maxsize)
        with open_text(path) as file:
            yield from enumerate(csv.DictReader(file), 1)


@READERS.register("jsonl")
@dataclass(frozen=True, kw_only=True)
class JSONL(_Table):
    """Your own file of one JSON object a line, plain or gz; options as for csv."""

    def rows(self, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Read one object a line."""
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        row = json.loads(line)
                    except json.JSONDecodeError as error:
                        raise UserError(f"{path} row {number}: not JSON: {error.msg}") from error
                    if not isinstance(row, dict):
                        raise UserError(f"{path} row {number}: not a JSON object")
                    yield number, row
