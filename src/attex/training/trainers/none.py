"""No training at all, of models that come trained."""

from pathlib import Path

import torch

from attex.data.batch import Batcher
from attex.data.corpus import Corpus
from attex.foundations.progress import say
from attex.models.architecture import Architecture
from attex.models.classifier import AttentionModel
from attex.training.checkpoint import Progress
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import NO_SOURCES, TRAINERS, Sources, Trainer


@TRAINERS.register("none")
class Untouched(Trainer):
    """No training: the model is examined as it came, its classes matched to those of the data.

    For models that come trained, as a `pretrained_classifier` with a head of its own. Classes are
    matched by name, or by number where the model's labels are LABEL_0, LABEL_1, … The history has one
    row, of the dev texts.
    """

    trains = False

    def check(self, corpus: Corpus) -> None:
        """Take any corpus: whether the model is for its classes is asked of the model."""

    def check_architecture(self, architecture: Architecture) -> None:
        """Take any kind of model that comes trained, which is asked for apart."""

    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
        sources: Sources = NO_SOURCES,
    ) -> Progress:
        """Match the classes, and see how good the model is on dev."""
        for line in model.come_trained(corpus.classes):
            say(f"  {line}")
        logits = predict(model, Batcher(corpus, "dev", device))
        scores = classification_metrics(logits, corpus.splits["dev"].labels)
        progress = Progress(history=[{"epoch": 0, **scores}])
        progress.keep(model, 0, scores["accuracy"])
        return progress
