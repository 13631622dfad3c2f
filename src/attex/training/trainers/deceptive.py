"""Train a model to decide by words that its attention does not show."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel, Trace
from attex.models.projection import PROJECTIONS
from attex.training.loop import NonNegative, Objective
from attex.training.trainer import TRAINERS, Sources
from attex.training.trainers.supervised import Supervised


@TRAINERS.register("deceptive", cite="Pruthi et al. 2020")
@dataclass(frozen=True, kw_only=True)
class Deceptive(Supervised):
    """Keep attention off impermissible tokens I: the loss of a text less `weight` · ln Σ_{t∉I} α_t.

    What is impermissible is marked in the data: `deceptive`, or a column or a list of words of csv and
    jsonl. The logarithm is worked out from energies, so that it has a gradient where all weight is on I.
    A text without such a token has no penalty. In one of nothing else it is undefined: such a text is
    trained on its label alone, and counted in the history as `penalty undefined`. All other options are
    those of supervised training.

    An encoder with self-attention can carry words elsewhere. `aggregate` has its last layer's heads
    penalised beside the attention that decides, each with the weights by which that attention reads it:
    `mean` is the mean of the logarithms, `worst` the lowest of each text.
    """

    weight: NonNegative = 0.1
    aggregate: Literal["mean", "worst"] | None = None

    def check(self, corpus: Corpus) -> None:
        """Ask for training texts with impermissible tokens."""
        super().check(corpus)
        marks = corpus.splits["train"].impermissible
        if marks is None or not bool(marks.any()):
            raise UserError(
                "the training texts have no impermissible token for trainer 'deceptive' to hide; csv "
                "and jsonl have them in data.impermissible: a column of 0/1 marks, or a list of words "
                "as the tokenizer leaves them"
            )

    def check_models(self, model: Spec, sources: Mapping[str, Spec]) -> None:
        """Ask for softmax, under which no text has exactly no weight on what is permissible."""
        attention = model.options()["attention"].options()
        projection = attention["projection"].type if "projection" in attention else "none"
        if self.weight and projection != "softmax":
            raise UserError(
                "trainer 'deceptive' needs model.attention.projection softmax: under "
                f"{projection} what it makes small may be infinite, or constant"
            )
        inner = model.options()["encoder"].options().get("inner_projection")
        if self.aggregate and inner is not None and PROJECTIONS[inner.type].facts["sparse"]:
            raise UserError(
                "trainer.aggregate needs a self-attention without zeros: the logarithm of a head's "
                f"weight may be infinite under inner_projection {inner.type}"
            )

    def objective(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
    ) -> Objective:
        """Add the penalty to the loss of every text; the history has it, and the mass itself."""
        task = super().objective(model, corpus, device, sources)

        def penalty(trace: Trace, batch: Batch) -> Tensor:
            logarithms = [_permissible(trace, batch)[:, None], *self._of_heads(trace, batch)]
            all_of_them = torch.cat(logarithms, dim=1)
            worst = self.aggregate == "worst"
            return -(all_of_them.amin(dim=1) if worst else all_of_them.mean(dim=1))

        def each(trace: Trace, batch: Batch) -> Tensor:
            return task.each(trace, batch) + self.weight * penalty(trace, batch)

        def shown(trace: Trace, batch: Batch) -> Tensor:
            return penalty(trace, batch).masked_fill(_nothing_else(batch), float("nan"))

        return replace(task, each=each, shown={"impermissible_mass": _mass, "penalty": shown})

    def _of_heads(self, trace: Trace, batch: Batch) -> list[Tensor]:
        """Return the logarithm of what the last layer's heads read of permissible tokens: [B,heads]."""
        if self.aggregate is None or trace.layers is None:
            return []
        # The context reads each state by its weight, and a state each token by its head's.
        read = trace.attention.double()[:, None, None] @ trace.layers[:, -1].double()
        counted = batch.mask & ~_impermissible(batch)
        return [(read.squeeze(2) * counted[:, None]).sum(dim=-1).log()]


def _impermissible(batch: Batch) -> Tensor:
    """Mark what is to be hidden [B,T]; nothing in texts of nothing else, which have nowhere to look."""
    if batch.impermissible is None:
        return torch.zeros_like(batch.scorable)
    return batch.impermissible & ~_nothing_else(batch)[:, None]


def _nothing_else(batch: Batch) -> Tensor:
    """Mark texts [B] all of whose tokens are impermissible."""
    if batch.impermissible is None:
        return torch.zeros_like(batch.scorable[:, 0])
    return ~(batch.scorable & ~batch.impermissible).any(dim=1)


def _permissible(trace: Trace, batch: Batch) -> Tensor:
    """Return ln Σ_{t∉I} α_t from energies, under softmax: [B] in float64."""
    energies = trace.energies.double()
    allowed = batch.scorable & ~_impermissible(batch)
    off, all_of_it = (
        energies.masked_fill(~counted, -torch.inf).logsumexp(dim=1)
        for counted in (allowed, batch.scorable)
    )
    return off - all_of_it


def _mass(trace: Trace, batch: Batch) -> Tensor:
    """Return the attention on impermissible tokens: [B] in float64."""
    if batch.impermissible is None:
        return trace.attention.new_zeros(len(batch)).double()
    return (trace.attention.double() * batch.impermissible).sum(dim=1)
