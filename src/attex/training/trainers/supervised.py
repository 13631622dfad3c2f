"""Train on labels, keep the best model by a development metric."""

from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch, Batcher, training_batches
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.progress import say, track
from attex.foundations.registry import LATER
from attex.models.classifier import AttentionModel
from attex.training import checkpoint as checkpoints
from attex.training.graphs import RecordedSteps
from attex.training.log_odds import LogOddsPull, check_two_classes
from attex.training.loss import class_weights, classification_loss
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS, Trainer

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]


@TRAINERS.register("supervised", cite="Jain & Wallace 2019")
class Supervised(Trainer):
    """Adam (AMSGrad) on weighted cross-entropy, the best development model kept.

    The loss is summed over a batch, as in Jain & Wallace's code: Adam does not mind, but the
    weight decay inside it is 32 times weaker than beside a mean. `patience` epochs without a
    better `metric` on dev end the training early; `first_kept_epoch` is the first whose model may be
    kept (Jain & Wallace's code never keeps the first). The order of the batches depends on
    (seed, epoch) only, so that a resumed training is the same to the bit on CPU.

    `log_odds_weight` · mean JSD(α, α_log-odds) is added to the loss of a batch, summed or not, as in
    Jain & Wallace's code (5 there): attention is drawn to words that alone say much of the class. The
    losses of the history are without it.
    """

    def __init__(
        self,
        *,
        epochs: Count = 8,
        batch_size: Count = 32,
        max_batch_tokens: Count = 32_768,
        learning_rate: Positive = 1e-3,
        weight_decay: NonNegative = 1e-5,
        attention_rate_factor: Positive = 1.0,
        decay_attention: bool = False,
        amsgrad: bool = True,
        class_weights: bool = True,
        reduction: Literal["sum", "mean"] = "sum",
        metric: Literal["roc_auc", "accuracy"] = "roc_auc",
        patience: Count | None = None,
        first_kept_epoch: Count = 1,
        log_odds_weight: Annotated[NonNegative, LATER] = 0.0,
    ) -> None:
        self.epochs = epochs
        self.batch_size = batch_size
        self.max_batch_tokens = max_batch_tokens
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.attention_rate_factor = attention_rate_factor
        self.decay_attention = decay_attention
        self.amsgrad = amsgrad
        self.class_weights = class_weights
        self.reduction = reduction
        self.metric = metric
        self.patience = patience
        self.first_kept_epoch = first_kept_epoch
        self.log_odds_weight = log_odds_weight

    def check(self, corpus: Corpus) -> None:
        """Ask for dev texts of every class where they are ranked by class; two classes for log-odds."""
        if self.log_odds_weight:
            check_two_classes(corpus, "trainer.log_odds_weight")
        found = set(corpus.splits["dev"].labels.tolist())
        if self.metric == "roc_auc" and len(found) < len(corpus.classes):
            raise UserError(
                "the dev texts lack a class, so that their roc_auc is undefined; "
                "set trainer.metric to accuracy, or another split"
            )

    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
    ) -> checkpoints.Progress:
        """Train epoch by epoch, each ending in a checkpoint."""
        optimizer = self.optimizer(model)
        progress = checkpoints.load(checkpoint, model, optimizer)
        dev = Batcher(corpus, "dev", device)
        epochs = Epochs(self, model, optimizer, corpus, device)
        while len(progress.history) < self.epochs and not self._out_of_patience(progress):
            epoch = len(progress.history) + 1
            what = f"seed {seed}, epoch {epoch} of {self.epochs}"
            loss = epochs.run(seed, epoch, what)
            logits = predict(model, dev)
            if not logits.isfinite().all():
                raise UserError(
                    f"{what}: the model's outputs are no numbers; lower trainer.learning_rate"
                )
            scores = classification_metrics(logits, corpus.splits["dev"].labels)
            progress.history.append({"epoch": epoch, "loss": loss} | scores)
            if epoch >= self._first_kept() and scores[self.metric] > progress.best_score:
                progress.best_epoch, progress.best_score = epoch, scores[self.metric]
                progress.best_state = {k: v.detach().clone() for k, v in model.state_dict().items()}
            checkpoints.save(checkpoint, progress, model, optimizer)
            say(f"  {what}: loss {loss:.4f}, dev {self.metric} {scores[self.metric]:.4f}")
        model.load_state_dict(progress.best_state)
        return progress

    def optimizer(self, model: AttentionModel) -> torch.optim.Optimizer:
        """Make one fused optimiser over all parameter groups."""
        groups = model.parameter_groups(
            self.learning_rate,
            self.weight_decay,
            attention_factor=self.attention_rate_factor,
            decay_attention=self.decay_attention,
        )
        on_gpu = model.embedding.weight.is_cuda
        return torch.optim.Adam(groups, amsgrad=self.amsgrad, fused=True, capturable=on_gpu)

    def _first_kept(self) -> int:
        return min(self.first_kept_epoch, self.epochs)

    def _out_of_patience(self, progress: checkpoints.Progress) -> bool:
        # Epochs whose model may not be kept do not try anyone's patience.
        since = len(progress.history) - max(progress.best_epoch, self._first_kept() - 1)
        return self.patience is not None and since >= self.patience


class Epochs:
    """Goes through the training texts, with the data on the device and steps recorded on a GPU."""

    def __init__(
        self,
        trainer: Supervised,
        model: AttentionModel,
        optimizer: torch.optim.Optimizer,
        corpus: Corpus,
        device: torch.device,
    ) -> None:
        self._trainer, self._model, self._optimizer = trainer, model, optimizer
        self._names = corpus.splits["train"].names
        self._train = Batcher(corpus, "train", device)
        classes, labels = len(corpus.classes), corpus.splits["train"].labels
        weights = class_weights(labels, classes) if trainer.class_weights else torch.ones(classes)
        self._weights = weights.to(device)
        self._pull = LogOddsPull(model, corpus, device) if trainer.log_odds_weight else None
        self._steps = RecordedSteps(self._step, trainer.batch_size, device)

    def run(self, seed: int, epoch: int, what: str) -> float:
        """Go through the texts once; return the mean loss of a text."""
        self._model.train()
        train, trainer = self._train, self._trainer
        order = training_batches(
            train.lengths, trainer.batch_size, trainer.max_batch_tokens, seed * 1_000_003 + epoch
        )
        losses = torch.zeros(len(order), device=train.device)
        with self._steps.stream():
            batches = train.batches(order, self._steps.multiple)
            for number, batch in enumerate(track(batches, what, len(order))):
                losses[number] = self._steps(batch)
            # Looked at once an epoch: a look at every step would halt a GPU at every step.
            found = losses.cpu()
        broken = (~found.isfinite()).nonzero()
        if len(broken):
            first = int(broken[0])
            names = ", ".join(self._names[text] for text in order[first][:3])
            raise UserError(
                f"{what}: the loss became {found[first].item()} at batch {first + 1} of "
                f"{len(order)} (texts {names}, …); lower trainer.learning_rate"
            )
        return found.sum().item() / len(train)

    def _step(self, batch: Batch) -> Tensor:
        trace = self._model(batch)
        each = classification_loss(trace.logits, batch.labels, self._weights)
        loss = each.sum() if self._trainer.reduction == "sum" else each.mean()
        if self._pull is not None:
            loss = loss + self._trainer.log_odds_weight * self._pull(trace.attention, batch)
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self._optimizer.step()
        return each.detach().sum()
