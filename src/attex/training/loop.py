"""Epoch by epoch through the training texts, whatever is made small."""

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch, Batcher, padded_sizes, training_batches
from attex.data.corpus import Corpus
from attex.foundations.devices import training_steps
from attex.foundations.errors import UserError
from attex.foundations.progress import say, steps, track
from attex.foundations.registry import LATER, RUNTIME
from attex.models.classifier import AttentionModel
from attex.models.guided import in_second_half
from attex.training import checkpoint as checkpoints
from attex.training.graphs import RecordedSteps
from attex.training.metrics import classification_metrics
from attex.training.prediction import Predictor, Run, Score
from attex.training.trainer import NO_SOURCES, Sources, Trainer

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]

Loss = Score
"""Read off one forward pass. A GPU records it with the step, so that it must not look at a value."""


@dataclass(frozen=True)
class Objective:
    """What a training makes small, and the epoch whose model it keeps."""

    each: Loss
    """The loss of every text: [B]. The history has its mean."""
    kept_by: str
    """The column of the history by which an epoch is best."""
    lowest: bool = False
    """Whether the lowest is best, and not the highest."""
    terms: tuple[Loss, ...] = ()
    """What is added to the loss of a batch as a whole, summed or not: [] each."""
    shown: Mapping[str, Score] = field(default_factory=dict)
    """What else the history says of the texts that epochs are judged by: the mean of each score."""
    exact: bool = False
    """Whether a GPU must keep all bits in a step: its outputs are held against another model's, say."""
    run: Run | None = None
    """How texts are run in place of the model itself, where what is held is not computed again."""

    def score(self, epoch: dict[str, float]) -> float:
        """Say how good an epoch was; higher is better."""
        return -epoch[self.kept_by] if self.lowest else epoch[self.kept_by]


