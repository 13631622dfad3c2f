"""What a model, or an encoder, that does not change says of the texts: computed once, then looked up."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus
from attex.foundations.memory import held_budget_on
from attex.models.classifier import AttentionModel
from attex.training.prediction import evaluation_batches


class HeldWeights:
    """A distribution over the scorable tokens of each text of whole splits, by the ids of the texts.

    They lie on the device, flat: a batch has its texts' weights [B,T] however it is padded.
    """

    @torch.no_grad()
    def __init__(
        self,
        weigh: Callable[[Batch], Tensor],
        corpus: Corpus,
        splits: set[str],
        device: torch.device,
    ) -> None:
        ids, lengths, weights = [], [], []
        for batch in _batches(corpus, splits, device):
            ids.append(batch.ids)
            lengths.append(batch.scorable.sum(dim=1))
            weights.append(weigh(batch)[batch.scorable])
        self.places = _Places(ids, lengths)
        self.flat = torch.cat(weights)
        """Of all scorable tokens of all texts."""

    def __call__(self, batch: Batch) -> Tensor:
        """Look texts of the splits up: [B,T], 0 where nothing is scored."""
        weights = self.flat[self.places.of(self.places.texts(batch), batch.scorable)]
        return weights.where(batch.scorable, 0.0)


class HeldOutputs:
    """The logits and the attention of a model on whole splits, by the ids of the texts.

    The weights are in float64, in which softmax does not run out of numbers as it does in float32: KL
    needs the logarithm of each.
    """

    @torch.no_grad()
    def __init__(
        self, model: AttentionModel, corpus: Corpus, splits: set[str], device: torch.device
    ) -> None:
        logits = []
        model.eval()

        def weigh(batch: Batch) -> Tensor:
            trace = model(batch)
            logits.append(trace.logits)
            return model.weigh(trace.energies.double(), batch)

        self._attention = HeldWeights(weigh, corpus, splits, device)
        self._logits = torch.cat(logits)

    @property
    def weights(self) -> Tensor:
        """Of all scorable tokens of all texts, flat."""
        return self._attention.flat

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Look texts of the splits up: logits [B,O] and attention [B,T], 0 where nothing is scored."""
        return self._logits[self._attention.places.texts(batch)], self._attention(batch)


class HeldStates:
    """The hidden states of a model whose encoder does not change, on whole splits, by ids.

    They lie on the device, flat, those of markers among them: a batch has its texts' states [B,T,m]
    however it is padded, and 0 at padding, as encoders leave it.
    """

    @torch.no_grad()
    def __init__(
        self, model: AttentionModel, corpus: Corpus, splits: set[str], device: torch.device
    ) -> None:
        ids, lengths, end = [], [], _positions(corpus, splits)
        # All in one tensor from the first: to put parts together would take twice the memory. The row
        # behind the last state stays 0, for padding.
        self._states = model.embedding.weight.new_zeros(end + 1, model.encoder.width)
        self._padding, start = end, 0
        model.eval()
        for batch in _batches(corpus, splits, device):
            states = model.encode(model.embed(batch), batch)[batch.mask]
            self._states[start : start + len(states)] = states
            start += len(states)
            ids.append(batch.ids)
            lengths.append(batch.mask.sum(dim=1))
        self._places = _Places(ids, lengths)

    @staticmethod
    def fit(model: AttentionModel, corpus: Corpus, splits: set[str], device: torch.device) -> bool:
        """Say whether there is room for the states of these splits."""
        bytes_each = model.encoder.width * model.embedding.weight.element_size()
        return _positions(corpus, splits) * bytes_each <= held_budget_on(device)

    def __call__(self, batch: Batch) -> Tensor:
        """Look texts of the splits up: [B,T,m]."""
        places = self._places.of(self._places.texts(batch), batch.mask)
        return self._states[places.where(batch.mask, self._padding)]


class _Places:
    """Where texts lie that were laid out flat, one behind the other: ids and lengths, batch by batch.

    Steps that a GPU records ask for it, so that it must not look at a value.
    """

    def __init__(self, ids: list[Tensor], lengths: list[Tensor]) -> None:
        self._ids, self._order = torch.cat(ids).sort()
        each = torch.cat(lengths)
        self._starts = each.cumsum(0) - each

    def texts(self, batch: Batch) -> Tensor:
        """Return which of all texts those of a batch are: [B]."""
        return self._order[torch.searchsorted(self._ids, batch.ids)]

    def of(self, texts: Tensor, counted: Tensor) -> Tensor:
        """Say where what `counted` [B,T] marks of these texts [B] lies: [B,T], anywhere for the rest."""
        rank = (counted.cumsum(dim=1) - 1).clamp(min=0)
        return self._starts[texts][:, None] + rank


def _batches(corpus: Corpus, splits: set[str], device: torch.device) -> Iterator[Batch]:
    for split in sorted(splits):
        texts = Batcher(corpus, split, device)
        yield from texts.batches(evaluation_batches(texts))


def _positions(corpus: Corpus, splits: set[str]) -> int:
    return sum(int(Batcher(corpus, split).lengths.sum()) for split in splits)
