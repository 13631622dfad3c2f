"""What a way of training is to the rest of the house."""

from abc import ABC, abstractmethod
from pathlib import Path

import torch

from attex.data.corpus import Corpus
from attex.foundations.registry import Registry
from attex.models.classifier import AttentionModel
from attex.training.checkpoint import Progress


class Trainer(ABC):
    """Fits a model to a corpus, leaves the best model in it, and can be killed at any time."""

    @abstractmethod
    def check(self, corpus: Corpus) -> None:
        """Raise `UserError` if the corpus cannot be trained on; called before any training."""

    @abstractmethod
    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
    ) -> Progress:
        """Train from `checkpoint` on, if there is one; the best weights end up in the model."""


TRAINERS: Registry[Trainer] = Registry("trainer", "attex.training.trainers", default="supervised")
