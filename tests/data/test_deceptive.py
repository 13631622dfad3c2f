"""The reader of Pruthi et al.'s tasks, on files written here and on the real ones."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder, open_text
from attex.data.left_out import LeftOut
from attex.data.reader import READERS, SPLITS, Document
from attex.foundations.errors import MissingData, UserError

SIZES = {
    "pronoun": {"train": 9017, "dev": 1127, "test": 1127},
    "sst-wiki": {"train": 6920, "dev": 872, "test": 1821},
}


def documents(folder: Path, task: str) -> list[Document]:
    reader = READERS.bind(READERS.spec({"type": "deceptive", "task": task}))
    return [*reader.documents(DataFolder(folder))]  # type: ignore[list-item]


def write(folder: Path, task: str, lines: str, marks: str | None = None) -> None:
    place = folder / "deceptive" / task
    place.mkdir(parents=True)
    for split in SPLITS:
        (place / f"{split}.txt").write_text(lines, encoding="utf-8")
        if marks is not None:
            (place / f"{split}.txt.block").write_text(marks, encoding="utf-8")


def test_pronouns_are_marked_and_decide(tmp_path: Path) -> None:
    write(tmp_path, "pronoun", "M\tThen He gave Himself a rest\nF\tshell , hers and her\n")
    first, second, *rest = documents(tmp_path, "pronoun")
    assert first.tokens == ["then", "he", "gave", "himself", "a", "rest"]
    assert (first.label, first.truth) == ("he", [False, True, False, True, False, False])
    assert (second.label, second.truth) == ("she", [False, False, False, False, True])
    assert [one.split for one in rest] == ["dev", "dev", "test", "test"]
    assert len({one.name for one in (first, second, *rest)}) == 6


def test_marks_are_read_from_their_file(tmp_path: Path) -> None:
    write(tmp_path, "sst-wiki", "1\tGood one . Rome is old\n0\tno\n", "1 1 1 0 0 0\n1\n")
    first, second, *_ = documents(tmp_path, "sst-wiki")
    assert (first.label, first.truth) == ("positive", [True] * 3 + [False] * 3)
    assert (second.label, second.truth) == ("negative", [True])


@pytest.mark.parametrize(
    ("lines", "marks", "message"),
    [
        ("2\tgood\n", "1\n", "line 1 is not a label (0, 1), a tab and a text"),
        ("1 good\n", "1\n", "line 1 is not a label (0, 1), a tab and a text"),
        ("1\t \n", "1\n", "line 1 is not a label (0, 1), a tab and a text"),
        ("1\tgood one\n", "1\n", "line 1: its marks, '1', are not 2 of 0 or 1"),
        ("1\tgood\n", "x\n", "line 1: its marks, 'x', are not 1 of 0 or 1"),
        ("1\tgood\n1\tbad\n", "1\n", "line 2: its marks, '', are not 1 of 0 or 1"),
        ("1\tgood\n", "1\n1\n", "line 2 is not a label (0, 1), a tab and a text"),
    ],
)
def test_a_line_that_is_none_is_named(lines: str, marks: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, "sst-wiki", lines, marks)
    with pytest.raises(UserError) as caught:
        documents(tmp_path, "sst-wiki")
    assert str(caught.value).endswith(message)


def test_a_split_that_is_not_to_be_had_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "occupation-classification", "1\tshe operates\n")
    assert documents(tmp_path, "occupation")[0].truth is None
    (tmp_path / "deceptive" / "occupation-classification" / "train.txt").unlink()
    with pytest.raises(MissingData, match=r"train\.txt is missing"):
        documents(tmp_path, "occupation")


@pytest.fixture(scope="module", params=SIZES)
def real(request: pytest.FixtureRequest, real_data: DataFolder) -> tuple[str, Corpus]:
    reader = READERS.bind(READERS.spec({"type": "deceptive", "task": request.param}))
    return request.param, build_corpus(reader, real_data)


def test_the_real_files_have_the_published_sizes(real: tuple[str, Corpus]) -> None:
    task, corpus = real
    assert corpus.facts["kept"] == SIZES[task]


def test_what_decides_is_a_pronoun_or_a_sentence_of_sst(
    real: tuple[str, Corpus], real_data: DataFolder
) -> None:
    task, corpus = real
    for split, part in corpus.splits.items():
        assert part.truth is not None
        marked = []
        for i, (start, end) in enumerate(pairwise(part.starts.tolist())):
            pairs = zip(corpus.tokens(split, i), part.truth[start:end].tolist(), strict=True)
            marked.append([token for token, decides in pairs if decides])
        assert all(marked)
        if task == "sst-wiki":
            assert set(map(" ".join, marked)) <= sst_sentences(real_data, split)


def sst_sentences(folder: DataFolder, split: str) -> set[str]:
    """Read the sentences of SST off the leaves of its trees."""
    with open_text(folder.find(f"sst/{split}.txt", publisher="")) as file:
        leaves = (re.findall(r" ([^() ]+)\)", line) for line in file)
        # "8 1/2" is one leaf, with a space that does not break.
        return {" ".join(" ".join(words).lower().split()) for words in leaves}


def test_what_decides_is_impermissible_and_so_is_gender_where_it_does_not(tmp_path: Path) -> None:
    write(tmp_path, "pronoun", "M\tthen he slept\n")
    assert documents(tmp_path, "pronoun")[0].impermissible == [False, True, False]
    write(tmp_path, "sst-wiki", "1\tgood . Rome\n", "1 1 0\n")
    assert documents(tmp_path, "sst-wiki")[0].impermissible == [True, True, False]
    write(tmp_path, "occupation-classification", "1\tMs. Bell says she operates\n")
    (first, *_) = documents(tmp_path, "occupation")
    assert (first.impermissible, first.truth) == ([True, False, False, True, False], None)


def test_occupation_is_split_anew_where_its_training_texts_are_not_to_be_had(
    real_data: DataFolder,
) -> None:
    spec = {"type": "deceptive", "task": "occupation", "resplit": True}
    texts = [*READERS.bind(READERS.spec(spec)).documents(real_data)]
    assert len(texts) == 2519 + 5037
    shares = {split: sum(one.split == split for one in texts) / len(texts) for split in SPLITS}
    assert shares == pytest.approx({"train": 0.7, "dev": 0.1, "test": 0.2}, abs=0.01)
    # The published marks of the same texts, in files of their own.
    marks = []
    for split in ("dev", "test"):
        name = f"deceptive/occupation-classification/{split}.txt.block"
        with open_text(real_data.find(name, publisher="")) as file:
            marks += [[mark == "1" for mark in line.split()] for line in file]
    assert [one.impermissible for one in texts] == marks


def test_texts_come_without_their_impermissible_words(tmp_path: Path) -> None:
    write(tmp_path, "pronoun", "M\tThen He gave Himself a rest\nF\tshe\n")
    spec = {"type": "deceptive", "task": "pronoun", "removed": True}
    reader = READERS.bind(READERS.spec(spec))
    first, second, *_ = reader.documents(DataFolder(tmp_path))
    assert isinstance(first, Document)
    assert (first.tokens, first.impermissible, first.truth) == (
        ["then", "gave", "a", "rest"],
        None,
        None,
    )
    assert isinstance(second, LeftOut)
    assert second.reason == "every word is impermissible"
    assert reader.called() == "pronoun without impermissible tokens"
    anew = READERS.bind(READERS.spec({"type": "deceptive", "task": "occupation", "resplit": True}))
    assert anew.called() == "occupation dealt out anew", "no published number is of these texts"