@dataclass(frozen=True, kw_only=True)
class EpochTrainer(Trainer):
    """Adam on an objective, the best model kept; the options are described where they are used.

    The order of the batches depends on (seed, epoch) only, so that a resumed training is the same to
    the bit on CPU. Epochs are judged on the split `selected_on`: on test only to repeat what was
    published so, since the numbers of that split are then too good. With `half` only the texts of one
    half are trained on, by a hash of their ids.
    """

    epochs: Count = 8
    batch_size: Count = 32
    max_batch_tokens: Count = 32_768
    learning_rate: Positive = 1e-3
    weight_decay: NonNegative = 1e-5
    attention_rate_factor: Positive = 1.0
    decay_attention: bool = False
    amsgrad: bool = True
    reduction: Literal["sum", "mean"] = "sum"
    patience: Count | None = None
    first_kept_epoch: Count = 1
    selected_on: Annotated[Literal["dev", "test"], LATER] = "dev"
    half: Annotated[Literal["first", "second"] | None, LATER] = None
    checkpoint_seconds: Annotated[NonNegative, RUNTIME] = 15.0

    @abstractmethod
    def objective(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
    ) -> Objective:
        """Prepare what is made small; the sources are held as they are, and in evaluation mode."""

    def fit(
        self,
        model: AttentionModel,
        corpus: Corpus,
        seed: int,
        checkpoint: Path,
        device: torch.device,
        sources: Sources = NO_SOURCES,
    ) -> checkpoints.Progress:
        """Train epoch by epoch; what a kill undoes is at most `checkpoint_seconds` and an epoch."""
        for source in sources.values():
            source.eval().requires_grad_(False)
        trained = self.wrap(model, sources)
        objective = self.objective(trained, corpus, device, sources)
        optimizer = self.optimizer(trained)
        progress = checkpoints.load(checkpoint, trained, optimizer)
        epochs = Epochs(self, objective, trained, optimizer, corpus, seed, device)
        try:
            self._go_through(epochs, progress, trained, optimizer, checkpoint)
        finally:
            epochs.close()
        trained.load_state_dict(progress.best_state)
        return progress

    def estimate(
        self, model: AttentionModel, corpus: Corpus, device: torch.device, worth: float
    ) -> float | None:
        """Time steps on batches of several sizes; on a GPU, which records them first, none is told."""
        if self.sources() or device.type != "cpu":
            return None
        objective = self.objective(model, corpus, device, NO_SOURCES)
        epochs = Epochs(self, objective, model, self.optimizer(model), corpus, 0, device)
        return epochs.estimate(self.epochs, worth)

    def _go_through(
        self,
        epochs: "Epochs",
        progress: checkpoints.Progress,
        trained: AttentionModel,
        optimizer: torch.optim.Optimizer,
        checkpoint: Path,
    ) -> None:
        """Train until the last epoch, or until patience ends."""
        corpus, predict, written = epochs.corpus, epochs.predictor(), monotonic()
        to_do = range(len(progress.history) + 1, self.epochs + 1)
        for epoch in track(to_do, f"seed {epochs.seed}, training", len(to_do)):
            if self._out_of_patience(progress):
                break
            what = f"seed {epochs.seed}, epoch {epoch} of {self.epochs}"
            with epochs.stream():
                losses = epochs.run(epoch)
                # The first look at what a GPU has done in this epoch: until here it never waits.
                logits, shown = predict(trained, epochs.objective.shown, epochs.objective.run)
            loss = epochs.mean(losses, epoch, what)
            if not _are_numbers(logits, corpus.splits[self.selected_on].candidates):
                raise UserError(
                    f"{what}: the model's outputs are no numbers; lower trainer.learning_rate"
                )
            scores = classification_metrics(logits, corpus.splits[self.selected_on].labels) | shown
            row = {"epoch": epoch, "loss": loss} | scores
            progress.history.append(row)
            score = epochs.objective.score(row)
            if epoch >= self._first_kept() and score > progress.best_score:
                progress.keep(trained, epoch, score)
            # Up to five times the size of the model (its best state, three of Adam's): too much to write
            # after every short epoch.
            if monotonic() - written >= self.checkpoint_seconds:
                checkpoints.save(checkpoint, progress, trained, optimizer)
                written = monotonic()
            told = [name for name in scores if name in (*shown, epochs.objective.kept_by)]
            judged = [f"{self.selected_on} {name} {row[name]:.4f}" for name in told]
            say(f"  {what}: {', '.join([f'loss {loss:.4f}', *judged])}")

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


def _set_to_train(model: AttentionModel) -> None:
    """Set a model to training mode, but for the steps of it that are held as they are."""
    model.train()
    for step in model.children():
        weights = [*step.parameters()]
        if weights and not any(weight.requires_grad for weight in weights):
            step.eval()


def _are_numbers(logits: Tensor, candidates: Tensor | None) -> bool:
    """Say whether all logits [N,O] are finite; those of outputs that are no candidates need not be."""
    finite = logits.isfinite()
    return bool((finite if candidates is None else finite | ~candidates).all())


