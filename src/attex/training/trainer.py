"""What a way of training is to the rest of the house."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import torch

from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import RUNTIME, Registry, Spec
from attex.models.architecture import Architecture
from attex.models.classifier import AttentionModel
from attex.training.checkpoint import Progress

InlineExperiment = Annotated[dict[str, Any], RUNTIME]
"""An experiment written inside an option, validated where all are.

The option is no part of a key: the model that the experiment trains is an input of the training, and
so is its key. How the experiment is written, and what else it asks of its model, changes nothing.
"""

Sources = Mapping[str, AttentionModel]
"""Trained models that a training needs, by the names that the trainer has given them."""

NO_SOURCES: Sources = MappingProxyType({})


class Trainer(ABC):
    """Fits a model to a corpus, leaves the best model in it, and can be killed at any time."""

    trains: ClassVar[bool] = True
    """Whether it changes the model at all: else the model must come trained."""

    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """Name the experiments whose trained models, of the same seed, `fit` is to be given.

        One that says `seeds: [n]` has that seed instead: its one model serves all seeds.
        """
        return {}

    def compared(self) -> Mapping[str, Mapping[str, Any]]:
        """Name the experiments whose models the trained one is only compared with, after training.

        Of one that says `seeds`, the models of all of them are; none is compared with itself.
        """
        return {}

    @abstractmethod
    def check(self, corpus: Corpus) -> None:
        """Raise `UserError` if the corpus cannot be trained on; called before any training."""

    def check_models(self, model: Spec, sources: Mapping[str, Spec]) -> None:
        """Raise `UserError` if such a model cannot be trained so, or not with such models as sources.

        All are choices of `MODELS`; called before any training.
        """
        return

    def check_architecture(self, architecture: Architecture) -> None:
        """Raise `UserError` if such a kind of model cannot be trained so; called before any training.

        By default there must be one attention over hidden states, which is trained, held or given.
        """
        if not architecture.over_states:
            raise UserError(
                "trainer: it has to do with one attention over hidden states, which this kind of model "
                "does not have; choose supervised"
            )

    def first_weights(self, seed: int) -> int:
        """Return the seed of the weights that a training starts from: here its own."""
        return seed

    def wrap(self, model: AttentionModel, sources: Sources) -> AttentionModel:
        """Return what is trained and, whenever the weights are loaded again, what is examined.

        The model itself, or one around its modules, as a model under an attention that a source gives.
        It may have buffers beside them, which are saved; it is wrapped before its weights are loaded.
        """
        return model

    def estimate(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, worth: float
    ) -> float | None:
        """Say about how many seconds a training takes at most, by a few steps on a model to throw away.

        None where that cannot be told, or is clearly less than what is `worth` to know.
        """
        return None

    @abstractmethod
    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
        sources: Sources = NO_SOURCES,
    ) -> Progress:
        """Train from `checkpoint` on, if there is one; the best weights end up in the model."""


TRAINERS: Registry[Trainer] = Registry("trainer", "attex.training.trainers", default="supervised")
