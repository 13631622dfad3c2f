"""Corpora with their most important tokens masked, against a loop over texts."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from attex.data.batch import Batcher
from attex.data.corpus import UNKNOWN, Corpus, build_corpus
from attex.data.derived import masked, shortened
from attex.data.folder import DataFolder
from attex.data.reader import READERS

SHARES = [0.0, 0.1, 0.2, 0.5, 0.9, 1.0]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "sizes": (60, 20, 30)})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


def drawn(corpus: Corpus, seed: int = 0) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        name: torch.rand(len(part.words), dtype=torch.float64, generator=generator)
        for name, part in corpus.splits.items()
    }


def texts(corpus: Corpus, split: str, flat: Tensor) -> list[np.ndarray]:
    starts = corpus.splits[split].starts.tolist()
    return [flat[a:b].numpy() for a, b in pairwise(starts)]


@pytest.mark.parametrize("share", SHARES)
def test_the_top_tokens_of_every_text_are_masked(corpus: Corpus, share: float) -> None:
    scores = drawn(corpus)
    found = masked(corpus, scores, share)
    tokens = {}
    for split, part in corpus.splits.items():
        tokens[split] = 0
        before, after = (texts(c, split, c.splits[split].words) for c in (corpus, found))
        for old, new, score in zip(before, after, texts(corpus, split, scores[split]), strict=True):
            # Decimal shares have no exact product with n: 0.1 · 30 is 3.
            count = math.ceil(round(share * len(old), 6))
            tokens[split] += count
            expected = old.copy()
            expected[sorted(range(len(old)), key=lambda i: -score[i])[:count]] = UNKNOWN
            assert new.tolist() == expected.tolist()
        same = found.splits[split]
        assert same.words.dtype == part.words.dtype
        assert same.names == part.names
        for name in ("starts", "labels", "ids", "truth"):
            assert torch.equal(getattr(same, name), getattr(part, name)), name
    assert found.facts == corpus.facts | {"masked": {"share": share, "tokens": tokens}}
    assert (found.lexicon, found.markers) == (corpus.lexicon, corpus.markers)


def test_the_model_sees_unknown_words_and_the_corpus_is_left_alone(corpus: Corpus) -> None:
    before = corpus.splits["test"].words.clone()
    batch = Batcher(masked(corpus, drawn(corpus), 1.0), "test").batch(range(30))
    assert (batch.tokens[batch.scorable] == UNKNOWN).all()
    assert torch.equal(corpus.splits["test"].words, before)


def test_what_has_no_score_comes_last(corpus: Corpus) -> None:
    scores = drawn(corpus)
    for flat in scores.values():
        flat[::3] = float("nan")
    marks = masked(corpus, scores, 0.5).splits["train"].words == UNKNOWN
    pairs = zip(texts(corpus, "train", marks), texts(corpus, "train", scores["train"]), strict=True)
    for mark, score in pairs:
        undefined = np.isnan(score)
        if (mark & undefined).any():
            assert mark[~undefined].all()


def test_ties_are_broken_by_the_text_alone(corpus: Corpus) -> None:
    level = {name: torch.zeros_like(flat) for name, flat in drawn(corpus).items()}
    whole = masked(corpus, level, 0.3).splits["train"]
    rows = texts(corpus, "train", whole.words == UNKNOWN)
    for mark in rows:
        assert mark.sum() == math.ceil(round(0.3 * len(mark), 6))
    first = np.mean([mark.argmax() / len(mark) for mark in rows])
    assert 0.05 < first < 0.5, "not always the first tokens"
    part = corpus.splits["train"]
    start, end = part.starts[7:9].tolist()
    alone = replace(
        part,
        words=part.words[start:end],
        starts=torch.tensor([0, end - start]),
        labels=part.labels[7:8],
        ids=part.ids[7:8],
        names=part.names[7:8],
        truth=None,
    )
    single = masked(replace(corpus, splits={"train": alone}), {"train": level["train"][start:end]}, 0.3)
    assert torch.equal(single.splits["train"].words, whole.words[start:end])


def test_masked_step_by_step_tokens_stay_masked_and_count(corpus: Corpus) -> None:
    found, gone = corpus, torch.zeros_like(corpus.splits["dev"].words, dtype=torch.bool)
    for step, share in enumerate((0.2, 0.4, 0.7)):
        scores = drawn(corpus, seed=step)
        found = masked(found, scores, share)
        now = found.splits["dev"].words == UNKNOWN
        assert (now | ~gone).all(), "what was masked stays so"
        kept = texts(corpus, "dev", gone), texts(corpus, "dev", now), texts(corpus, "dev", scores["dev"])
        for old, new, score in zip(*kept, strict=True):
            assert new.sum() == math.ceil(round(share * len(new), 6))
            if (new & ~old).any() and (~new).any():
                assert score[new & ~old].min() > score[~new].max()
        gone = now


def test_scores_of_other_texts_are_refused(corpus: Corpus) -> None:
    scores = drawn(corpus)
    with pytest.raises(ValueError, match="scores for"):
        masked(corpus, scores | {"dev": scores["dev"][:-1]}, 0.5)


def test_marked_tokens_are_deleted_and_a_text_of_nothing_else_stays(corpus: Corpus) -> None:
    part = corpus.splits["test"]
    marks = torch.rand(len(part.words), generator=torch.Generator().manual_seed(1)) < 0.4
    marks[: int(part.starts[1])] = True
    given = marks.clone()
    found = shortened(part, marks)
    assert torch.equal(marks, given), "what was given is not changed"
    assert part.truth is not None
    assert found.truth is not None
    assert found.names == part.names
    for number, (first, last) in enumerate(pairwise(part.starts.tolist())):
        kept = [i for i in range(first, last) if not given[i]] or [*range(first, last)]
        mine = slice(*found.starts[number : number + 2].tolist())
        assert found.words[mine].tolist() == part.words[kept].tolist()
        assert found.truth[mine].tolist() == part.truth[kept].tolist()
