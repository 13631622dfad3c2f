"""Padded batches: what a model sees of the texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from attex.data.corpus import END, PAD, START, UNKNOWN, Corpus


@dataclass(frozen=True)
class Batch:
    """Texts side by side; True means "counts".

    tokens [B,T]; mask [B,T] real positions, always a prefix; scorable [B,T] real and not a start
    or end marker; labels [B]; ids [B], stable per text; truth [B,T] or None.
    """

    tokens: Tensor
    mask: Tensor
    scorable: Tensor
    labels: Tensor
    ids: Tensor
    truth: Tensor | None = None

    def __len__(self) -> int:
        return self.tokens.shape[0]

    def to(self, device: torch.device | str) -> "Batch":
        """Move every tensor."""
        moved = {
            field.name: value.to(device)
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), Tensor)
        }
        return replace(self, **moved)


class Batcher:
    """Cuts batches out of one split; the arrays lie on the device once."""

    def __init__(self, corpus: Corpus, split: str, device: torch.device | str = "cpu") -> None:
        part = corpus.splits[split]
        known = part.words.long()
        self._tokens = known.where(known < corpus.vocabulary_size, UNKNOWN).to(device)
        self._truth = None if part.truth is None else part.truth.to(device)
        self._starts = part.starts.to(device)
        self._labels = part.labels.to(device)
        self._ids = part.ids.to(device)
        self.lengths = part.lengths.numpy() + 2
        self.device = torch.device(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, texts: Sequence[int] | np.ndarray) -> Batch:
        """Pad the named texts to the longest of them, each between a start and an end marker."""
        chosen = np.asarray(texts)
        width = int(self.lengths[chosen].max())
        index = torch.from_numpy(chosen).to(self.device)
        length = (self._starts[index + 1] - self._starts[index] + 2)[:, None]
        position = torch.arange(width, device=self.device)
        mask = position < length
        scorable = mask & (position > 0) & (position < length - 1)
        source = (self._starts[index][:, None] + position - 1).where(scorable, 0)
        tokens = self._tokens[source].where(scorable, PAD)
        tokens = tokens.where(position > 0, START).where(position != length - 1, END)
        truth = None if self._truth is None else self._truth[source] & scorable
        return Batch(tokens, mask, scorable, self._labels[index], self._ids[index], truth)


def training_batches(
    lengths: np.ndarray, batch_size: int, max_tokens: int, seed: int
) -> list[np.ndarray]:
    """Cut one epoch: texts of like length (up to 10 % noise) together, batches in random order."""
    rng = np.random.default_rng(seed)
    noisy = lengths * rng.uniform(0.9, 1.1, len(lengths))
    batches = list(_cut(np.argsort(noisy, kind="stable"), lengths, batch_size, max_tokens))
    return [batches[i] for i in rng.permutation(len(batches))]


def ordered_batches(lengths: np.ndarray, max_tokens: int) -> list[np.ndarray]:
    """Cut all texts, by length, into as few batches as the budget of padded tokens allows."""
    order = np.argsort(lengths, kind="stable")
    return list(_cut(order, lengths, len(lengths), max_tokens))


def _cut(
    order: np.ndarray, lengths: np.ndarray, batch_size: int, max_tokens: int
) -> Iterator[np.ndarray]:
    start, widest = 0, 0
    for end, text in enumerate(order):
        widest = max(widest, int(lengths[text]))
        if end > start and (end - start == batch_size or (end + 1 - start) * widest > max_tokens):
            yield order[start:end]
            start, widest = end, int(lengths[text])
    if start < len(order):
        yield order[start:]
