"""Train a model under the attention of another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from attex.data.batch import Batcher
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.models.classifier import AttentionModel
from attex.models.guided import (
    CrossFitAttention,
    GuidedAttention,
    HeldAttention,
    WordAttention,
    mean_of_words,
)
from attex.models.imposed import ImposedAttention
from attex.training.held import HeldWeights
from attex.training.loop import Objective
from attex.training.prediction import evaluation_batches
from attex.training.trainer import TRAINERS, InlineExperiment, Sources
from attex.training.trainers.supervised import Supervised

_HALVES = ("first", "second")


@TRAINERS.register("guided", cite="Wiegreffe & Pinter 2019, §3.3")
@dataclass(frozen=True, kw_only=True)
class Guided(Supervised):
    """Train on labels, with the attention that another model pays: given, in training and after it.

    `guide` is an experiment, written here or imported, whose model of the same seed says where to look;
    what it does not say is as in the experiment around it. It is asked once, before the first epoch: an
    epoch takes what it would without a guide. The model's own attention is never used. All other
    options are those of supervised training.

    `weights` are those of the `text`, or each `word`'s mean over the training texts, brought to a sum
    of 1 in every text: then nothing of the context is left. With `cross_fit` two guides are trained,
    each on one half of the training texts, and a text is guided by the one that has not seen it: then
    what a guide has learned by heart is no use.
    """

    guide: InlineExperiment
    weights: Literal["text", "word"] = "text"
    cross_fit: bool = False

    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """Ask for the guide, or for one of each half."""
        if not self.cross_fit:
            return {"guide": self.guide}
        return {half: self._on(half) for half in _HALVES}

    def _on(self, half: str) -> dict[str, Any]:
        """Return the guide's experiment on one half of the training texts."""
        trainer = self.guide.get("trainer", "supervised")
        trainer = {"type": trainer} if isinstance(trainer, str) else trainer
        if isinstance(trainer, Mapping):
            trainer = {**trainer, "half": half}
        # Two trainings of one name could not be told apart by what is printed of them.
        name = {"name": f"{self.guide['name']}.{half}"} if "name" in self.guide else {}
        return {**self.guide, **name, "trainer": trainer}

    def check(self, corpus: Corpus) -> None:
        """As for supervised training; the means of words have no half that they were not made of."""
        if self.cross_fit and self.weights == "word":
            raise UserError("trainer.cross_fit goes with trainer.weights text, not with word")
        super().check(corpus)

    def wrap(self, model: AttentionModel, sources: Sources) -> AttentionModel:
        """Put the model under the attention it is given."""
        if self.weights == "word":
            return WordAttention(model)
        if self.cross_fit:
            return CrossFitAttention(model, *(sources[half] for half in _HALVES))
        return GuidedAttention(model, sources["guide"])

    def objective(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
    ) -> Objective:
        """Ask the guide once, before the first epoch; all else is supervised."""
        supervised = super().objective(model, corpus, device, sources)
        if isinstance(model, WordAttention):
            size = corpus.vocabulary_size
            model.word_weights.copy_(_word_weights(sources["guide"], corpus, device, size))
            return supervised
        assert isinstance(model, ImposedAttention)
        held = HeldWeights(model.impose, corpus, {"train", self.selected_on}, device)
        return replace(supervised, run=HeldAttention(model, held))


@torch.no_grad()
def _word_weights(
    guide: AttentionModel, corpus: Corpus, device: torch.device, size: int
) -> torch.Tensor:
    texts, words, weights = Batcher(corpus, "train", device), [], []
    for batch in texts.batches(evaluation_batches(texts)):
        words.append(batch.tokens[batch.scorable])
        weights.append(guide(batch).attention[batch.scorable].double())
    return mean_of_words(torch.cat(words), torch.cat(weights), size)
