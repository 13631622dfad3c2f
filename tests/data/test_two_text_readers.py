"""The readers of SNLI, bAbI, CNN questions and tables with a query, on files written here."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from own_tables import Row, both_kinds, found_in, read_rows

from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut
from attex.data.reader import READERS, SPLITS, Document, Reader, Remark
from attex.foundations.errors import MissingData, UserError

STORY = """1 Ann moved to the hall.
2 Bob took the ball there.
3 Where is Ann? \thall\t1
4 Bob went back to the yard.
5 Where is the ball?\tyard\t2 4
1 Bob moved to the hall.
2 Where is Bob? \thall\t1
"""


def bound(dataset: str, **options: object) -> Reader:
    reader: Reader = READERS.bind(READERS.spec({"type": dataset} | options))
    return reader


def read(folder: Path, dataset: str, **options: object) -> list[Document | LeftOut | Remark]:
    return list(bound(dataset, **options).documents(DataFolder(folder)))


def pairs(*rows: tuple[str, str, str]) -> str:
    fields = ("gold_label", "sentence1", "sentence2")
    return "".join(json.dumps(dict(zip(fields, row, strict=True))) + "\n" for row in rows)


def write_snli(folder: Path, train: str, place: str = "snli", packed: bool = False) -> None:
    (folder / place).mkdir(parents=True)
    other = pairs(("neutral", "A cat.", "It sleeps."))
    for split in SPLITS:
        content = (train if split == "train" else other).encode()
        name = folder / place / f"snli_1.0_{split}.jsonl{'.gz' * packed}"
        name.write_bytes(gzip.compress(content) if packed else content)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("place", ["snli", "snli/snli_1.0"])
def test_snli_attends_to_the_premise_and_asks_the_hypothesis(
    tmp_path: Path, packed: bool, place: str
) -> None:
    train = pairs(
        ("entailment", "Two men, aged 40, don't smile.", "Some MEN."),
        ("-", "A dog.", "A cat."),
        ("contradiction", "A dog.", " "),
    )
    write_snli(tmp_path, train, place, packed)
    first, unsure, empty, *others = read(tmp_path, "snli")
    assert first == Document(
        "train/1",
        "train",
        ["two", "men", ",", "aged", "qqq", ",", "do", "n't", "smile", "."],
        "entailment",
        query=["some", "men", "."],
    )
    assert isinstance(unsure, LeftOut)
    assert (unsure.name, unsure.asked) == ("train/2", True)
    assert unsure.reason == "the annotators did not agree on a label"
    assert isinstance(empty, LeftOut)
    assert (empty.name, empty.asked, empty.reason) == ("train/3", False, "the hypothesis has no token")
    assert [one.split for one in others if isinstance(one, Document)] == ["dev", "test"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not an object with the texts gold_label, sentence1, sentence2"),
        ('{"gold_label": "neutral", "sentence1": 3, "sentence2": "b"}', "is not an object with"),
        (pairs(("maybe", "a", "b")), "gold_label is none of contradiction, entailment, neutral or -"),
    ],
)
def test_a_line_of_snli_that_is_none_is_named(tmp_path: Path, line: str, message: str) -> None:
    write_snli(tmp_path, pairs(("neutral", "a", "b")) + line)
    with pytest.raises(UserError, match=r"snli_1.0_train.jsonl line 2") as caught:
        read(tmp_path, "snli")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def write_babi(folder: Path, content: str, size: str = "en-10k") -> None:
    place = folder / "babi" / "tasks_1-20_v1-2" / size
    place.mkdir(parents=True)
    for part in ("train", "test"):
        (place / f"qa2_two-supporting-facts_{part}.txt").write_text(content)


def test_babi_joins_the_facts_told_so_far_and_marks_those_that_answer(tmp_path: Path) -> None:
    story = STORY.replace("ball", "apple").replace("hall", "hallway").replace("yard", "garden")
    write_babi(tmp_path, story)
    found = [one for one in read(tmp_path, "babi", task=2) if isinstance(one, Document)]
    assert [one.name for one in found if one.split == "test"] == [
        f"qa2/en-10k/test/{n}" for n in (1, 2, 3)
    ]
    _, second, third = found[3:]
    sentences = "Ann moved to the hallway . Bob took the apple there . Bob went back to the garden"
    assert " ".join(second.tokens) == sentences
    assert second.truth is not None
    marked = [word for word, mark in zip(second.tokens, second.truth, strict=True) if mark]
    assert " ".join(marked) == "Bob took the apple there Bob went back to the garden"
    assert (second.query, second.label) == (["Where", "is", "the", "apple"], "garden")
    assert (third.tokens, third.label) == (["Bob", "moved", "to", "the", "hallway"], "hallway")
    assert third.query == ["Where", "is", "Bob"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 Ann moved to the hall.\nWhere is Ann?", "line 2 is not a number and a sentence"),
        ("1 Ann moved.\n2 Where is Ann?\thallway\t3\n", "line 2 is not a question, its answer and"),
        ("1 Ann moved.\n2 Where is Ann?\thallway\n", "line 2 is not a question, its answer and"),
        ("1 Ann moved.\n2 ?\thallway\t1\n", "line 2 is not a question, its answer and"),
        ("1 Ann moved.\n2 Where?\tmoon\t1\n", "line 2: 'moon' is none of the 36 words of the tasks"),
    ],
)
def test_a_line_of_babi_that_is_none_is_named(tmp_path: Path, content: str, message: str) -> None:
    write_babi(tmp_path, content)
    with pytest.raises(UserError, match=r"qa2_two-supporting-facts_train.txt") as caught:
        read(tmp_path, "babi", task=2)
    assert message in str(caught.value)


def test_babi_names_the_file_of_its_task_and_size_that_is_missing(tmp_path: Path) -> None:
    write_babi(tmp_path, STORY)
    with pytest.raises(MissingData, match=r"en/qa2_two-supporting-facts_train.txt is missing"):
        read(tmp_path, "babi", task=2, size="en")


QUESTIONS = {
    "train": [
        ("@placeholder met @entity2 in the hall", "@entity1", "( @entity1 ) saw @entity2 today"),
        ("@placeholder won", "@entity3", "@entity3 beat @entity1 , said @entity3"),
        ("@placeholder lost", "@entity9", "@entity3 beat @entity1"),
    ],
    "dev": [("@placeholder left", "@entity2", "@entity2 and @entity7 left")],
    "test": [
        ("@placeholder came", "@entity1", "@entity1 came"),
        ("@placeholder went", "@entity8", "@entity8 went"),
    ],
}


def as_records(folder: Path) -> None:
    (folder / "cnn_qa").mkdir()
    for split, found in QUESTIONS.items():
        text = "\n\n".join(f"{question}\n{answer}\n{article}" for question, answer, article in found)
        (folder / "cnn_qa" / f"{split}.txt").write_text(text + "\n\n")


def as_single_files(folder: Path) -> None:
    names = {"train": "training", "dev": "validation", "test": "test"}
    for split, found in QUESTIONS.items():
        place = folder / "cnn_qa" / "questions" / names[split]
        place.mkdir(parents=True)
        for number, (question, answer, article) in enumerate(found, 1):
            parts = ["http://example.org/", article, question, answer, "@entity1:Ann\n@entity2:Bob"]
            (place / f"{split}{number}.question").write_text("\n\n".join(parts) + "\n")


@pytest.mark.parametrize("write", [as_records, as_single_files])
def test_cnn_questions_seek_the_answer_among_the_entities_of_the_article(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    write(tmp_path)
    found = read(tmp_path, "cnn_qa")
    kept = [one for one in found if isinstance(one, Document)]
    first = kept[0]
    assert first.tokens == ["(", "@entity1", ")", "saw", "@entity2", "today"]
    assert first.query == ["@placeholder", "met", "@entity2", "in", "the", "hall"]
    assert (first.label, first.candidates) == ("@entity1", {"@entity1", "@entity2"})
    assert [(one.split, one.label) for one in kept[1:]] == [
        ("train", "@entity3"),
        ("dev", "@entity2"),
        ("test", "@entity1"),
    ]
    reasons = [one.reason for one in found if isinstance(one, LeftOut)]
    assert reasons == [
        "the answer is no entity of its article",
        "the answer is no entity of the training articles",
    ]
    corpus = build_corpus(bound("cnn_qa", min_frequency=1), DataFolder(tmp_path))
    assert corpus.classes == ["@entity1", "@entity2", "@entity3"]
    marks = corpus.splits["dev"].candidates
    assert marks is not None
    assert marks.tolist() == [[False, True, False]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q\na\n\nq\na\np\n", "line 1 is not a question, its answer and its article"),
        ("q\na\np\n\n\nq\na", "line 6 is not a question, its answer and its article"),
    ],
)
def test_a_record_of_cnn_that_is_none_is_named(tmp_path: Path, content: str, message: str) -> None:
    as_records(tmp_path)
    (tmp_path / "cnn_qa" / "train.txt").write_text(content)
    with pytest.raises(UserError) as caught:
        read(tmp_path, "cnn_qa")
    assert str(caught.value) == f"{tmp_path / 'cnn_qa' / 'train.txt'} {message}"


def asked(**changed: object) -> Row:
    row = {"text": "Ann is in.", "ask": "Where is Ann?", "label": "in", "can": "in; out"}
    return row | changed


@both_kinds
def test_a_table_may_have_a_query_and_candidates(tmp_path: Path, kind: str) -> None:
    rows = [asked(), asked(ask="Who?", label="out", can="")]
    first, second = read_rows(tmp_path, kind, rows, query="ask", candidates="can")
    assert first.query == ["where", "is", "ann", "?"]
    assert first.candidates == {"in", "out"}
    assert (second.query, second.candidates) == (["who", "?"], None)


def test_a_query_in_jsonl_may_be_tokens_and_candidates_a_list(tmp_path: Path) -> None:
    rows = [asked(ask=["Who", "is", "in"], label=1, can=[1, 2])]
    (found,) = read_rows(tmp_path, "jsonl", rows, query="ask", candidates="can")
    assert (found.query, found.candidates) == (["Who", "is", "in"], {"1", "2"})


@both_kinds
@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"ask": "  "}, "row 2: the query is empty: nothing is asked of the text"),
        (
            {"can": "out;near"},
            "row 2: label 'in' is not among its candidates ['near', 'out']",
        ),
    ],
)
def test_a_row_that_cannot_be_answered_is_left_out_with_its_number(
    tmp_path: Path, kind: str, changed: Row, line: str
) -> None:
    rows = [asked(), asked(**changed)]
    content = json.dumps(rows[0]) + "\n" + json.dumps(rows[1]) + "\n"
    if kind == "csv":
        content = "text,ask,label,can\n" + "".join(
            ",".join(f'"{cell}"' for cell in row.values()) + "\n" for row in rows
        )
    found = found_in(tmp_path, kind, content, query="ask", candidates="can")
    (fault,) = (one for one in found if isinstance(one, LeftOut))
    assert fault.line("row") == line


def test_a_smaller_training_set_knows_fewer_words_and_leaves_the_rest_alone() -> None:
    whole = build_corpus(bound("planted", task="question"), DataFolder(Path()))
    reader = bound("planted", task="question", train_share=0.01, min_frequency=2)
    part = build_corpus(reader, DataFolder(Path()))
    assert part.facts["read"] == whole.facts["read"]
    assert part.facts["kept"] == {"train": 20, "dev": 300, "test": 300}
    assert part.facts["left_out"] == {"beyond the limit of texts": 1980}
    assert part.splits["train"].names == [f"question/0/train/{100 * i}" for i in range(20)]
    assert part.vocabulary_size < whole.vocabulary_size
    assert part.splits["test"].names == whole.splits["test"].names


def test_fewer_test_texts_are_evenly_spaced_and_nothing_else_changes() -> None:
    whole = build_corpus(bound("planted"), DataFolder(Path()))
    part = build_corpus(bound("planted", test_limit=20), DataFolder(Path()))
    assert part.splits["test"].names == whole.splits["test"].names[::15]
    assert part.facts["left_out"] == {"beyond the limit of texts": 280}
    assert part.vocabulary == whole.vocabulary
    for split in ("train", "dev"):
        assert part.splits[split].names == whole.splits[split].names
    fewest = build_corpus(bound("planted", test_limit=20, limit=5), DataFolder(Path()))
    assert len(fewest.splits["test"]) == 5


def test_texts_are_cut_with_their_marks_and_their_queries_are_not() -> None:
    whole = build_corpus(bound("planted", task="question"), DataFolder(Path()))
    cut = build_corpus(bound("planted", task="question", first_tokens=9), DataFolder(Path()))
    longer = 0
    for split, part in whole.splits.items():
        marks = cut.splits[split].truth
        assert part.truth is not None
        assert marks is not None
        for number in range(len(part)):
            words = whole.tokens(split, number)
            longer += len(words) > 9
            assert cut.tokens(split, number) == words[:9]
            assert cut.query_tokens(split, number) == whole.query_tokens(split, number)
            first, last = part.starts[number], part.starts[number + 1]
            start, end = cut.splits[split].starts[number : number + 2]
            assert marks[start:end].tolist() == part.truth[first:last].tolist()[:9]
    assert longer > 0
    assert cut.facts["remarks"] == [f"cut after 9 tokens: {longer:,} texts"]


def test_what_joined_later_is_no_part_of_a_key_at_its_default() -> None:
    for name in ("test_limit", "first_tokens"):
        assert name not in READERS.spec("planted").settings()
        assert READERS.spec({"type": "planted", name: 7}).settings()[name] == 7
