"""Corpora and models of which it is known what another model can do to them."""

from pathlib import Path
from typing import Any

import torch
from torch import nn

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Document, Reader
from attex.foundations.registry import Spec
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.training.loop import EpochTrainer
from attex.training.trainer import TRAINERS

CPU = torch.device("cpu")
WORDS = MODELS.spec({"embedding_width": 12, "encoder": "embedding"})


def planted(**options: Any) -> Corpus:
    spec = READERS.spec({"type": "planted", "sizes": (120, 40, 40), **options})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


class Pairs(Reader):
    """Texts of so many different words out of twenty, in all orders that a few draws give."""

    length = 2

    def files(self, folder: DataFolder) -> list[Path]:
        return []

    def documents(self, folder: DataFolder):  # type: ignore[no-untyped-def]
        draws = torch.Generator().manual_seed(0)
        for split, count in (("train", 160), ("dev", 40), ("test", 40)):
            for number in range(count):
                words = torch.randperm(20, generator=draws)[: self.length].tolist()
                tokens = [f"word{word}" for word in words]
                yield Document(f"{split}/{number}", split, tokens, str(number % 2))


class Fives(Pairs):
    length = 5


def texts_of(reader: type[Pairs]) -> Corpus:
    return build_corpus(reader(), DataFolder(Path("nowhere")))


def model_of(corpus: Corpus, seed: int = 0, spec: Spec = WORDS, spread: float = 1.0) -> AttentionModel:
    """Build a model whose attention is uneven."""
    model = assemble(spec, corpus.vocabulary_size, len(corpus.classes), seed)
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.attention.parameters():
        nn.init.normal_(parameter, std=spread, generator=generator)
    return model.eval()


def trainer_of(kind: str, **options: Any) -> EpochTrainer:
    made: EpochTrainer = TRAINERS.bind(TRAINERS.spec({"type": kind, **options}))
    return made
