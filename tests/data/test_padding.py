"""Batches against a padder of plain lists; how an epoch is cut against its own promises."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from toys import make_batch

from attex.data.batch import ALIKE, Batch, Batcher, like_batches, ordered_batches, training_batches
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.ragged import pad
from attex.data.reader import READERS

PAD, UNKNOWN, START, END = range(4)
LENGTHS = st.lists(st.integers(3, 60), min_size=1, max_size=80).map(np.array)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    options = {"type": "planted", "task": "negation", "sizes": (60, 20, 30), "min_frequency": 4}
    return build_corpus(READERS.bind(READERS.spec(options)), DataFolder(Path("nowhere")))


def padded(rows: list[list[int]]) -> list[list[int]]:
    return [row + [PAD] * (max(map(len, rows)) - len(row)) for row in rows]


@pytest.mark.parametrize("chosen", [[0], [3, 1, 2], [5, 5], list(range(30))])
def test_a_batch_is_what_padding_by_hand_gives(corpus: Corpus, chosen: list[int]) -> None:
    index = {word: number for number, word in enumerate(corpus.vocabulary)}
    texts = [corpus.tokens("test", text) for text in chosen]
    truth = corpus.splits["test"].truth
    assert truth is not None
    starts = corpus.splits["test"].starts.tolist()
    marks = [[0, *truth[starts[i] : starts[i + 1]].int().tolist(), 0] for i in chosen]

    batch = Batcher(corpus, "test").batch(chosen)

    tokens = [[START, *(index.get(word, UNKNOWN) for word in text), END] for text in texts]
    assert any(UNKNOWN in row for row in tokens) or len(chosen) == 1
    assert batch.tokens.tolist() == padded(tokens)
    assert batch.mask.int().tolist() == padded([[1] * len(row) for row in tokens])
    assert batch.scorable.int().tolist() == padded([[0, *[1] * len(text), 0] for text in texts])
    assert batch.truth is not None
    assert batch.truth.int().tolist() == padded(marks)
    assert batch.labels.tolist() == [int(corpus.splits["test"].labels[i]) for i in chosen]
    assert batch.ids.tolist() == [int(corpus.splits["test"].ids[i]) for i in chosen]
    assert len(batch) == len(chosen)


def test_markers_and_padding_are_never_scorable(corpus: Corpus) -> None:
    batch = Batcher(corpus, "train").batch(range(60))
    markers = (batch.tokens == START) | (batch.tokens == END) | (batch.tokens == PAD)
    assert torch.equal(batch.scorable, ~markers)
    assert torch.equal(batch.mask, batch.tokens != PAD)


def test_lengths_count_the_markers(corpus: Corpus) -> None:
    texts = Batcher(corpus, "dev")
    assert len(texts) == 20
    assert texts.lengths.tolist() == [len(corpus.tokens("dev", text)) + 2 for text in range(20)]


def test_a_split_without_truth_gives_batches_without_it(corpus: Corpus) -> None:
    part = corpus.splits["dev"]
    bare = type(part)(part.words, part.starts, part.labels, part.ids, part.names, None)
    plain = Corpus(corpus.lexicon, corpus.vocabulary_size, corpus.classes, {"dev": bare}, {})
    assert Batcher(plain, "dev").batch([0, 1]).truth is None


def test_moving_a_batch_moves_every_tensor_and_keeps_no_truth_as_none(corpus: Corpus) -> None:
    batch = Batcher(corpus, "dev").batch([0])
    bare = Batch(batch.tokens, batch.mask, batch.scorable, batch.labels, batch.ids)
    moved = batch.to("meta")
    tensors = (moved.tokens, moved.mask, moved.scorable, moved.labels, moved.ids, moved.truth)
    assert all(tensor is not None and tensor.is_meta for tensor in tensors)
    assert bare.to("cpu").truth is None


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return [batch.tolist() for batch in one] == [batch.tolist() for batch in other]


def keeps_to_budget(batches: list[np.ndarray], lengths: np.ndarray, max_tokens: int) -> bool:
    return all(len(b) == 1 or len(b) * lengths[b].max() <= max_tokens for b in batches)


@given(LENGTHS, st.integers(1, 20), st.integers(1, 400), st.integers(0, 2**40))
def test_an_epoch_has_every_text_once_within_batch_size_and_token_budget(
    lengths: np.ndarray, batch_size: int, max_tokens: int, seed: int
) -> None:
    batches = training_batches(lengths, batch_size, max_tokens, seed)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= batch_size for batch in batches)
    assert keeps_to_budget(batches, lengths, max_tokens)


@given(LENGTHS, st.integers(0, 2**40))
def test_an_epoch_is_cut_the_same_way_for_the_same_seed(lengths: np.ndarray, seed: int) -> None:
    assert same(training_batches(lengths, 8, 1000, seed), training_batches(lengths, 8, 1000, seed))


def test_epochs_of_different_seeds_differ_in_what_is_together_and_in_order() -> None:
    lengths = np.random.default_rng(0).integers(3, 60, 400)
    epochs = [training_batches(lengths, 32, 10_000, seed) for seed in range(5)]
    groups = [{frozenset(batch.tolist()) for batch in epoch} for epoch in epochs]
    for one in range(5):
        for other in range(one):
            assert groups[one] != groups[other]
    widths = [[int(lengths[batch].max()) for batch in epoch] for epoch in epochs]
    assert all(width != sorted(width) for width in widths)


def test_texts_in_a_batch_are_of_like_length() -> None:
    lengths = np.random.default_rng(1).integers(3, 400, 5000)
    batches = training_batches(lengths, 32, 10**6, seed=0)
    padding = sum(len(b) * lengths[b].max() for b in batches) / lengths.sum() - 1
    assert padding < 0.15


@given(LENGTHS, st.integers(1, 400))
def test_ordered_batches_have_every_text_once_by_length_within_the_budget(
    lengths: np.ndarray, max_tokens: int
) -> None:
    batches = ordered_batches(lengths, max_tokens)
    order = np.concatenate(batches)
    assert sorted(order.tolist()) == list(range(len(lengths)))
    assert (np.diff(lengths[order]) >= 0).all()
    assert keeps_to_budget(batches, lengths, max_tokens)


@given(LENGTHS, st.integers(1, 400))
def test_ordered_batches_are_as_long_as_the_budget_allows(lengths: np.ndarray, max_tokens: int) -> None:
    batches = ordered_batches(lengths, max_tokens)
    for batch, after in pairwise(batches):
        assert (len(batch) + 1) * lengths[after[0]] > max_tokens


@given(LENGTHS, st.integers(1, 400))
def test_like_batches_have_texts_of_like_length_and_end_only_where_they_must(
    lengths: np.ndarray, max_tokens: int
) -> None:
    batches = like_batches(lengths, max_tokens)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert keeps_to_budget(batches, lengths, max_tokens)
    assert all(lengths[batch].min() >= ALIKE * lengths[batch].max() for batch in batches)
    for batch, after in pairwise(batches):
        longer = lengths[after[0]]
        assert (len(batch) + 1) * longer > max_tokens or lengths[batch[0]] < ALIKE * longer


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=60),
    st.integers(1, 400),
    st.sampled_from([ordered_batches, like_batches]),
)
def test_what_is_asked_counts_in_the_budget(
    pairs: list[tuple[int, int]],
    max_tokens: int,
    cut: Callable[[np.ndarray, int, np.ndarray], list[np.ndarray]],
) -> None:
    lengths, asked = np.array(pairs).T
    batches = cut(lengths, max_tokens, asked)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        size = len(batch) * (lengths[batch].max() + asked[batch].max())
        assert size <= max_tokens or len(batch) == 1
        assert cut is ordered_batches or lengths[batch].min() >= ALIKE * lengths[batch].max()


def test_what_is_asked_lies_beside_what_is_as_long() -> None:
    """Pairs as SNLI's: a long hypothesis in a batch made all of its others as long, five times over."""
    rng = np.random.default_rng(0)
    lengths, asked = (np.clip(rng.lognormal(m, 0.45, 9_842), 3, 80).astype(int) for m in (2.6, 2.0))
    batches = ordered_batches(lengths, 16_384, asked)
    padded = sum(len(b) * asked[b].max() for b in batches)
    before = sum(len(b) * asked[b].max() for b in ordered_batches(lengths, 16_384))
    assert padded < 1.6 * asked.sum()
    assert before > 4 * asked.sum()
    assert sum(len(b) * lengths[b].max() for b in batches) < lengths.sum() / ALIKE


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=6), min_size=1, max_size=8), st.data())
def test_flat_values_are_laid_out_as_by_hand(rows: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=9))
    rows = [[value % 2**31 for value in row] for row in rows]
    starts = torch.tensor([0, *(len(row) for row in rows)]).cumsum(0)
    flat = torch.tensor([value for row in rows for value in row])
    values, mask = pad(flat, starts, np.array(chosen))
    assert mask.int().tolist() == padded([[1] * len(rows[i]) for i in chosen])
    found = [row[keep].tolist() for row, keep in zip(values, mask, strict=True)]
    assert found == [rows[i] for i in chosen]


