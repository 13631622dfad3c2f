"""A user's own csv and jsonl files with every fault: what is said of them, and of which row."""

import gzip
from pathlib import Path

import pytest
from own_tables import ROWS, WRITERS, Row, as_csv, as_jsonl, both_kinds, left_out, problem, read

from attex.config.loading import validate
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import MissingData, UserError

MANY = 20_000


@both_kinds
@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"text": ""}, {}, "the text has no token that could be scored"),
        ({"text": " \t "}, {}, "the text has no token that could be scored"),
        ({"text": "?!"}, {"tokenizer": "words_only"}, "the text has no token that could be scored"),
        ({"label": ""}, {}, "'label' is empty"),
        (
            {"label": "positive"},
            {"labels": ["positiv", "pos", "neg"]},
            "label 'positive' is not one of ['positiv', 'pos', 'neg']; did you mean 'positiv'?",
        ),
        ({"part": "eval"}, {"split": "part"}, "split 'eval' is not one of train, dev, test"),
        (
            {"marks": "1"},
            {"rationale": "marks"},
            "the rationale must be 4 marks of 0 or 1, one for each token",
        ),
        (
            {"marks": "1 0 2 0"},
            {"rationale": "marks"},
            "the rationale must be 4 marks of 0 or 1, one for each token",
        ),
        (
            {"marks": "1 0 2 0"},
            {"impermissible": "marks"},
            "the column of impermissible tokens must be 4 marks of 0 or 1, one for each token",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_left_out_with_the_reason(
    tmp_path: Path, kind: str, change: Row, options: dict[str, object], message: str
) -> None:
    rows = [ROWS[0], ROWS[1] | change]
    assert left_out(tmp_path, kind, WRITERS[kind](rows), **options) == f"row 2: {message}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "txt"}, "no column 'txt'; did you mean 'text'?"),
        ({"label": "Label"}, "no column 'Label'; did you mean 'label'?"),
        ({"label": "q"}, "no column 'q'; it has text, label, part, marks"),
        ({"split": "parts"}, "no column 'parts'; did you mean 'part'?"),
        ({"rationale": "mark"}, "no column 'mark'; did you mean 'marks'?"),
    ],
)
def test_a_column_that_is_not_there_is_named_at_once(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    assert problem(tmp_path, "csv", as_csv(ROWS), **options) == f"own.csv has {message}"
    assert left_out(tmp_path, "jsonl", as_jsonl(ROWS[:1]), **options) == f"row 1: {message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{'text': 'a'}", "not JSON: Expecting property name enclosed in double quotes"),
        ('{"text": "a", "label": ', "not JSON: Expecting value"),
        ("[1, 2]", "the line is not a JSON object"),
        ('{"text": null, "label": "x"}', "'text' is empty"),
        ('{"text": {"a": 1}, "label": "x"}', "'text' is not a text but {\"a\": 1}"),
        ('{"text": ["a", 1], "label": "x"}', "a token of 'text' is not a text but 1"),
        ('{"text": ["a", " "], "label": "x"}', "a token is empty"),
        ('{"text": [], "label": "x"}', "the text has no token that could be scored"),
        ('{"text": "a", "label": NaN}', "'label' is NaN, no number"),
        ('{"text": "a", "label": null}', "'label' is empty"),
        ('{"label": "x"}', "no column 'text'; it has label"),
        (r'{"text": "a \ud800", "label": "x"}', "'text' holds half a character"),
        (r'{"text": "a", "label": "\udc00x"}', "'label' holds half a character"),
        (r'{"text": "a\u0000b", "label": "x"}', "'text' holds a null character"),
        (r'{"\ud800": "a", "label": "x"}', r"no column 'text'; it has \ud800, label"),
        ('{"text": "a", "label": ["x"]}', "'label' is not a text but [\"x\"]"),
        ('{"text": "a", "label": {"x": 1}}', "'label' is not a text but {\"x\": 1}"),
        ('{"text": "a", "label": ' + "9" * 5_000 + "}", "not JSON: an integer of 5,000 digits"),
        ("[" * 100_000, "not JSON: nested too deeply"),
        ("\0", "not JSON: Expecting value"),
    ],
)
def test_a_line_of_jsonl_that_cannot_be_used_is_left_out(
    tmp_path: Path, line: str, message: str
) -> None:
    content = as_jsonl(ROWS[:1]) + line + "\n"
    found = left_out(tmp_path, "jsonl", content)
    assert found.startswith(f"row 2: {message}")
    assert len(found) < 200


def test_there_is_no_depth_of_nesting_that_is_not_said_in_a_line(tmp_path: Path) -> None:
    # Python's limit is near a thousand: what can just be parsed can no longer be shown.
    for depth in range(700, 1_010, 5):
        line = '{"text": "a", "label": ' + "[" * depth + "]" * depth + "}\n"
        assert left_out(tmp_path, "jsonl", line).startswith("row 1: ")


@pytest.mark.parametrize("column", ["part", "marks"])
@pytest.mark.parametrize("value", [r'"\ud800"', "[" * 600 + "]" * 600, "{}", '[{"x": []}, 0]'])
def test_other_cells_that_cannot_be_used_are_named_too(tmp_path: Path, column: str, value: str) -> None:
    content = f'{{"text": "a b", "label": "x", "part": "train", "marks": "0 1", "{column}": {value}}}\n'
    found = left_out(tmp_path, "jsonl", content, split="part", rationale="marks")
    assert found.startswith("row 1: ")
    assert len(found) < 200


