"""What is left out of a user's own table as a whole: classes, too much of it, a mistaken column."""

import json
from pathlib import Path

import pytest

from attex.config.loading import validate
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError


def corpus_of(folder: Path, rows: list[dict[str, object]], **options: object) -> Corpus:
    (folder / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    spec = READERS.spec({"type": "jsonl", "path": "own.jsonl"} | options)
    return build_corpus(READERS.bind(spec), DataFolder(folder))


def rows_of(*labels: object) -> list[dict[str, object]]:
    return [{"text": f"text {n}", "label": label} for n, label in enumerate(labels)]


@pytest.mark.parametrize("count", [3, 4, 7])
def test_a_class_of_three_texts_is_in_every_drawn_split(tmp_path: Path, count: int) -> None:
    corpus = corpus_of(tmp_path, rows_of(*"a" * 40, *"b" * count))
    assert not corpus.left_out
    for split in corpus.splits.values():
        assert {corpus.classes[label] for label in split.labels.tolist()} == {"a", "b"}


def test_a_class_of_fewer_is_left_out_and_listed(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, rows_of(*"ab" * 20, "c", "d", "d"))
    assert corpus.classes == ["a", "b"]
    assert sorted(one.name for one in corpus.left_out) == ["41", "42", "43"]
    assert corpus.facts["left_out"] == {"the class is not in every split": 3}
    assert Corpus.load(_saved(corpus, tmp_path)).left_out == corpus.left_out


def _saved(corpus: Corpus, folder: Path) -> Path:
    corpus.save(folder)
    return folder


def test_texts_beyond_a_bound_are_listed_and_those_beyond_a_limit_counted(tmp_path: Path) -> None:
    rows = [*rows_of(*"ab" * 30), {"text": "word " * 2000, "label": "a"}]
    corpus = corpus_of(tmp_path, rows, max_tokens=50, limit=10)
    assert [(one.name, one.detail, one.asked) for one in corpus.left_out] == [
        ("61", "2,000 tokens, more than 50", True)
    ]
    kept = sum(corpus.facts["kept"].values())
    assert corpus.facts["left_out"] == {
        "more tokens than 50": 1,
        "beyond the limit of texts": 60 - kept,
    }


def test_a_strict_reader_names_all_at_once_and_ten_of_them(tmp_path: Path) -> None:
    rows = [*rows_of(*"ab" * 40), *({"text": "", "label": "a"} for _ in range(20))]
    assert len(corpus_of(tmp_path, rows).left_out) == 20
    with pytest.raises(UserError) as caught:
        corpus_of(tmp_path, rows, strict=True)
    first, *lines = str(caught.value).splitlines()
    assert first.startswith("20 of 100 rows cannot be used (data.strict): 20 × the text has no token")
    assert lines[0] == "  row 81: the text has no token that could be scored"
    assert (len(lines), lines[-1]) == (11, "  … and 10 more")


@pytest.mark.parametrize(("bad", "refused"), [(40, False), (41, True)])
def test_more_than_half_of_the_rows_is_too_much(tmp_path: Path, bad: int, refused: bool) -> None:
    rows = [*rows_of(*"ab" * 20), *({"text": "", "label": "a"} for _ in range(bad))]
    if refused:
        with pytest.raises(UserError, match="which is more than half"):
            corpus_of(tmp_path, rows)
    else:
        assert len(corpus_of(tmp_path, rows).left_out) == bad


@pytest.mark.parametrize(
    "mistaken", [[*range(60)], [n / 7 for n in range(60)], [n // 2 * 0.5 for n in range(62)]]
)
def test_a_column_that_is_hardly_the_label_is_recognised(tmp_path: Path, mistaken: list[float]) -> None:
    rows = [{"text": "a b", "id": value, "stars": n % 3} for n, value in enumerate(mistaken)]
    with pytest.raises(UserError) as caught:
        corpus_of(tmp_path, rows, label="id")
    assert "column 'id' has " in str(caught.value)
    assert "It could be stars (3 different values: '0', '1', '2')" in str(caught.value)


def test_a_column_of_marks_switches_the_analysis_truth_on() -> None:
    data = {"type": "csv", "path": "own.csv", "rationale": "marks"}
    named = [analysis.type for analysis in validate({"data": data}).analyses]
    assert named == ["agreement", "truth"]
    asked = validate({"data": data, "analyses": [{"type": "truth"}, "erasure"]}).analyses
    assert [analysis.type for analysis in asked] == ["truth", "erasure"]
    assert validate({"data": data, "analyses": []}).analyses == ()
    assert len(validate({"data": data | {"rationale": None}}).analyses) == 1


def test_a_file_may_lie_beside_the_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    monkeypatch.chdir(here)
    (there / "own.csv").touch()
    assert DataFolder(Path("data"), there).own_file("own.csv") == there / "own.csv"
    (there / "own.csv").unlink()
    with pytest.raises(UserError) as caught:
        DataFolder(Path("data"), there).own_file("own.csv")
    assert f"put it into data or {here} or {there}, or name" in str(caught.value)