class Epochs:
    """Goes through the training texts, with the data on the device and steps recorded on a GPU."""

    def __init__(
        self,
        trainer: EpochTrainer,
        objective: Objective,
        model: AttentionModel,
        optimizer: torch.optim.Optimizer,
        corpus: Corpus,
        seed: int,
        device: torch.device,
    ) -> None:
        self.objective, self.corpus, self.seed = objective, corpus, seed
        self._trainer, self._device = trainer, device
        self._model, self._optimizer = model, optimizer
        self._run: Run = model if objective.run is None else objective.run
        self._names = corpus.splits["train"].names
        self._train = Batcher(corpus, "train", device)
        self._texts = np.arange(len(self._train))
        if trainer.half is not None:
            second = in_second_half(corpus.splits["train"].ids).numpy()
            self._texts = np.flatnonzero(second if trainer.half == "second" else ~second)
        self._steps = RecordedSteps(self._step, trainer.batch_size, device)
        self._orders: dict[int, list[np.ndarray]] = {}

    def predictor(self) -> Predictor:
        """Cut the texts that epochs are judged by once for all epochs."""
        return Predictor(Batcher(self.corpus, self._trainer.selected_on, self._device))

    def close(self) -> None:
        """Give back what recorded steps hold of a GPU's memory."""
        self._steps.forget()

    def stream(self) -> AbstractContextManager[object]:
        """Where a GPU's work on the model must run, from the first step to the last look."""
        return self._steps.stream()

    def run(self, epoch: int) -> Tensor:
        """Go through the texts once; return the loss of every batch, which a GPU may still work on."""
        _set_to_train(self._model)
        order = self._order(epoch)
        self._orders = {epoch: order}
        losses = torch.zeros(len(order), device=self._train.device)
        batches = self._train.batches(order, self._steps.width)
        sizes = padded_sizes(self._train.lengths, order)
        # What is dropped out depends on seed and epoch only: a training that goes on drops out the same.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._number(epoch))
            for number, batch in enumerate(steps(batches, sizes)):
                losses[number] = self._steps(batch)
        if epoch < self._trainer.epochs:
            # Cut now, while a GPU is still at work: later it would wait for it.
            self._orders[epoch + 1] = self._order(epoch + 1)
        return losses

    def estimate(self, count: int, worth: float) -> float | None:
        """Time a few steps, and say what so many epochs take; None if that is less than `worth`."""
        _set_to_train(self._model)
        order = self._order(1)
        sizes = np.array(padded_sizes(self._train.lengths, order))
        by_size = np.argsort(sizes, kind="stable")
        small, middle, large = (int(by_size[int(q * (len(order) - 1))]) for q in (0.1, 0.5, 0.9))

        def timed(number: int) -> float:
            batch = self._train.batch(order[number])
            began = monotonic()
            self._step(batch)
            return monotonic() - began

        timed(small)
        at_least = timed(small)
        if 4 * at_least * len(order) * count < worth:
            return None
        seconds = np.array([at_least, timed(middle), timed(large)])
        # A step costs something however small its batch is, and the rest grows with the batch.
        spread = sizes[large] - sizes[small]
        slope = max(0.0, (seconds[2] - seconds[0]) / spread) if spread else 0.0
        base = max(0.0, float(seconds.mean() - slope * sizes[[small, middle, large]].mean()))
        return count * float(base * len(order) + slope * sizes.sum())

    def _order(self, epoch: int) -> list[np.ndarray]:
        trainer = self._trainer
        if epoch in self._orders:
            return self._orders[epoch]
        lengths, seed = self._train.lengths[self._texts], self._number(epoch)
        cut = training_batches(lengths, trainer.batch_size, trainer.max_batch_tokens, seed)
        return [self._texts[chosen] for chosen in cut]

    def _number(self, epoch: int) -> int:
        return self.seed * 1_000_003 + epoch

    def mean(self, losses: Tensor, epoch: int, what: str) -> float:
        """Return the mean loss of a text in the last epoch, or raise `UserError` if one is not finite.

        Looked at once an epoch: a look at every step would halt a GPU at every step.
        """
        losses, order = losses.cpu(), self._orders[epoch]
        broken = (~losses.isfinite()).nonzero()
        if len(broken):
            first = int(broken[0])
            names = ", ".join(self._names[text] for text in order[first][:3])
            raise UserError(
                f"{what}: the loss became {losses[first].item()} at batch {first + 1} of "
                f"{len(order)} (texts {names}, …); lower trainer.learning_rate"
            )
        return losses.sum().item() / len(self._texts)

    def _step(self, batch: Batch) -> Tensor:
        with training_steps(self.objective.exact):
            return self._stepped(batch)

    def _stepped(self, batch: Batch) -> Tensor:
        trace = self._run(batch)
        each = self.objective.each(trace, batch)
        loss = each.sum() if self._trainer.reduction == "sum" else each.mean()
        for term in self.objective.terms:
            loss = loss + term(trace, batch)
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self._optimizer.step()
        return each.detach().sum()
