"""The influence of every token on every hidden state, against one pass back for each text and state."""

from collections.abc import Iterator
from pathlib import Path

import torch

from attex.data.batch import Batch, Batcher, like_batches
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.importance.influence import influence_on_states
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from benchmarks.timing import Result, finished, seconds

PADDED_TOKENS = {"cpu": 2_048, "cuda": 393_216}
SAMPLED = 20
PROMISED = {"lstm": 10.0, "transformer": 10.0, "cnn": 10.0, "average": 30.0}


def ours(model: AttentionModel, texts: Batcher) -> None:
    """All states of all texts."""
    for chosen in like_batches(texts.lengths, PADDED_TOKENS[texts.device.type]):
        for _ in influence_on_states(model, texts.batch(chosen)):
            pass


def naive(model: AttentionModel, batch: Batch) -> None:
    """Encode a text, and go back from the length of one state after the other."""
    embedded = model.embed(batch).detach().requires_grad_()
    hidden = model.encode(embedded, batch)
    for p in batch.scorable[0].nonzero()[:, 0].tolist():
        (slope,) = torch.autograd.grad(hidden[0, p].norm(), embedded, retain_graph=True)
        slope.norm(dim=-1)


def compared(corpus: Corpus, device: torch.device, at_least: dict[str, float]) -> Iterator[Result]:
    """Compare on all test texts; the naive way is timed on some and scaled up by their states."""
    texts = Batcher(corpus, "test", device)
    sample = range(0, len(texts), len(texts) // SAMPLED)
    scale = texts.lengths.sum() / texts.lengths[list(sample)].sum()
    for encoder, promised in at_least.items():
        words, classes = corpus.vocabulary_size, len(corpus.classes)
        model = assemble(MODELS.spec({"encoder": encoder}), words, classes, seed=0).to(device).eval()
        if not model.encoder.lengths_vary:
            torch.nn.init.uniform_(model.encoder.get_parameter("norm.weight"))
        batches = [texts.batch([text]) for text in sample]

        def slow(model: AttentionModel = model, batches: list[Batch] = batches) -> None:
            for batch in batches:
                naive(model, batch)

        fast = finished(lambda model=model: ours(model, texts))
        fast()
        slow()
        us, them = seconds(fast), float(scale) * seconds(finished(slow))
        name = f"influence on every hidden state, {encoder}, {len(texts):,} texts of SST"
        yield Result(name, us, them, f"≥ {promised:g}× naive", them / us >= promised)


def sst(data: Path) -> Corpus:
    """Read SST."""
    return build_corpus(READERS.bind(READERS.spec("sst")), DataFolder.at(data))


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare on SST."""
    if data is not None:
        yield from compared(sst(data), torch.device("cpu"), PROMISED)
