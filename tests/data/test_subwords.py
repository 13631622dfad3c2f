"""Texts in pieces of words, against the tokenizer that cuts them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from pretrained_folders import byte_pair_tokenizer, config, write_folder

from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, UNKNOWN, Corpus
from attex.data.reader import Document
from attex.data.split import index_documents
from attex.data.subwords import in_pieces
from attex.models.pretrained_folder import WordCutter

TEXTS = (
    "the unbelievable film was not very good !",
    "dull",
    "a \u200b play is un\u00efque and badly zorbed .",
    "was was was the the film",
)
QUERIES = ("good ?", "is the film badly zorbed", "a", "\u200b fine")
CLASSES = ["neg", "pos"]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer of each kind: of words and endings, and of bytes with two markers between texts."""
    path = write_folder(tmp_path_factory.mktemp(request.param))
    if request.param == "roberta":
        byte_pair_tokenizer().save_pretrained(path)
        config("roberta", positions=200).save_pretrained(path)
    return path


def corpus_of(texts: Sequence[str], queries: Sequence[str] | None = None, truth: bool = False) -> Corpus:
    documents = [
        Document(
            str(number),
            "test",
            text.split(" "),
            CLASSES[number % 2],
            truth=[word == "film" for word in text.split(" ")] if truth else None,
            query=None if queries is None else queries[number].split(" "),
        )
        for number, text in enumerate(texts)
    ]
    words = sorted({word for document in documents for text in document.texts for word in text})
    lexicon = [*SPECIALS, *words]
    index = {word: number for number, word in enumerate(lexicon)}
    split = index_documents(documents, index, CLASSES)
    return Corpus(lexicon, len(lexicon), CLASSES, {"test": split}, facts={})


def tokenizer_of(folder: Path) -> Any:
    import transformers

    return transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True)


def batch_of(corpus: Corpus) -> Batch:
    return Batcher(corpus, "test").batch(range(len(corpus.splits["test"])))


@pytest.mark.parametrize("queries", [None, QUERIES])
def test_pieces_are_those_of_the_tokenizer(folder: Path, queries: Sequence[str] | None) -> None:
    batch = batch_of(in_pieces(corpus_of(TEXTS, queries), WordCutter(folder)))
    assert batch.word is not None
    for row, text in enumerate(TEXTS):
        asked = [] if queries is None else [queries[row].split(" ")]
        expected = tokenizer_of(folder)(text.split(" "), *asked, is_split_into_words=True)
        count = int(batch.mask[row].sum())
        assert batch.tokens[row, :count].tolist() == expected["input_ids"]
        words, sides = expected.word_ids(), expected.sequence_ids()
        first = len(text.split(" "))
        numbers = [
            -1 if side is None else word + first * side for word, side in zip(words, sides, strict=True)
        ]
        assert batch.word[row, :count].tolist() == numbers
        assert batch.scorable[row, :count].tolist() == [number >= 0 for number in numbers]
        assert not batch.scorable[row, count:].any()
        if queries is not None:
            assert batch.segment is not None
            past = sides.index(1)
            assert batch.segment[row, :count].tolist() == [int(n >= past) for n in range(count)]


