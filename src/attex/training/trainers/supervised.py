"""Train on labels, keep the best model by a development metric."""

from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batcher, training_batches
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.progress import say, track
from attex.models.classifier import AttentionModel
from attex.training import checkpoint as checkpoints
from attex.training.loss import class_weights, classification_loss
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS, Trainer

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]


@TRAINERS.register("supervised", cite="Jain & Wallace 2019")
class Supervised(Trainer):
    """Adam (AMSGrad) on weighted cross-entropy, the best development model kept.

    The loss is summed over a batch, as in Jain & Wallace's code: Adam does not mind, but the
    weight decay inside it is 32 times weaker than beside a mean. `patience` epochs without a
    better `metric` on dev end the training early. The order of the batches depends on
    (seed, epoch) only, so that a resumed training is the same to the bit on CPU.
    """

    def __init__(
        self,
        *,
        epochs: Count = 8,
        batch_size: Count = 32,
        max_batch_tokens: Count = 32_768,
        learning_rate: Positive = 1e-3,
        weight_decay: NonNegative = 1e-5,
        amsgrad: bool = True,
        class_weights: bool = True,
        reduction: Literal["sum", "mean"] = "sum",
        metric: Literal["roc_auc", "accuracy"] = "roc_auc",
        patience: Count | None = None,
    ) -> None:
        self.epochs = epochs
        self.batch_size = batch_size
        self.max_batch_tokens = max_batch_tokens
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.amsgrad = amsgrad
        self.class_weights = class_weights
        self.reduction = reduction
        self.metric = metric
        self.patience = patience

    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
    ) -> checkpoints.Progress:
        """Train epoch by epoch, each ending in a checkpoint."""
        self._check(corpus)
        optimizer = self.optimizer(model)
        progress = checkpoints.load(checkpoint, model, optimizer)
        train, dev = (Batcher(corpus, split, device) for split in ("train", "dev"))
        classes = len(corpus.classes)
        labels = corpus.splits["train"].labels
        weights = class_weights(labels, classes) if self.class_weights else torch.ones(classes)
        weights = weights.to(device)
        while len(progress.history) < self.epochs and not self._out_of_patience(progress):
            epoch = len(progress.history) + 1
            what = f"seed {seed}, epoch {epoch} of {self.epochs}"
            loss = self.run_epoch(model, optimizer, train, weights, seed, epoch, corpus, what)
            scores = classification_metrics(predict(model, dev), corpus.splits["dev"].labels)
            progress.history.append({"epoch": epoch, "loss": loss} | scores)
            if scores[self.metric] > progress.best_score:
                progress.best_epoch, progress.best_score = epoch, scores[self.metric]
                progress.best_state = {k: v.detach().clone() for k, v in model.state_dict().items()}
            checkpoints.save(checkpoint, progress, model, optimizer)
            say(f"  {what}: loss {loss:.4f}, dev {self.metric} {scores[self.metric]:.4f}")
        model.load_state_dict(progress.best_state)
        return progress

    def optimizer(self, model: AttentionModel) -> torch.optim.Optimizer:
        """Make one fused optimiser over all parameter groups."""
        groups = model.parameter_groups(self.weight_decay)
        return torch.optim.Adam(groups, lr=self.learning_rate, amsgrad=self.amsgrad, fused=True)

    def run_epoch(
        self,
        model: AttentionModel,
        optimizer: torch.optim.Optimizer,
        train: Batcher,
        weights: Tensor,
        seed: int,
        epoch: int,
        corpus: Corpus,
        what: str,
    ) -> float:
        """Go through the training texts once; return the mean loss of a text."""
        model.train()
        order = training_batches(
            train.lengths, self.batch_size, self.max_batch_tokens, seed * 1_000_003 + epoch
        )
        losses = torch.zeros(len(order), device=train.device)
        for step, texts in enumerate(track(order, what, len(order))):
            batch = train.batch(texts)
            each = classification_loss(model(batch).logits, batch.labels, weights)
            optimizer.zero_grad(set_to_none=True)
            total = each.sum() if self.reduction == "sum" else each.mean()
            torch.autograd.backward(total)
            optimizer.step()
            losses[step] = each.detach().sum()
        # Looked at once an epoch: a look at every step would halt a GPU at every step.
        broken = (~losses.isfinite()).nonzero()
        if len(broken):
            first = int(broken[0])
            names = ", ".join(corpus.splits["train"].names[text] for text in order[first][:3])
            raise UserError(
                f"{what}: the loss became {losses[first].item()} at batch {first + 1} of "
                f"{len(order)} (texts {names}, …); lower trainer.learning_rate"
            )
        return losses.sum().item() / len(train)

    def _check(self, corpus: Corpus) -> None:
        if self.metric == "roc_auc" and len(set(corpus.splits["dev"].labels.tolist())) < len(
            corpus.classes
        ):
            raise UserError(
                "the dev texts lack a class, so that their roc_auc is undefined; "
                "set trainer.metric to accuracy, or another split"
            )

    def _out_of_patience(self, progress: checkpoints.Progress) -> bool:
        since = len(progress.history) - progress.best_epoch
        return self.patience is not None and since >= self.patience
