"""Train on labels, keep the best model by a development metric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import LATER, RUNTIME
from attex.models.architecture import Architecture
from attex.models.classifier import AttentionModel, Trace
from attex.training.log_odds import LogOddsPull, check_two_classes
from attex.training.loop import EpochTrainer, NonNegative, Objective
from attex.training.loss import class_weights, classification_loss
from attex.training.trainer import TRAINERS, Sources


@TRAINERS.register("supervised", cite="Jain & Wallace 2019")
@dataclass(frozen=True, kw_only=True)
class Supervised(EpochTrainer):
    """Adam (AMSGrad) on weighted cross-entropy, the best development model kept.

    The loss is summed over a batch, as in Jain & Wallace's code: Adam does not mind, but the
    weight decay inside it is 32 times weaker than beside a mean. `patience` epochs without a
    better `metric` on dev end the training early; `first_kept_epoch` is the first whose model may be
    kept (Jain & Wallace's code never keeps the first). The order of the batches depends on
    (seed, epoch) only, so that a resumed training is the same to the bit on CPU. It goes on from the
    last checkpoint, of which one is written whenever an epoch ends `checkpoint_seconds` or more after
    the last (0: after every epoch). `selected_on: 'test'` keeps the epoch that is best on the very texts
    it is then measured on, as in Wiegreffe & Pinter's code. `half` trains on one half of the training
    texts, drawn by a hash of their ids.

    `log_odds_weight` · mean JSD(α, α_log-odds) is added to the loss of a batch, summed or not, as in
    Jain & Wallace's code (5 there): attention is drawn to words that alone say much of the class. The
    losses of the history are without it.

    `beside` is an experiment whose model this one is only compared with (analysis `departure`), never
    trained with: what it does not say is as in the experiment around it. It has the same seed, or those
    that it names: with `{seeds: [0, 1, 2]}` a model is compared with those of all three but itself.
    """

    class_weights: bool = True
    metric: Literal["roc_auc", "accuracy"] = "roc_auc"
    log_odds_weight: Annotated[NonNegative, LATER] = 0.0
    beside: Annotated[dict[str, Any] | None, RUNTIME] = None

    def compared(self) -> Mapping[str, Mapping[str, Any]]:
        """Name the experiment that this one stands beside, if any."""
        return {} if self.beside is None else {"beside": self.beside}

    def check(self, corpus: Corpus) -> None:
        """Ask for dev texts of every class where they are ranked by class; two classes for log-odds."""
        if self.log_odds_weight:
            check_two_classes(corpus, "trainer.log_odds_weight")
        classes = set(corpus.splits[self.selected_on].labels.tolist())
        if self.metric == "roc_auc" and len(classes) < len(corpus.classes):
            raise UserError(
                f"the {self.selected_on} texts lack a class, so that their roc_auc is undefined; "
                "set trainer.metric to accuracy, or another split"
            )

    def check_architecture(self, architecture: Architecture) -> None:
        """Take any kind of model, but for log-odds one whose attention is over words."""
        if self.log_odds_weight and architecture.path is not None:
            raise UserError(
                "trainer.log_odds_weight: log-odds are of words, and this model reads pieces of them"
            )

    def objective(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
    ) -> Objective:
        """Weigh the classes, and draw attention to log-odds where asked for."""
        classes, labels = len(corpus.classes), corpus.splits["train"].labels
        weights = class_weights(labels, classes) if self.class_weights else torch.ones(classes)
        weights = weights.to(device)

        def each(trace: Trace, batch: Batch) -> Tensor:
            return classification_loss(trace.logits, batch.labels, weights)

        if not self.log_odds_weight:
            return Objective(each, self.metric)
        pull = LogOddsPull(model, corpus, device)

        def drawn(trace: Trace, batch: Batch) -> Tensor:
            return self.log_odds_weight * pull(trace.attention, batch)

        return Objective(each, self.metric, terms=(drawn,))
