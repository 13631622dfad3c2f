"""Texts that are asked something, in batches that are cut by both lengths and by the text's alone."""

from collections.abc import Iterator
from copy import copy
from pathlib import Path

from attex.data.batch import Batcher
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.training.prediction import predict
from benchmarks.timing import Result, compare
from benchmarks.training import corpus_of


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time what an epoch is judged by: all development pairs of SNLI."""
    if data is None:
        return
    corpus = corpus_of("snli", data)
    spec = MODELS.spec({"encoder": "lstm", "decoder": "query", "query": {}})
    model = assemble(spec, corpus.vocabulary_size, len(corpus.classes), seed=0)
    pairs = Batcher(corpus, "dev")
    by_text = copy(pairs)
    by_text.asked = None
    name = f"SNLI's development pairs ({len(pairs):,}), lstm; naive cuts by the premise alone"
    yield compare(name, lambda: predict(model, pairs), lambda: predict(model, by_text), 1.3)