def test_no_texts_are_laid_side_by_side_as_an_empty_matrix() -> None:
    values, mask = pad(torch.arange(3), torch.tensor([0, 3]), np.array([], dtype=int))
    assert values.shape == mask.shape == (0, 0)


def test_keeping_closes_texts_up() -> None:
    batch = make_batch([4, 2])
    kept = batch.mask.clone()
    kept[0, [2, 3]] = False
    kept[1, 1] = False
    left = batch.keeping(kept)
    assert left.tokens.shape == (2, 4)
    assert left.tokens[0].tolist() == batch.tokens[0, [0, 1, 4, 5]].tolist()
    assert left.tokens[1].tolist() == [*batch.tokens[1, [0, 2, 3]].tolist(), PAD]
    assert left.mask.tolist() == [[True] * 4, [True, True, True, False]]
    assert left.scorable.tolist() == [[False, True, True, False], [False, True, False, False]]
    assert left.ids is batch.ids


def test_what_is_impermissible_lies_beside_the_tokens_through_every_form(tmp_path: Path) -> None:
    options = {"type": "planted", "sizes": (20, 10, 10), "hide_truth": True}
    corpus = build_corpus(READERS.bind(READERS.spec(options)), DataFolder(Path("nowhere")))
    corpus.save(tmp_path)
    batch = Batcher(Corpus.load(tmp_path), "train").batch([4, 0, 9])
    assert batch.truth is not None
    assert batch.impermissible is not None
    assert batch.truth.any()
    assert torch.equal(batch.impermissible, batch.truth)
    kept = batch.keeping(batch.truth | ~batch.scorable)
    assert kept.impermissible is not None
    assert kept.impermissible.sum() == batch.truth.sum() == kept.scorable.sum()
    assert torch.equal(kept.impermissible, kept.scorable)
