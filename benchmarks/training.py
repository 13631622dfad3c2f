"""One training epoch against the published way."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.training.loop import Epochs
from attex.training.trainer import NO_SOURCES
from attex.training.trainers.supervised import Supervised
from benchmarks.published import PublishedTraining
from benchmarks.timing import Result, compare


def corpus_of(name: str, folder: Path, limit: int | None = None) -> Corpus:
    """Read a dataset; `limit` keeps that many of its texts in each split."""
    reader = READERS.bind(READERS.spec({"type": name}))
    return build_corpus(replace(reader, limit=limit), DataFolder(folder))


def epoch(name: str, corpus: Corpus, at_least: float) -> Result:
    """Compare an epoch of ours with one of theirs, same texts, batches and sizes."""
    published = PublishedTraining(corpus)
    spec = MODELS.spec("attention")
    model = assemble(spec, corpus.vocabulary_size, len(corpus.classes), seed=0)
    trainer, cpu = Supervised(), torch.device("cpu")
    objective = trainer.objective(model, corpus, cpu, NO_SOURCES)
    epochs = Epochs(trainer, objective, model, trainer.optimizer(model), corpus, 0, cpu)
    return compare(name, lambda: epochs.run(1), published.epoch, at_least, times=2)


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time an epoch of SST and one of 2,000 IMDB reviews."""
    if data is not None:
        yield epoch("epoch, SST (6,355 sentences)", corpus_of("sst", data), 2.0)
        yield epoch("epoch, IMDB (2,000 reviews)", corpus_of("imdb", data, 2000), 4.0)