def test_kinds_of_text_are_numbered_as_the_tokenizer_does(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    batch = batch_of(in_pieces(corpus_of(TEXTS, QUERIES), WordCutter(folder)))
    assert batch.segment is not None
    for row, (text, query) in enumerate(zip(TEXTS, QUERIES, strict=True)):
        both = text.split(" "), query.split(" ")
        encoded = tokenizer_of(folder)(*both, is_split_into_words=True, return_token_type_ids=True)
        expected = encoded["token_type_ids"]
        assert batch.segment[row, : len(expected)].tolist() == expected


def test_a_text_that_is_too_long_ends_with_the_last_whole_word_that_fits(tmp_path: Path) -> None:
    cutter = WordCutter(write_folder(tmp_path))
    whole = batch_of(in_pieces(corpus_of(TEXTS), cutter))
    assert whole.word is not None
    for longest in range(3, 20):
        cutter.longest = longest
        corpus = in_pieces(corpus_of(TEXTS), cutter)
        batch, cut, unread = batch_of(corpus), 0, 0
        assert batch.word is not None
        for row, text in enumerate(TEXTS):
            pieces = [whole.word[row].tolist().count(number) for number in range(len(text.split(" ")))]
            kept = [n for n in range(len(pieces)) if sum(pieces[: n + 1]) <= longest - 2]
            assert sorted({*batch.word[row].tolist()} - {-1}) == [n for n in kept if pieces[n]]
            assert int(batch.mask[row].sum()) == sum(pieces[n] for n in kept) + 2
            cut += len(kept) < len(pieces)
            unread += sum(n not in kept or not pieces[n] for n in range(len(pieces)))
        assert corpus.facts["cut"] == {"test": cut}
        assert corpus.facts["unread"] == {"test": unread}
        read = corpus.splits["test"].read
        assert read is not None
        assert int((~read).sum()) == unread


def test_a_query_keeps_what_the_text_leaves_it_and_half_the_room(tmp_path: Path) -> None:
    cutter = WordCutter(write_folder(tmp_path))
    for longest, words, asked in ((13, 10, 3), (13, 3, 10), (13, 20, 20), (13, 2, 2)):
        cutter.longest = longest
        room = longest - 3
        corpus = in_pieces(corpus_of([" ".join(["film"] * words)], [" ".join(["good"] * asked)]), cutter)
        batch = batch_of(corpus)
        assert batch.segment is not None
        counts = [int((batch.scorable & (batch.segment == side)).sum()) for side in (0, 1)]
        query = min(asked, max(room - words, room // 2))
        assert counts == [min(words, room - query), query]


def test_marks_of_words_stand_at_all_of_their_pieces_and_queries_have_none(folder: Path) -> None:
    corpus = in_pieces(corpus_of(TEXTS, QUERIES, truth=True), WordCutter(folder))
    batch, part = batch_of(corpus), corpus.splits["test"]
    assert not corpus.has_queries
    assert batch.word is not None
    assert batch.truth is not None
    for row, (text, query) in enumerate(zip(TEXTS, QUERIES, strict=True)):
        words = [*text.split(" "), *query.split(" ")]
        assert corpus.tokens("test", row) == words
        for number, true in zip(batch.word[row].tolist(), batch.truth[row].tolist(), strict=True):
            assert true == (0 <= number < len(text.split(" ")) and words[number] == "film")
    assert part.truth is not None
    assert len(part.truth) == len(part.words)


def test_a_masked_word_is_one_piece_of_its_own(tmp_path: Path) -> None:
    corpus = corpus_of(TEXTS)
    part = corpus.splits["test"]
    words = part.words.clone()
    words[:2] = UNKNOWN
    masked = replace(corpus, splits={"test": replace(part, words=words)})
    cutter = WordCutter(write_folder(tmp_path))
    batch = batch_of(in_pieces(masked, cutter))
    assert batch.tokens[0, 1:3].tolist() == [tokenizer_of(tmp_path).mask_token_id] * 2


def test_a_corpus_in_pieces_is_written_and_read(folder: Path, tmp_path: Path) -> None:
    cutter = WordCutter(folder)
    cutter.longest = 9
    corpus = in_pieces(corpus_of(TEXTS, QUERIES), cutter)
    corpus.save(tmp_path)
    read = Corpus.load(tmp_path)
    for name, value in corpus.splits["test"].tensors().items():
        assert torch.equal(getattr(read.splits["test"], name), value)
    assert read.facts == corpus.facts


def test_scores_come_to_their_words_and_back(folder: Path) -> None:
    corpus = in_pieces(corpus_of(TEXTS), WordCutter(folder))
    batch, words = batch_of(corpus), int(corpus.splits["test"].lengths.max())
    scores = torch.rand(batch.tokens.shape).masked_fill(~batch.scored, float("nan"))
    laid = batch.by_word(scores, words)
    assert batch.word is not None
    for row, column in batch.scored.nonzero().tolist():
        assert laid[row, batch.word[row, column]] == scores[row, column]
    assert int(laid.isfinite().sum()) == int(batch.scored.sum())
    spread = batch.spread(laid.nan_to_num(-1.0))
    for row, column in batch.scorable.nonzero().tolist():
        assert spread[row, column] == laid[row, batch.word[row, column]]
    assert (spread[~batch.scorable] == 0).all()