@pytest.mark.parametrize("marks", ["1.5", "{}", "true", "[1]", '[1, "x"]', "[true, false]"])
def test_a_rationale_of_jsonl_that_is_not_of_marks_is_named(tmp_path: Path, marks: str) -> None:
    content = f'{{"text": "a b", "label": "x", "marks": {marks}}}\n'
    assert left_out(tmp_path, "jsonl", content, rationale="marks") == (
        "row 1: the rationale must be 2 marks of 0 or 1, one for each token"
    )


def test_a_null_character_in_csv_is_named(tmp_path: Path) -> None:
    found = left_out(tmp_path, "csv", "text,label\nfine,x\nfi\0ne,y\n")
    assert found == "row 2: 'text' holds a null character"


@pytest.mark.parametrize("column", ["text", "label", "part", "marks"])
def test_a_column_that_is_used_cannot_be_there_twice(tmp_path: Path, column: str) -> None:
    content = f"text,label,part,marks,{column},other,other\na,x,train,1,b,,\n"
    found = problem(tmp_path, "csv", content, split="part", rationale="marks")
    assert found == f"own.csv has 2 columns '{column}'"
    assert len(read(tmp_path, "csv", "text,label,other,other\na,x,,\n")) == 1


@both_kinds
def test_a_class_is_named_once(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UserError) as caught:
        validate({"data": {"type": kind, "path": "x", "labels": ["a", "b", "a"]}}, origin="file.json")
    assert str(caught.value) == "file.json: data.labels: 'a' stands here twice"


@both_kinds
@pytest.mark.parametrize("given", [True, False])
def test_very_many_classes_are_read_in_one_pass_and_a_message_names_ten(
    tmp_path: Path, kind: str, given: bool
) -> None:
    parts = ("train", "dev", "test")
    rows: list[Row] = [{"text": "w", "label": f"c{n}", "part": p} for n in range(MANY) for p in parts]
    labels = {"labels": [f"c{n}" for n in range(MANY)]} if given else {}
    options = {"type": kind, "path": "own", "split": "part"} | labels
    reader = READERS.bind(READERS.spec(options))
    (tmp_path / "own").write_text(WRITERS[kind]([*rows, rows[-1] | {"label": "no"}]))
    corpus = build_corpus(reader, DataFolder(tmp_path))
    assert len(corpus.classes) == MANY
    assert corpus.classes[corpus.splits["test"].labels[-1]] == f"c{MANY - 1}"
    (line,) = [one.line() for one in corpus.left_out]
    assert line.endswith(
        f", … and {MANY - 10:,} more]" if given else "(0 in train, 0 in dev, 1 in test)"
    )
    assert len(line) < 300


@both_kinds
def test_a_message_names_ten_columns(tmp_path: Path, kind: str) -> None:
    rows: list[Row] = [{f"q{n}": "1" for n in range(5_000)}]
    say = problem if kind == "csv" else left_out
    found = say(tmp_path, kind, WRITERS[kind](rows))
    assert found.endswith(
        "no column 'text'; it has q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, … and 4,990 more"
    )


@both_kinds
@pytest.mark.parametrize("key", ["text", "label"])
def test_a_message_is_a_line_whatever_a_cell_holds(tmp_path: Path, kind: str, key: str) -> None:
    rows = [ROWS[0] | {key: "one\ntwo " + "x" * 99_999}]
    assert len(left_out(tmp_path, kind, WRITERS[kind](rows), labels=["a", "b"])) < 400


@pytest.mark.parametrize(("line", "cells"), [("one, two,x", 3), ("alone", 1)])
def test_a_row_of_csv_with_more_or_fewer_cells_than_the_header_is_named(
    tmp_path: Path, line: str, cells: int
) -> None:
    found = left_out(tmp_path, "csv", f"text,label\nfine,x\n{line}\n")
    assert found == f"row 2: {cells} cells, but the header has 2 (line 3)"


@both_kinds
def test_a_truncated_gz_file_is_named(tmp_path: Path, kind: str) -> None:
    rows: list[Row] = [{"text": f"text number {i}", "label": "x"} for i in range(2000)]
    whole = gzip.compress(WRITERS[kind](rows).encode())
    (tmp_path / "own.gz").write_bytes(whole[: len(whole) // 2])
    reader = READERS.bind(READERS.spec({"type": kind, "path": "own.gz"}))
    with pytest.raises(UserError, match=r"own\.gz is truncated or damaged: "):
        list(reader.documents(DataFolder(tmp_path)))


@both_kinds
def test_a_file_that_is_not_in_the_encoding_said_is_named(tmp_path: Path, kind: str) -> None:
    content = WRITERS[kind]([{"text": "XX", "label": "x"}]).replace("XX", "café").encode("latin-1")
    assert "is not UTF-8 text" in problem(tmp_path, kind, content, encoding="utf-8")
    (document,) = read(tmp_path, kind, content, encoding="latin-1")
    assert document.tokens == ["café"]


@both_kinds
@pytest.mark.parametrize("name", ["gone.csv", "folder"])
def test_a_file_that_is_not_there_is_missing_data(tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / "folder").mkdir()
    reader = READERS.bind(READERS.spec({"type": kind, "path": name}))
    with pytest.raises(MissingData, match=f"^{name} is missing: put it into {tmp_path} or "):
        reader.files(DataFolder(tmp_path))
