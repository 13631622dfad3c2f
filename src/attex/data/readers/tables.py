"""A user's own texts, in csv or jsonl files."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from attex.data import cleaning
from attex.data.csv_rows import csv_rows
from attex.data.folder import DataFolder, open_text
from attex.data.reader import READERS, SPLITS, Document, Reader
from attex.data.split_list import drawn_split
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.json_text import NotJSON, is_unicode, parse_json
from attex.foundations.registry import did_you_mean

_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "words_and_marks": cleaning.words_and_marks,
    "words_only": cleaning.words_only,
    "jain_wallace": cleaning.jain_wallace_words,
    "whitespace": str.split,
}
_DEV_SHARE, _TEST_SHARE = 10, 20
"""Per cent of the rows, where the file has no split of its own."""


_MARKS = ("0", "1")


def _once(labels: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((label for label, count in Counter(labels).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"'{brief(twice)}' stands here twice")
    return labels


@dataclass(frozen=True, kw_only=True)
class _Table(Reader):
    """Rows with a text and a label, and perhaps their split and the tokens that decide."""

    path: str
    text: str = "text"
    label: str = "label"
    split: str | None = None
    rationale: str | None = None
    labels: Annotated[tuple[str, ...], AfterValidator(_once)] = ()
    tokenizer: Literal["words_and_marks", "words_only", "jain_wallace", "whitespace"] = "words_and_marks"

    def class_names(self) -> tuple[str, ...]:
        """Return the labels in the order the user gave them, if given."""
        return self.labels

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the one file."""
        return [folder.own_file(self.path)]

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read every row; a row that cannot be used is an error that names it."""
        path = self.files(folder)[0]
        known = frozenset(self.labels)
        for number, row in self.rows(path):
            where = f"{path} row {number}"
            tokens = _TOKENIZERS[self.tokenizer](self._text(row, self.text, where))
            if not tokens:
                raise UserError(f"{where}: the text has no token that could be scored")
            label = self._word(row, self.label, where)
            if not label:
                raise UserError(f"{where}: '{self.label}' is empty")
            if known and label not in known:
                near = did_you_mean(label, self.labels)
                names = listed(self.labels, quote="'")
                raise UserError(f"{where}: label '{brief(label)}' is not one of [{names}]{near}")
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
        if column not in row:
            near = did_you_mean(column, row) or f"; it has {listed(row)}"
            raise UserError(f"{where}: no column '{brief(column)}'{near}")
        if row[column] is None:
            raise UserError(f"{where}: '{brief(column)}' is empty")
        return row[column]

    def _text(self, row: Mapping[str, Any], column: str, where: str) -> str:
        text = self._cell(row, column, where)
        if not isinstance(text, str):
            raise UserError(f"{where}: '{brief(column)}' is not a text but {_shown(text)}")
        if "\0" in text:
            raise UserError(
                f"{where}: '{brief(column)}' holds a null character; is the file damaged, or UTF-16?"
            )
        if not is_unicode(text):
            raise UserError(f"{where}: '{brief(column)}' holds half a character (a lone surrogate)")
        return text

    def _word(self, row: Mapping[str, Any], column: str, where: str) -> str:
        """Return a cell that may be a number or a truth value as well, as text."""
        value = self._cell(row, column, where)
        if isinstance(value, int | float):
            return str(value)
        return self._text(row, column, where)

    def _split(self, row: Mapping[str, Any], number: int, where: str) -> str:
        if self.split is None:
            # By a hash of the row's number: every tenth row could be of one class only.
            return drawn_split(str(number), dev=_DEV_SHARE, test=_TEST_SHARE)
        split = self._word(row, self.split, where)
        if split not in SPLITS:
            raise UserError(f"{where}: split '{brief(split)}' is not one of {', '.join(SPLITS)}")
        return split

    def _truth(self, row: Mapping[str, Any], length: int, where: str) -> list[bool] | None:
        if self.rationale is None:
            return None
        given = self._cell(row, self.rationale, where)
        marks = (
            given.split() if isinstance(given, str) else given if isinstance(given, list) else [given]
        )
        # Of exactly these kinds: true is no mark, though Python has it equal to 1.
        if len(marks) != length or any(type(m) not in (str, int) or str(m) not in _MARKS for m in marks):
            raise UserError(
                f"{where}: the rationale must be {length} marks of 0 or 1, one for each token"
            )
        return [str(mark) == "1" for mark in marks]


def _shown(value: Any) -> str:
    try:
        return brief(json.dumps(value), 40)
    except RecursionError:
        return "nested deeply"


@READERS.register("csv")
@dataclass(frozen=True, kw_only=True)
class CSV(_Table):
    """Your own csv file with a header, plain or gz.

    `text` and `label` name columns; `split` the column with train, dev or test (without it a
    fixed fifth of the rows is test and a tenth dev); `rationale` a column of 0/1 marks, one for
    each token; `labels` fixes the order of the classes.
    """

    def rows(self, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Read rows by the header's names."""
        table = csv_rows(path)
        header = next(table, [])
        for column in (self.text, self.label, self.split, self.rationale):
            if column is not None and header.count(column) > 1:
                raise UserError(f"{path} has {header.count(column)} columns '{brief(column)}'")
        for number, cells in enumerate(table, 1):
            if len(cells) != len(header):
                raise UserError(
                    f"{path} row {number} has {len(cells)} cells, but the header has {len(header)}"
                )
            yield number, dict(zip(header, cells, strict=True))


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
                        row = parse_json(line)
                    except NotJSON as error:
                        raise UserError(f"{path} row {number}: not JSON: {error}") from error
                    if not isinstance(row, dict):
                        raise UserError(f"{path} row {number}: not a JSON object")
                    yield number, row
