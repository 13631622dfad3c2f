"""Texts with a question: corpora against scikit-learn's vocabulary, batches against plain lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sklearn.feature_extraction.text import CountVectorizer

from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import SPLITS, Document, Reader
from attex.foundations.errors import UserError

NOWHERE = DataFolder(Path("there-is-no-such-folder"))
PAD, UNKNOWN, START, END = range(4)
WORDS = ["ada", "ben", "is", "in", "the", "hall", "yard", "where", "was", "who"]


@dataclass(frozen=True, kw_only=True)
class Given(Reader):
    """Documents made up by a test."""

    given: list[Document]

    def files(self, folder: DataFolder) -> list[Path]:
        return []

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        yield from self.given


def pairs(count: int = 8, seed: int = 0) -> list[Document]:
    """Draw texts with queries and candidates, so many of each split."""
    rng = np.random.default_rng(seed)

    def draw(least: int, most: int) -> list[str]:
        return rng.choice(WORDS, rng.integers(least, most)).tolist()

    return [
        Document(
            name=f"{split}/{number}",
            split=split,
            tokens=draw(1, 9),
            label="abc"[number % 3],
            query=draw(1, 6),
            candidates=frozenset("abc"[number % 3] + "abcd"[number % 4]),
        )
        for split in SPLITS
        for number in range(count)
    ]


def build(documents: list[Document], **options: object) -> Corpus:
    return build_corpus(Given(given=documents, **options), NOWHERE)


@pytest.mark.parametrize("least", [1, 3])
def test_the_vocabulary_counts_texts_and_queries_as_published(least: int) -> None:
    documents = pairs()
    train = [document for document in documents if document.split == "train"]
    lines = [" ".join(d.tokens) for d in train] + [" ".join(d.query or []) for d in train]
    outside = CountVectorizer(tokenizer=str.split, token_pattern=None, min_df=least).fit(lines)
    corpus = build(documents, min_frequency=least)
    assert corpus.vocabulary == [*SPECIALS, *sorted(outside.vocabulary_)]


def test_both_texts_can_be_shown_as_written() -> None:
    documents = pairs()
    corpus = build(documents, min_frequency=8)
    assert corpus.has_queries
    test = [document for document in documents if document.split == "test"]
    for number, document in enumerate(test):
        assert corpus.tokens("test", number) == document.tokens
        assert corpus.query_tokens("test", number) == document.query


def test_candidates_of_training_texts_are_classes_and_others_are_passed_over() -> None:
    documents = pairs()
    documents.append(Document("odd", "dev", ["hall"], "a", query=["who"], candidates=["a", "e"]))
    corpus = build(documents)
    assert corpus.classes == ["a", "b", "c", "d"]
    marks = corpus.splits["dev"].candidates
    assert marks is not None
    named = [document.candidates or () for document in documents if document.split == "dev"]
    assert marks.tolist() == [[label in found for label in "abcd"] for found in named]


def test_a_text_without_candidates_may_have_any_answer() -> None:
    documents = pairs()
    documents[0] = Document("free", "train", ["hall"], "a", query=["who"])
    marks = build(documents).splits["train"].candidates
    assert marks is not None
    assert marks[0].all()


def test_a_text_is_in_train_too_if_its_query_is() -> None:
    twice = [
        Document(f"{split}/{number}", split, ["the", "hall"], label, query=[word])
        for split, word in (("train", "where"), ("dev", "where"), ("test", "who"))
        for number, label in enumerate("ab")
    ]
    assert build(twice).facts["also_in_train"] == {"dev": 2, "test": 0}


def test_a_corpus_with_queries_comes_back_from_its_folder(tmp_path: Path) -> None:
    corpus = build(pairs())
    corpus.save(tmp_path)
    found = Corpus.load(tmp_path)
    for name, part in corpus.splits.items():
        again = found.splits[name].tensors()
        assert again.keys() == part.tensors().keys() >= {"query_words", "query_starts", "candidates"}
        assert all(torch.equal(again[key], value) for key, value in part.tensors().items())


def test_files_of_a_corpus_without_queries_know_nothing_of_them(tmp_path: Path) -> None:
    plain = [Document(d.name, d.split, d.tokens, d.label) for d in pairs()]
    corpus = build(plain)
    corpus.save(tmp_path)
    names = {f"{split}.{key}" for split in SPLITS for key in ("words", "starts", "labels", "ids")}
    assert load_file(tmp_path / "corpus.safetensors").keys() == names
    assert not corpus.has_queries
    assert corpus.query_tokens("test", 0) is None
    batch = Batcher(corpus, "test").batch([0, 1])
    assert (batch.query, batch.allowed) == (None, None)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": []}, "text odd of dev has an empty query: nothing is asked of the text"),
        ({"query": None}, "text odd of dev has an empty query: nothing is asked of the text"),
        (
            {"candidates": ["b", "c"]},
            "text odd of dev has the answer 'a', which is not among its candidates ['b', 'c']",
        ),
    ],
)
def test_a_text_that_cannot_be_answered_is_one_line_with_its_name(
    changed: dict[str, object], message: str
) -> None:
    odd = {"query": ["who"], "candidates": ["a"]} | changed
    with pytest.raises(UserError) as caught:
        build([*pairs(), Document("odd", "dev", ["hall"], "a", **odd)])  # type: ignore[arg-type]
    assert str(caught.value) == message


def padded(rows: list[list[int]], width: int) -> list[list[int]]:
    return [row + [PAD] * (width - len(row)) for row in rows]


@pytest.mark.parametrize("markers", [True, False])
@pytest.mark.parametrize("multiple", [1, 4])
def test_a_query_is_padded_by_itself(markers: bool, multiple: int) -> None:
    documents = pairs(seed=1)
    corpus = build(documents, min_frequency=10, markers=markers)
    known = {word: number for number, word in enumerate(corpus.vocabulary)}
    chosen = [5, 0, 3]
    test = [document for document in documents if document.split == "test"]
    around = ([START], [END]) if markers else ([], [])
    rows = []
    for number in chosen:
        words = [known.get(word, UNKNOWN) for word in test[number].query or []]
        rows.append([*around[0], *words, *around[1]])
    width = -(-max(map(len, rows)) // multiple) * multiple

    def wide(longest: int) -> int:
        return -(-longest // multiple) * multiple

    batch = next(Batcher(corpus, "test").batches([np.array(chosen)], wide))

    assert batch.query is not None
    assert batch.query.tokens.tolist() == padded(rows, width)
    assert batch.query.mask.int().tolist() == padded([[1] * len(row) for row in rows], width)
    inner = [[int(not markers or 0 < i < len(row) - 1) for i in range(len(row))] for row in rows]
    assert batch.query.scorable.int().tolist() == padded(inner, width)
    assert batch.query.labels.tolist() == batch.labels.tolist()
    assert batch.query.ids.tolist() == batch.ids.tolist()
    assert (batch.query.truth, batch.query.query) == (None, None)
    assert batch.allowed is not None
    marks = corpus.splits["test"].candidates
    assert marks is not None
    assert batch.allowed.tolist() == marks[chosen].tolist()


def same(one: Batch, other: Batch) -> bool:
    return one.tensors().keys() == other.tensors().keys() and all(
        torch.equal(value, other.tensors()[name]) for name, value in one.tensors().items()
    )


def test_a_batch_carries_its_queries_through_everything() -> None:
    texts = Batcher(build(pairs()), "test")
    batch = texts.batch(range(6))
    assert {"query.tokens", "query.mask", "query.ids", "allowed"} <= batch.tensors().keys()
    copied = batch.clone()
    assert same(copied, batch)
    assert copied.query is not None
    assert batch.query is not None
    assert copied.query.tokens.data_ptr() != batch.query.tokens.data_ptr()
    assert all(tensor.is_meta for tensor in batch.to("meta").tensors().values())
    first, second = batch.split([2, 4])
    joined = {
        name: torch.cat([value, second.tensors()[name]]) for name, value in first.tensors().items()
    }
    assert all(torch.equal(joined[name], value) for name, value in batch.tensors().items())
    kept = batch.mask & (torch.arange(batch.mask.shape[1]) != 1)
    left = batch.keeping(kept)
    assert left.query is batch.query
    assert left.allowed is batch.allowed
    assert left.tokens.shape[1] == batch.tokens.shape[1] - 1


def test_texts_and_queries_turned_are_the_same_one_by_one_and_in_batches() -> None:
    corpus = build(pairs())
    texts = Batcher(corpus, "test")
    whole, turned = texts.batch(range(8)), texts.turned().batch(range(8))
    assert whole.query is not None
    wanted, found = turned.tensors(), whole.turned().tensors()
    assert wanted.keys() == found.keys()
    assert all(torch.equal(wanted[name], found[name]) for name in wanted)
    assert torch.equal(found["tokens"], whole.query.tokens)
    assert torch.equal(found["query.tokens"], whole.tokens)
    again = whole.turned().turned().tensors()
    assert all(torch.equal(value, again[name]) for name, value in whole.tensors().items())
