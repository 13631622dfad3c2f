"""Copies of texts with some of their words switched off, many of them side by side."""

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.importance.baseline import baseline
from attex.importance.explained import Explained, Target
from attex.models.classifier import AttentionModel
from attex.models.imposed import ImposedAttention

_WORKING_COPIES = 8
"""What a projection makes on its way (sorted, summed up, masked), in copies of its energies."""

_EMBEDDED_COPIES = 4
"""Embeddings of a copy that are there at a time: whole, off, chosen from both, and on their way."""


class Masking:
    """Texts whose words can be switched off, and the number that is explained of what is left.

    A word that is off has the embedding of padding, at all of its pieces. The text keeps its length,
    and markers stay. Words are counted along each text: `words` [B,W] marks those that it has, and
    `counts` [B] says how many. `whole` [B] is the number that is explained of the texts as they are.
    `budget` is the bytes that they may take side by side.
    """

    def __init__(self, model: AttentionModel, batch: Batch, target: Target, budget: int) -> None:
        self._scorable, scored = batch.scorable, batch.scored
        self._slots = (scored.cumsum(dim=1) - 1).clamp(min=0)
        self.counts = scored.sum(dim=1)
        numbers = torch.arange(max(1, int(self.counts.max())), device=scored.device)
        self.words = numbers < self.counts[:, None]
        self._copies = (_Mixed if model.encoder.position_wise else _Encoded)(model, batch)
        texts = torch.arange(len(batch), device=scored.device)
        kept = torch.ones_like(batch.mask)
        # As every copy is made, so that one with nothing off differs by no rounding.
        parts = spans(len(batch), self._copies.bytes_each, budget)
        logits = torch.cat([self._copies.logits(texts[span], kept[span]) for span in parts])
        self._explained = Explained.of(logits, target)
        self.whole = self._explained(logits).double()

    def values(self, texts: Tensor, on: Tensor, budget: int) -> Tensor:
        """Return what is explained of copies of texts [R] with the words on that `on` [R,W] marks: [R].

        In float64. Copies run side by side under `budget` bytes.
        """
        found = torch.empty(len(texts), dtype=torch.float64, device=on.device)
        for span in steps(spans(len(texts), self._copies.bytes_each, budget)):
            some = texts[span]
            kept = on[span].gather(1, self._slots[some]) | ~self._scorable[some]
            found[span] = self._explained[some](self._copies.logits(some, kept)).double()
        return found

    def by_position(self, values: Tensor) -> Tensor:
        """Bring values [B,W] of words to the positions of all their pieces: [B,T]."""
        return values.gather(1, self._slots)

    def number(self, texts: Tensor, positions: Tensor) -> Tensor:
        """Return which word of its text stands at a position: [R], [R] → [R]."""
        return self._slots[texts, positions]


class _Encoded:
    """Copies that the model reads anew. A query is asked, and weights are imposed, once for all."""

    def __init__(self, model: AttentionModel, batch: Batch) -> None:
        self._model, self._batch = model, batch
        self._on, self._off = model.embed(batch), baseline(model, batch)
        self._asked = model.ask(batch)
        self._imposed = model.weigh(self._on[..., 0], batch) if _is_imposed(model) else None

    @property
    def bytes_each(self) -> int:
        """Bytes that one copy takes."""
        embedded = self._on.element_size() * self._on[0].numel()
        return self._model.encoder.bytes_for(self._on) + _EMBEDDED_COPIES * embedded

    def logits(self, texts: Tensor, kept: Tensor) -> Tensor:
        """Return the logits [R,O] of copies of texts [R] that keep these positions [R,T]."""
        model, some = self._model, self._batch.take(texts)
        embedded = self._on[texts].where(kept[..., None], self._off[texts])
        if self._asked is None and self._imposed is None:
            return model.resume(embedded, some).logits
        asked = None if self._asked is None else self._asked[texts]
        hidden = model.encode(embedded, some)
        weights = self._weights(model.score(hidden, some, asked), texts, some)
        return model.decode(hidden, weights, some, asked)

    def _weights(self, energies: Tensor, texts: Tensor, some: Batch) -> Tensor:
        return self._model.weigh(energies, some) if self._imposed is None else self._imposed[texts]


class _Mixed(_Encoded):
    """Copies of states that depend on their own word only: put together, and not read anew."""

    def __init__(self, model: AttentionModel, batch: Batch) -> None:
        super().__init__(model, batch)
        on, off = (model.encode(embedded, batch) for embedded in (self._on, self._off))
        self._energies = [model.score(hidden, batch, self._asked) for hidden in (on, off)]
        self._readouts = [model.readout(hidden, batch, self._asked) for hidden in (on, off)]

    @property
    def bytes_each(self) -> int:
        """Bytes that one copy takes."""
        values = self._readouts[0].values
        return values.element_size() * values.shape[1] * (_WORKING_COPIES + 3 * values.shape[2])

    def logits(self, texts: Tensor, kept: Tensor) -> Tensor:
        """Return the logits [R,O] of copies of texts [R] that keep these positions [R,T]."""
        on, off = self._energies
        read, unread = self._readouts
        energies = on[texts].where(kept, off[texts])
        weights = self._weights(energies, texts, self._batch.take(texts))
        values = read.values[texts].where(kept[..., None], unread.values[texts])
        return read.of(texts, values).decode(weights)


def _is_imposed(model: AttentionModel) -> bool:
    return isinstance(model, ImposedAttention)
