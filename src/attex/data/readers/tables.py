"""A user's own texts, in csv or jsonl files."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from attex.data import cleaning
from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut, refusal
from attex.data.reader import READERS, SPLITS, Document, Reader, Remark
from attex.data.split_list import drawn_split, with_every_class
from attex.data.table_columns import columns_of, likely_labels, mistaken
from attex.data.table_form import (
    AUTO,
    about_encoding,
    find_encoding,
    find_form,
    known_delimiter,
    known_encoding,
)
from attex.data.table_rows import Row, Unusable, check_text, object_rows, table_rows
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.registry import LATER, did_you_mean

_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "words_and_marks": cleaning.words_and_marks,
    "words_only": cleaning.words_only,
    "jain_wallace": cleaning.jain_wallace_words,
    "whitespace": str.split,
}
_DEV_SHARE, _TEST_SHARE = 10, 20
"""Per cent of the rows, where the file has no split of its own."""

_SPLIT_NAMES = {name: name for name in SPLITS}
_SPLIT_NAMES |= {"training": "train", "testing": "test"}
_SPLIT_NAMES |= dict.fromkeys(("valid", "validation", "val", "development"), "dev")
"""What else splits are called, in capitals or not."""

_MARKS = ("0", "1")
_LIST_MARKS = str.maketrans("[],", "   ")
_OTHERS = 5


def _once(labels: tuple[str, ...]) -> tuple[str, ...]:
    twice = next((label for label, count in Counter(labels).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"'{brief(twice)}' stands here twice")
    return labels


@dataclass(frozen=True, kw_only=True)
class Table(Reader):
    """Rows with a text and a label, and perhaps a query, their split and the tokens that decide."""

    path: str
    text: str = "text"
    label: str = "label"
    split: str | None = None
    rationale: str | None = None
    labels: Annotated[tuple[str, ...], AfterValidator(_once)] = ()
    tokenizer: Literal["words_and_marks", "words_only", "jain_wallace", "whitespace"] = "words_and_marks"
    strict: Annotated[bool, LATER] = False
    encoding: Annotated[str, AfterValidator(known_encoding), LATER] = AUTO
    impermissible: Annotated[str | tuple[str, ...] | None, LATER] = None
    query: Annotated[str | None, LATER] = None
    candidates: Annotated[str | None, LATER] = None

    unit: ClassVar[str] = "row"

    def class_names(self) -> tuple[str, ...]:
        """Return the labels in the order the user gave them, if given."""
        return self.labels

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the one file."""
        return [folder.own_file(self.path)]

    def tokens(self, text: str) -> list[str]:
        """Cut a text as those of the file are that are no lists of tokens."""
        return _TOKENIZERS[self.tokenizer](text)

    def documents(self, folder: DataFolder) -> Iterator[Document | LeftOut | Remark]:
        """Read every row; one that cannot be used is left out, with the reason."""
        path = self.files(folder)[0]
        words: dict[str, str] = {}
        for found in self.rows(path, self._columns()):
            if not isinstance(found, Row):
                yield found
                continue
            try:
                yield self._document(found, words)
            except Unusable as fault:
                yield fault.left_out(found.number, found.cells.get(self.text))

    @abstractmethod
    def rows(self, path: Path, wanted: Sequence[str]) -> Iterator[Row | LeftOut | Remark]:
        """Yield the rows of a table with the `wanted` columns; a row that is none is left out."""

    def _columns(self) -> list[str]:
        named = (self.text, self.label, self.split, self.rationale, self.query, self.candidates)
        return [column for column in (*named, self.impermissible) if isinstance(column, str)]

    def settled(self, documents: list[Document], folder: DataFolder) -> list[Document]:
        """Refuse labels that are none, and have every class in every split where splits are drawn."""
        if not self.labels:
            labels = {document.label for document in documents}
            self.check_labels(labels, len(documents), self.files(folder)[0])
        if self.split is not None:
            return documents
        return with_every_class(documents, self.min_tokens, self.max_tokens)

    def whole_classes_only(self) -> bool:
        """Leave out classes that not every split has, unless the user named the classes."""
        return not self.labels

    def check_left_out(self, unusable: Sequence[LeftOut], of: int) -> None:
        """Refuse any, if asked to be strict."""
        if self.strict and unusable:
            raise refusal(unusable, of, self.unit, " (data.strict)")
        super().check_left_out(unusable, of)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.labels)

    def _document(self, row: Row, words: dict[str, str]) -> Document:
        """Make a document of a row; each word is kept in memory once, in `words`."""
        tokens = self._tokens(row, self.text, words)
        if not tokens:
            raise Unusable("the text has no token that could be scored")
        query = None if self.query is None else self._tokens(row, self.query, words)
        if query == []:
            raise Unusable("the query is empty: nothing is asked of the text")
        label = row.word(self.label)
        if label not in self._known:
            label = label.strip()
        if not label:
            raise Unusable("the label is empty", f"'{brief(self.label)}' is empty")
        if self.labels and label not in self._known:
            names = listed(self.labels, quote="'")
            near = did_you_mean(label, self.labels)
            detail = f"label '{brief(label)}' is not one of [{names}]{near}"
            raise Unusable("the label is not one of data.labels", detail)
        return Document(
            name=str(row.number),
            split=self._split(row),
            tokens=tokens,
            label=label,
            truth=self._marks(row, self.rationale, "rationale", len(tokens)),
            query=query,
            candidates=self._candidates(row, label),
            impermissible=self._hidden(row, tokens),
        )

    def _hidden(self, row: Row, tokens: list[str]) -> list[bool] | None:
        """Mark what attention may be trained to hide: by a column of marks, or by a list of words."""
        if isinstance(self.impermissible, tuple):
            return [token in self.impermissible for token in tokens]
        return self._marks(row, self.impermissible, "column of impermissible tokens", len(tokens))

    def _tokens(self, row: Row, column: str, words: dict[str, str]) -> list[str]:
        given = row.cell(column)
        if isinstance(given, list):
            tokens = [check_text(token, column, "a token of ") for token in given]
            if not all(map(str.strip, tokens)):
                raise Unusable("a token is empty")
        else:
            tokens = self.tokens(check_text(given, column))
        return [*map(words.setdefault, tokens, tokens)]

    def _candidates(self, row: Row, label: str) -> frozenset[str] | None:
        if self.candidates is None:
            return None
        given = row.cell(self.candidates, needed=False)
        if isinstance(given, str):
            given = given.split(";") if given.strip() else None
        if given is None:
            return None
        among = given if isinstance(given, list) else [given]
        named = [str(one) if isinstance(one, int | float) else one for one in among]
        found = frozenset(check_text(one, self.candidates, "one of ").strip() for one in named)
        if label not in found:
            names = listed(sorted(found), quote="'")
            detail = f"label '{brief(label)}' is not among its candidates [{names}]"
            raise Unusable("the label is not among its candidates", detail)
        return found

    def _split(self, row: Row) -> str:
        if self.split is None:
            # By a hash of the row's number: every tenth row could be of one class only.
            return drawn_split(str(row.number), dev=_DEV_SHARE, test=_TEST_SHARE)
        split = row.word(self.split).strip()
        split = _SPLIT_NAMES.get(split.lower(), split)
        if split not in SPLITS:
            names = ", ".join(SPLITS)
            detail = f"split '{brief(split, 60)}' is not one of {names}"
            raise Unusable(f"the split is not one of {names}", detail)
        return split

    def _marks(self, row: Row, column: str | None, what: str, length: int) -> list[bool] | None:
        if column is None:
            return None
        given = row.cell(column, needed=False)
        if isinstance(given, str):
            # As pandas and NumPy write lists, too.
            given = given.translate(_LIST_MARKS).split() if given.strip() else None
        if given is None:
            return None
        marks = given if isinstance(given, list) else [given]
        # Of exactly these kinds: true is no mark, though Python has it equal to 1.
        if len(marks) != length or any(type(m) not in (str, int) or str(m) not in _MARKS for m in marks):
            detail = f"the {what} must be {length} marks of 0 or 1, one for each token"
            raise Unusable(f"the {what} is not one mark of 0 or 1 for each token", detail)
        return [str(mark) == "1" for mark in marks]

    def check_labels(self, labels: Collection[str], rows_of_them: int, path: Path) -> None:
        """Refuse what is hardly the labels of so many rows, and name columns that could be."""
        why = mistaken(labels, rows_of_them)
        if why is not None:
            found = self.rows(path, self._columns())
            rows = (row.cells for row in found if isinstance(row, Row))
            others = [c for c in columns_of(rows) if c.name not in (self.text, self.label, self.split)]
            likely = ", ".join(column.line() for column in likely_labels(others)[:_OTHERS])
            near = f" It could be {likely}" if likely else ""
            raise UserError(
                f"{path}: column '{brief(self.label)}' has {why}: is it the label?{near} (if these are "
                "the classes, name them in data.labels)"
            )


