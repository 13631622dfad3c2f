"""Train a model that decides as another does, and attends to something else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import Corpus
from attex.foundations.divergences import total_variation
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.architecture import MODELS
from attex.models.classifier import AttentionModel, Trace
from attex.training.apart import jensen_shannon_from, relative_entropy
from attex.training.held import HeldOutputs, HeldStates
from attex.training.loop import EpochTrainer, Loss, NonNegative, Objective
from attex.training.loss import class_weights
from attex.training.prediction import Run
from attex.training.trainer import TRAINERS, InlineExperiment, Sources

_OWN = "attention."
"""What the names of the weights begin with that a frozen adversary does not have from its base."""

_BEYOND_ALL_SEEDS = 2**31
"""What no seed of an experiment reaches."""


@TRAINERS.register("adversarial", cite="Wiegreffe & Pinter 2019, §4; Meister et al. 2021, App. C.1")
@dataclass(frozen=True, kw_only=True)
class Adversarial(EpochTrainer):
    """Make TVD(ŷ, ŷ_base) − `weight` · D(α, α_base) small, summed over the texts; labels are not used.

    `base` is an experiment, written here or imported, whose model of the same seed is imitated; what it
    does not say is as in the experiment around it. Its outputs are computed once, before the first
    epoch. D is `jsd`, the Jensen-Shannon divergence, or `kl`, KL(α ‖ α_base), which is refused where an
    attention can have weights of 0: it can be infinite there. An adversary that is `frozen` has all of
    the base but its attention, whose parameters are drawn anew: at the base's own the gradient is 0.
    Where its hidden states fit in memory, they are computed once, too: no epoch encodes the texts again,
    but for queries.

    The epoch is kept in which the `objective` on dev is lowest, or the training's own `loss`, as in
    Wiegreffe & Pinter's code. That code also multiplies the loss of a batch by the summed weights of
    its classes: `class_weights`. It takes half of TVD where there are two classes, so that a `weight`
    here is twice theirs. The first weights are not those that a base of the same seed started from.
    """

    base: InlineExperiment
    weight: NonNegative = 1e-3
    frozen: bool = False
    divergence: Literal["jsd", "kl"] = "jsd"
    class_weights: bool = False
    metric: Literal["objective", "loss"] = "objective"

    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """Ask for the model that is deceived."""
        return {"base": self.base}

    def check(self, corpus: Corpus) -> None:
        """Any texts will do: labels are not used."""

    def check_models(self, model: Spec, sources: Mapping[str, Spec]) -> None:
        """Refuse KL of attention that can be sparse, and a frozen adversary of another kind of model."""
        base = sources["base"]
        for name, one in {"model": model, "trainer.base.model": base}.items():
            if self.divergence == "kl" and MODELS.bind(one).sparse:
                raise UserError(
                    f"trainer.divergence: kl is infinite where a weight is 0, and the attention of "
                    f"{name} can be sparse; use jsd for this model, and for those it is compared with"
                )
        if self.frozen and _held(model) != _held(base):
            raise UserError(
                "trainer.frozen: the adversary has the base's states, so that model and "
                "trainer.base.model may differ in their attention only"
            )

    def first_weights(self, seed: int) -> int:
        """Draw weights that no base has started from: one of the same seed would begin as its twin."""
        return seed + _BEYOND_ALL_SEEDS

    def wrap(self, model: AttentionModel, sources: Sources) -> AttentionModel:
        """Give a frozen adversary all of the base but its attention, and hold that."""
        if self.frozen:
            base = sources["base"].state_dict()
            held = {name: value for name, value in base.items() if not name.startswith(_OWN)}
            model.load_state_dict(held, strict=False)
            for name, parameter in model.named_parameters():
                parameter.requires_grad_(name.startswith(_OWN))
        return model

    def objective(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
    ) -> Objective:
        """Run the base once over all texts that are trained on or selected by."""
        base = HeldOutputs(sources["base"], corpus, {"train", self.selected_on}, device)
        if self.divergence == "kl" and not bool((base.weights > 0).all()):
            raise UserError(
                f"trainer.divergence: kl is infinite: the base gives {int((base.weights == 0).sum()):,} "
                "tokens a weight of 0; use jsd"
            )
        apart = relative_entropy if self.divergence == "kl" else jensen_shannon_from

        def each(trace: Trace, batch: Batch) -> Tensor:
            logits, attention = base(batch)
            moved = total_variation(trace.logits, logits)
            return moved - self.weight * apart(trace.attention, attention)

        def tvd(trace: Trace, batch: Batch) -> Tensor:
            return total_variation(trace.logits, base(batch)[0])

        def jsd(trace: Trace, batch: Batch) -> Tensor:
            return jensen_shannon_from(trace.attention, base(batch)[1])

        trained = self._weighed(each, corpus, device) if self.class_weights else each
        shown = {"objective": each, "tvd": tvd, "jsd": jsd}
        run = self._from_held_states(model, corpus, device) if self.frozen else None
        return Objective(trained, self.metric, lowest=True, shown=shown, exact=True, run=run)

    def _from_held_states(
        self, model: AttentionModel, corpus: Corpus, device: torch.device
    ) -> Run | None:
        """Say how a frozen adversary goes on from its states; None where these are too many to hold."""
        splits = {"train", self.selected_on}
        if not HeldStates.fit(model, corpus, splits, device):
            return None
        states = HeldStates(model, corpus, splits, device)

        def run(batch: Batch) -> Trace:
            return model.from_states(states(batch), batch, model.embed(batch))

        return run

    def _weighed(self, each: Loss, corpus: Corpus, device: torch.device) -> Loss:
        labels, classes = corpus.splits["train"].labels, len(corpus.classes)
        weights = class_weights(labels, classes).to(device)

        def weighed(trace: Trace, batch: Batch) -> Tensor:
            return each(trace, batch) * weights[batch.labels].sum()

        return weighed


def _held(model: Spec) -> dict[str, Any]:
    """Return all choices of a model but that of its attention."""
    return {name: value for name, value in model.model_dump().items() if name != "attention"}
