"""Attention on impermissible tokens, and decisions without them, against one text at a time."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from attex.analyses.analysis import ANALYSES, Subject
from attex.analyses.impermissible import (
    MASS,
    NEUTRALISED,
    REMOVED,
    SHARE,
    WHOLE,
    ZEROED,
    ImpermissibleAnalysis,
)
from attex.data.batch import Batcher
from attex.data.corpus import UNKNOWN, Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "sizes": (20, 10, 12), "hide_truth": True})
    whole = build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))
    texts = whole.splits["test"]
    assert texts.impermissible is not None
    marks = texts.impermissible.clone()
    first, second, third = texts.starts[1:4].tolist()
    marks[:first] = False
    marks[second:third] = True
    return replace(whole, splits=whole.splits | {"test": replace(texts, impermissible=marks)})


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> AttentionModel:
    spec = MODELS.spec({"embedding_width": 6, "encoder": {"type": "lstm", "hidden": 4}})
    return assemble(spec, corpus.vocabulary_size, 2, seed=3).eval()


def alone(model: AttentionModel, corpus: Corpus, words: list[int]) -> int:
    """Decide one text, made of these words."""
    texts = corpus.splits["test"]
    text = replace(
        texts,
        words=torch.tensor(words, dtype=texts.words.dtype),
        starts=torch.tensor([0, len(words)]),
        labels=texts.labels[:1],
        ids=texts.ids[:1],
        names=texts.names[:1],
        truth=None,
        impermissible=None,
    )
    batch = Batcher(replace(corpus, splits={"test": text}), "test").batch([0])
    with torch.no_grad():
        return int(model(batch).logits[0, 0] > 0)


def test_it_is_what_one_text_at_a_time_gives(model: AttentionModel, corpus: Corpus) -> None:
    neutral = {
        corpus.lexicon[number]: corpus.lexicon[10] for number in range(20, corpus.vocabulary_size)
    }
    analysis = ImpermissibleAnalysis(neutral=neutral)
    found = analysis.examine(Subject(corpus, CPU, (), {}, {}, lambda: model))
    texts, batcher = corpus.splits["test"], Batcher(corpus, "test")
    assert texts.impermissible is not None
    for number, (start, end) in enumerate(pairwise(texts.starts.tolist())):
        words, label = texts.words[start:end].tolist(), int(texts.labels[number])
        marks = texts.impermissible[start:end].tolist()
        kept = [word for word, mark in zip(words, marks, strict=True) if not mark]
        instead = [
            (10 if word >= 20 else UNKNOWN) if mark else word
            for word, mark in zip(words, marks, strict=True)
        ]
        batch = batcher.batch([number])
        with torch.no_grad():
            trace = model(batch)
            weights = trace.attention[0][batch.scorable[0]]
            hidden = model.encode(model.embed(batch), batch)
            zeroed = trace.attention.clone()
            zeroed[0, batch.scorable[0].nonzero()[:, 0][torch.tensor(marks)]] = 0
            logit = model.decoder((zeroed[..., None] * hidden).sum(dim=1))
        both = any(marks) and not all(marks)
        mass = float(weights[torch.tensor(marks)].sum()) if both else float("nan")
        share = sum(marks) / len(marks) if both else float("nan")
        assert float(found[MASS][number]) == pytest.approx(mass, abs=1e-5, nan_ok=True)
        assert float(found[SHARE][number]) == pytest.approx(share, nan_ok=True)
        assert float(found[WHOLE][number]) == (alone(model, corpus, words) == label)
        assert float(found[NEUTRALISED][number]) == (alone(model, corpus, instead) == label)
        assert float(found[ZEROED][number]) == (int(logit[0, 0] > 0) == label)
        removed = float(found[REMOVED][number])
        assert removed == (alone(model, corpus, kept) == label) if kept else removed != removed


def test_data_without_marks_has_nothing_to_analyse(model: AttentionModel, corpus: Corpus) -> None:
    analysis = ANALYSES.bind(ANALYSES.spec("impermissible"))
    unmarked = replace(corpus.splits["test"], impermissible=None)
    reason = analysis.lacks(model, replace(corpus, splits={"test": unmarked}))
    assert reason == "the data marks no token as impermissible"
    assert analysis.lacks(model, corpus) is None
