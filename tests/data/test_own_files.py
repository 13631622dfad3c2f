"""A user's own csv and jsonl files, written here by hand: what is read of them."""

import gzip
from pathlib import Path

import pytest
from own_tables import ROWS, TOKENS, WRITERS, Row, both_kinds, read, read_rows

from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS


@both_kinds
def test_a_split_column_is_followed(tmp_path: Path, kind: str) -> None:
    found = read_rows(tmp_path, kind, ROWS, split="part")
    assert [document.split for document in found] == ["train", "train", "dev", "test"]
    assert [document.tokens for document in found] == TOKENS
    assert [document.label for document in found] == ["pos", "neg", "pos", "neg"]
    assert [document.name for document in found] == ["1", "2", "3", "4"]
    assert all(document.truth is None for document in found)


@both_kinds
def test_without_a_split_column_a_fifth_of_the_rows_is_test_and_a_tenth_dev(
    tmp_path: Path, kind: str
) -> None:
    rows: list[Row] = [{"text": "some words", "label": i % 10} for i in range(4000)]
    found = read_rows(tmp_path, kind, rows)
    splits = [document.split for document in found]
    for split, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        deviation = (share * (1 - share) / 4000) ** 0.5
        assert splits.count(split) / 4000 == pytest.approx(share, abs=4 * deviation)
        assert len({document.label for document in found if document.split == split}) == 10
    fewer = read_rows(tmp_path, kind, rows[:500])
    assert [document.split for document in fewer] == splits[:500]


@both_kinds
def test_a_rationale_marks_the_tokens_that_decide(tmp_path: Path, kind: str) -> None:
    found = read_rows(tmp_path, kind, ROWS, rationale="marks")
    marked = [[t for t, m in zip(d.tokens, d.truth or [], strict=True) if m] for d in found]
    assert marked == [["good", "good"], ["bad"], ["fine"], ["not", "ok"]]


@both_kinds
def test_what_is_impermissible_is_a_column_of_marks_or_a_list_of_words(
    tmp_path: Path, kind: str
) -> None:
    by_marks = read_rows(tmp_path, kind, ROWS, impermissible="marks")
    hidden = [[t for t, m in zip(d.tokens, d.impermissible or [], strict=True) if m] for d in by_marks]
    assert hidden == [["good", "good"], ["bad"], ["fine"], ["not", "ok"]]
    assert all(document.truth is None for document in by_marks)
    by_words = read_rows(tmp_path, kind, ROWS, impermissible=["good", "ok", "day"])
    hidden = [[t for t, m in zip(d.tokens, d.impermissible or [], strict=True) if m] for d in by_words]
    assert hidden == [["good", "good"], ["day"], [], ["ok"]]


def test_a_rationale_in_jsonl_may_be_a_list_or_a_lone_number(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"text": "a b", "label": "x", "marks": [0, 1]},
        {"text": "a", "label": "y", "marks": 1},
    ]
    found = read_rows(tmp_path, "jsonl", rows, rationale="marks")
    assert [document.truth for document in found] == [[False, True], [True]]


@both_kinds
def test_columns_may_have_other_names(tmp_path: Path, kind: str) -> None:
    rows: list[Row] = [{"body": "hello", "stars": 5}, {"body": "bye", "stars": 1}]
    found = read_rows(tmp_path, kind, rows, text="body", label="stars")
    assert [(d.tokens, d.label) for d in found] == [(["hello"], "5"), (["bye"], "1")]


@both_kinds
@pytest.mark.parametrize("labels", [("neg", "pos"), ("pos", "neg")])
def test_given_labels_fix_the_order_of_the_classes(
    tmp_path: Path, kind: str, labels: tuple[str, ...]
) -> None:
    (tmp_path / f"own.{kind}").write_text(WRITERS[kind](ROWS))
    spec = {"type": kind, "path": f"own.{kind}", "split": "part", "labels": labels}
    corpus = build_corpus(READERS.bind(READERS.spec(spec)), DataFolder(tmp_path))
    assert corpus.classes == list(labels)
    assert corpus.splits["train"].labels.tolist() == [labels.index("pos"), labels.index("neg")]


@both_kinds
@pytest.mark.parametrize(
    ("tokenizer", "tokens"),
    [
        ("words_and_marks", ["it's", "a", "well", "-", "made", "café", "!"]),
        ("words_only", ["it", "s", "a", "well", "made", "café"]),
        ("whitespace", ["It's", "a", "well-made", "Café!"]),
    ],
)
def test_the_tokenizer_can_be_chosen(
    tmp_path: Path, kind: str, tokenizer: str, tokens: list[str]
) -> None:
    rows: list[Row] = [{"text": "It's a  well-made Café!", "label": "x"}]
    assert read_rows(tmp_path, kind, rows, tokenizer=tokenizer)[0].tokens == tokens


@both_kinds
def test_a_file_may_be_gzipped(tmp_path: Path, kind: str) -> None:
    (tmp_path / f"own.{kind}.gz").write_bytes(gzip.compress(WRITERS[kind](ROWS).encode()))
    spec = READERS.spec({"type": kind, "path": f"own.{kind}.gz"})
    found = READERS.bind(spec).documents(DataFolder(tmp_path))
    assert [document.tokens for document in found] == TOKENS


@both_kinds
def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path, kind: str) -> None:
    found = read(tmp_path, kind, b"\xef\xbb\xbf" + WRITERS[kind](ROWS).encode())
    assert [document.tokens for document in found] == TOKENS


def test_blank_lines_of_jsonl_are_passed_over_and_rows_go_by_line(tmp_path: Path) -> None:
    found = read(tmp_path, "jsonl", '\n{"text": "a", "label": 1}\n\n{"text": "b", "label": 2}\n')
    assert [document.name for document in found] == ["2", "4"]


def test_a_cell_of_a_megabyte_is_read(tmp_path: Path) -> None:
    rows: list[Row] = [{"text": "word " * 200_000, "label": "x"}]
    assert len(read_rows(tmp_path, "csv", rows)[0].tokens) == 200_000


def test_jsonl_takes_lists_of_tokens_as_they_are(tmp_path: Path) -> None:
    rows: list[Row] = [{"text": ["New York", "IS", "!"], "label": "x", "marks": [1, 0, 0]}]
    (document,) = read_rows(tmp_path, "jsonl", rows, rationale="marks")
    assert document.tokens == ["New York", "IS", "!"]
    assert document.truth == [True, False, False]


@pytest.mark.parametrize("marks", ["1 0", "[1, 0]", "[1 0]", "1,0"])
def test_marks_may_stand_as_other_programs_write_lists(tmp_path: Path, marks: str) -> None:
    (document,) = read_rows(tmp_path, "csv", [{"text": "a b", "label": "x", "m": marks}], rationale="m")
    assert document.truth == [True, False]


@both_kinds
def test_an_empty_rationale_marks_nothing(tmp_path: Path, kind: str) -> None:
    rows: list[Row] = [{"text": "a b", "label": "x", "marks": " "}]
    assert [document.truth for document in read_rows(tmp_path, kind, rows, rationale="marks")] == [None]


@pytest.mark.parametrize(("name", "split"), [("validation", "dev"), ("Val ", "dev"), ("TRAIN", "train")])
def test_splits_may_have_their_other_names(tmp_path: Path, name: str, split: str) -> None:
    rows: list[Row] = [{"text": "a b", "label": "x", "part": name}]
    assert [document.split for document in read_rows(tmp_path, "csv", rows, split="part")] == [split]
