"""A corpus against scikit-learn's vocabulary and against counts made by hand."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from sklearn.feature_extraction.text import CountVectorizer

from attex.data.corpus import SPECIALS, Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import SPLITS, Document, Reader
from attex.data.split import stable_id
from attex.foundations.errors import UserError

NOWHERE = DataFolder(Path("there-is-no-such-folder"))


@dataclass(frozen=True, kw_only=True)
class Given(Reader):
    """Documents made up by a test."""

    given: list[Document]
    labels: tuple[str, ...] = ()

    def class_names(self) -> tuple[str, ...]:
        return self.labels

    def files(self, folder: DataFolder) -> list[Path]:
        return []

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        yield from self.given


def texts(split: str, *lines: str, labels: str = "ab") -> list[Document]:
    """One document for each line, the labels taken in turn."""
    return [
        Document(f"{split}/{number}", split, line.split(), labels[number % len(labels)])
        for number, line in enumerate(lines)
    ]


def of_lengths(split: str, lengths: range) -> list[Document]:
    return texts(split, *(" ".join(["word"] * length) for length in lengths))


def build(*documents: list[Document], **options: object) -> Corpus:
    """Build a corpus; a split that a test leaves out has two texts."""
    given = [document for part in documents for document in part]
    for split in SPLITS:
        if not any(document.split == split for document in given):
            given += texts(split, "one word", "two words")
    return build_corpus(Given(given=given, **options), NOWHERE)


def kept_lengths(corpus: Corpus, split: str) -> list[int]:
    return corpus.splits[split].lengths.tolist()


@pytest.mark.parametrize("min_frequency", [1, 2, 3, 7])
def test_the_vocabulary_is_scikit_learns_with_min_df(min_frequency: int) -> None:
    rng = random.Random(min_frequency)
    words = [f"w{number}" for number in range(60)]
    lines = [
        " ".join(rng.choices(words, weights=range(60, 0, -1), k=rng.randint(1, 12))) for _ in range(80)
    ]
    oracle = CountVectorizer(
        min_df=min_frequency, tokenizer=str.split, token_pattern=None, lowercase=False
    ).fit(lines)
    corpus = build(texts("train", *lines), min_frequency=min_frequency)
    assert tuple(corpus.vocabulary[:4]) == SPECIALS
    assert corpus.vocabulary[4:] == oracle.get_feature_names_out().tolist()
    assert corpus.facts["vocabulary"] == len(oracle.vocabulary_) + 4


def test_a_word_is_counted_once_a_text() -> None:
    corpus = build(texts("train", "a a a b", "b c"), min_frequency=2)
    assert corpus.vocabulary[4:] == ["b"]


def test_training_texts_that_the_length_filter_drops_still_count_for_the_vocabulary() -> None:
    corpus = build(texts("train", "one two three", "four five six", "short"), min_tokens=2)
    assert "short" in corpus.vocabulary
    assert len(corpus.splits["train"]) == 2


def test_unknown_words_are_shown_as_written_and_their_share_is_counted() -> None:
    corpus = build(
        texts("train", "a b", "b c"),
        texts("dev", "a b", "c b"),
        texts("test", "a new b", "c other new b a"),
    )
    assert corpus.tokens("test", 0) == ["a", "new", "b"]
    assert corpus.tokens("test", 1) == ["c", "other", "new", "b", "a"]
    assert corpus.vocabulary[4:] == ["a", "b", "c"]
    assert corpus.facts["unknown_share"] == {"train": 0.0, "dev": 0.0, "test": pytest.approx(3 / 8)}


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({}, range(1, 11)),
        ({"min_tokens": 3}, range(3, 11)),
        ({"max_tokens": 7}, range(1, 8)),
        ({"min_tokens": 3, "max_tokens": 7}, range(3, 8)),
        ({"min_tokens": 5, "max_tokens": 6}, range(5, 7)),
    ],
)
def test_limits_of_length_are_inclusive(limits: dict[str, int], kept: range) -> None:
    corpus = build(*(of_lengths(split, range(1, 11)) for split in SPLITS), **limits)
    for split in SPLITS:
        assert kept_lengths(corpus, split) == list(kept)
        assert corpus.facts["read"][split] == 10
        assert corpus.facts["kept"][split] == len(kept)


@pytest.mark.parametrize(
    ("limits", "train", "dev"),
    [
        ({}, range(3, 9), range(6, 12)),
        ({"min_tokens": 4}, range(4, 9), range(5, 12)),
        ({"max_tokens": 8}, range(3, 9), range(6, 9)),
        ({"min_tokens": 4, "max_tokens": 8}, range(4, 9), range(5, 9)),
    ],
)
def test_dropping_extremes_takes_each_splits_own_shortest_and_longest_for_a_missing_bound(
    limits: dict[str, int], train: range, dev: range
) -> None:
    documents = of_lengths("train", range(2, 10)), of_lengths("dev", range(5, 13))
    corpus = build(*documents, of_lengths("test", range(1, 20)), drop_extremes=True, **limits)
    assert kept_lengths(corpus, "train") == list(train)
    assert kept_lengths(corpus, "dev") == list(dev)


@pytest.mark.parametrize("limit", [2, 3, 7, 10, 99])
def test_a_limit_keeps_evenly_spaced_texts(limit: int) -> None:
    corpus = build(of_lengths("train", range(1, 11)), labels=("a", "b"), limit=limit)
    kept = kept_lengths(corpus, "train")
    gaps = {after - before for before, after in pairwise(kept)}
    assert len(kept) == min(limit, 10)
    assert kept[0] == 1
    assert max(gaps) - min(gaps) <= 1


def test_texts_that_are_in_train_too_are_counted() -> None:
    corpus = build(
        texts("train", "a b c", "d e", "d e"),
        texts("dev", "a b c", "c b a", "a b"),
        texts("test", "d e", "d e", "a b c", "x"),
    )
    assert corpus.facts["also_in_train"] == {"dev": 1, "test": 3}


def test_a_text_lies_between_its_starts_with_its_label_and_its_name() -> None:
    corpus = build(texts("dev", "x y z", "y", "z z", labels="ba"), texts("train", "x y", "z"))
    part = corpus.splits["dev"]
    assert part.starts.tolist() == [0, 3, 4, 6]
    assert part.labels.tolist() == [1, 0, 1]
    assert part.names == ["dev/0", "dev/1", "dev/2"]
    assert part.ids.tolist() == [stable_id(name) for name in part.names]
    assert len(part) == 3


def test_an_id_depends_on_the_name_only() -> None:
    one = build(texts("train", "a b", "c d"))
    other = build(texts("train", "q", "r", "s", "t"), min_frequency=1)
    assert one.splits["train"].ids.tolist() == other.splits["train"].ids.tolist()[:2]
    assert len({stable_id(str(number)) for number in range(10_000)}) == 10_000


def test_classes_are_those_of_train_in_order_or_as_the_reader_says() -> None:
    documents = texts("train", "a", "b", "c", labels="zxy")
    rest = texts("dev", "a", labels="x") + texts("test", "a", labels="z")
    assert build(documents, rest).classes == ["x", "y", "z"]
    said = build(documents, rest, labels=("z", "y", "x"))
    assert said.classes == ["z", "y", "x"]
    assert said.splits["train"].labels.tolist() == [0, 2, 1]


def test_truth_is_flat_and_a_text_without_it_has_none_marked() -> None:
    documents = [
        Document("0", "test", ["a", "b"], "a", [False, True]),
        Document("1", "test", ["c"], "b"),
    ]
    corpus = build(documents)
    assert corpus.splits["test"].truth is not None
    assert corpus.splits["test"].truth.tolist() == [False, True, False]
    assert corpus.splits["train"].truth is None


def test_a_corpus_comes_back_from_its_folder(tmp_path: Path) -> None:
    marked = [Document("né", "test", ["ö", "new"], "b", [True, False])]
    corpus = build(texts("train", "ö b c", "d e"), marked)
    corpus.save(tmp_path)
    found = Corpus.load(tmp_path)
    assert (found.lexicon, found.vocabulary_size) == (corpus.lexicon, corpus.vocabulary_size)
    assert (found.classes, found.facts) == (corpus.classes, corpus.facts)
    assert found.splits.keys() == corpus.splits.keys()
    for name, part in corpus.splits.items():
        again = found.splits[name]
        assert again.names == part.names
        for field in ("words", "starts", "labels", "ids"):
            assert torch.equal(getattr(again, field), getattr(part, field))
    assert found.splits["train"].truth is None
    assert found.splits["test"].truth is not None
    assert found.splits["test"].truth.tolist() == [True, False]


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        (
            texts("train", "a", "b", labels="x"),
            {"labels": ("a", "b", "x")},
            "the training texts have one class only: 'x'",
        ),
        (
            texts("test", "a", "b", labels="aq"),
            {},
            "text test/1 of test has label 'q', which is not one of ['a', 'b']",
        ),
        (
            texts("dev", "a", labels="c"),
            {"labels": ("a", "b")},
            "text dev/0 of dev has label 'c', which is not one of ['a', 'b']",
        ),
        (
            texts("dev", "a", "a b c"),
            {"min_tokens": 2, "max_tokens": 2},
            "no text is left in the dev split (2 were read)",
        ),
    ],
)
def test_what_cannot_be_trained_or_tested_is_said(
    documents: list[Document], options: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        build(documents, **options)
    assert str(caught.value) == message


def test_a_split_without_any_text_is_said() -> None:
    documents = texts("train", "a", "b") + texts("dev", "a", "b")
    with pytest.raises(UserError, match=r"^no text is left in the test split \(0 were read\)$"):
        build_corpus(Given(given=documents), NOWHERE)