@READERS.register("csv")
@dataclass(frozen=True, kw_only=True)
class CSV(Table):
    """Your own csv file with a header: plain, gz or zip.

    `text` and `label` name columns; `split` the column with train, dev or test (without it a fixed
    fifth of the rows is test and a tenth dev); `rationale` a column of 0/1 marks, one for each token,
    or empty; `impermissible` another, of tokens that attention may be trained to hide, or a list of such
    words as the tokenizer leaves them; `query` a column with what is asked of the text, for models that
    are asked; `candidates` one with the labels that can be the row's, parted by semicolons, or empty if
    all can; `labels` fixes the classes and their order. Rows that cannot be used are left out, counted
    and listed, and so are classes that are not in every split, unless `labels` names them; `strict`
    refuses the file instead. `delimiter` and `encoding` are found out unless they are said.
    """

    delimiter: Annotated[str, AfterValidator(known_delimiter), LATER] = AUTO

    def rows(self, path: Path, wanted: Sequence[str]) -> Iterator[Row | LeftOut | Remark]:
        """Read rows by the header's names."""
        form = find_form(path, wanted, self.encoding, self.delimiter)
        if self.encoding == AUTO:
            yield from (Remark(f"{path.name}: {remark}") for remark in about_encoding(form.encoding))
        remarks = [*form.remarks()][self.delimiter not in (AUTO, ",") :]
        yield from (Remark(f"{path.name}: {remark}") for remark in remarks)
        yield from table_rows(path, form, wanted)


@READERS.register("jsonl")
@dataclass(frozen=True, kw_only=True)
class JSONL(Table):
    """Your own file of one JSON object a line: plain, gz or zip.

    Options as for csv. A text or query may be a list of tokens, which are taken as they are, a
    rationale a list of marks, and candidates a list of labels.
    """

    def rows(self, path: Path, wanted: Sequence[str]) -> Iterator[Row | LeftOut | Remark]:
        """Read one object a line; each may lack a column that is wanted."""
        encoding = find_encoding(path, self.encoding)
        if self.encoding == AUTO:
            yield from (Remark(f"{path.name}: {remark}") for remark in about_encoding(encoding))
        yield from object_rows(path, encoding)
