"""Encoders: embeddings to hidden states, and the same for every text less one token."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.foundations.registry import Registry
from attex.models.layers import LayerParts
from attex.models.reads import Read

Width = Annotated[int, Field(ge=1, le=8192)]
"""The width of a layer, as an option."""

_STATES_PER_POSITION = 8
"""Hidden-sized temporaries an encoder makes for a position (LSTM: four gates, state, output)."""

_STATES_KEPT = 48
"""Hidden-sized rows that a gradient may need kept of a position."""


@dataclass(frozen=True)
class Encoded:
    """Whole texts to delete from: embedded [B,T,d], their states hidden [B,T,m], mask [B,T].

    deleted [B,T] marks the positions to delete, one at a time.
    """

    embedded: Tensor
    hidden: Tensor
    mask: Tensor
    deleted: Tensor

    def __getitem__(self, texts: slice) -> "Encoded":
        return Encoded(self.embedded[texts], self.hidden[texts], self.mask[texts], self.deleted[texts])

    def __len__(self) -> int:
        return len(self.embedded)


@dataclass(frozen=True)
class Deletions:
    """Variants of the batch's texts with one position gone.

    texts [R] and positions [R] say which; reads[i] are what the i-th `Read` gives: [R,T−1,…] where
    the sequence is `closed` up, else [R,T,…] with nothing of meaning at the deleted position.
    """

    texts: Tensor
    positions: Tensor
    reads: tuple[Tensor, ...]
    closed: bool = False

    def placed(self, values: Tensor) -> Tensor:
        """Bring values [B,T,…] of the whole texts to the places of the reads."""
        whole = values[self.texts]
        return _close_up(whole, self.positions) if self.closed else whole

    def remaining(self, mask: Tensor) -> Tensor:
        """Say which places of the reads a mask [B,T] of the whole texts leaves."""
        placed = self.placed(mask)
        return placed if self.closed else placed.scatter(1, self.positions[:, None], False)


class Encoder(nn.Module, ABC):
    """embedded [B,T,d], mask [B,T] → hidden [B,T,width]; zero off the mask."""

    width: int
    position_wise: ClassVar[bool] = False
    """Whether a hidden state depends on its own token only."""
    reads_pieces: ClassVar[bool] = False
    """Whether its positions are pieces of words, which it looks up in a table of its own."""
    layers_on_request: ClassVar[bool] = False
    """Whether its self-attention is too large to be kept in every trace: `trace` alone gives it."""
    memory_factor: int = 1
    """How many times the memory of a small encoder a position takes, about: batches are smaller."""
    weights_per_position: int = 0
    """Rows as long as the text that are made for a position, all heads together: self-attention."""
    layer_count: int = 0
    """How many layers of self-attention it is made of: those that `layer_parts` yields."""
    heads: int = 0
    """How many heads each of them has."""

    @property
    def lengths_vary(self) -> bool:
        """Whether hidden states can differ in length: normalised ones may not."""
        return True

    @property
    def reach(self) -> int | None:
        """How many tokens away the furthest is that a state depends on; None where there is no limit."""
        return 0 if self.position_wise else None

    def enter(self, embedded: Tensor, batch: Batch) -> Tensor:
        """Add what the encoder is told of a position beside its token: [B,T,d] → [B,T,d]."""
        return embedded

    @abstractmethod
    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Encode every text as if it were alone."""

    def trace(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor | None]:
        """Encode, and return the self-attention [B,layers,heads,T,T] of an encoder that has any."""
        return self(embedded, mask), None

    def layer_parts(self, embedded: Tensor, mask: Tensor) -> Iterator[LayerParts]:
        """Yield the layers of self-attention, the first one first; none where there is no such layer."""
        return iter(())

    def onward(self, states: Tensor, mask: Tensor, layer: int) -> Tensor:
        """Encode on from the states [B,T,m] that leave one of its layers, counted from 0."""
        raise TypeError(f"{type(self).__name__} has no layers of self-attention")

    def summary(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Sum a text up, as a query is: hidden [B,T,width] → [B,width].

        The base class takes the mean over the real positions.
        """
        counts = mask.sum(dim=1, keepdim=True).clamp(min=1)
        return hidden.masked_fill(~mask[..., None], 0.0).sum(dim=1) / counts

    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Read the hidden states of every text less each position to delete.

        The base class re-encodes each variant, in chunks under `budget` bytes. An override is
        for speed only and is tested equal to this.
        """
        embedded, mask = whole.embedded, whole.mask
        texts, positions = whole.deleted.nonzero(as_tuple=True)
        for span in steps(spans(len(texts), self.bytes_for(embedded[:, 1:]), budget)):
            text, position = texts[span], positions[span]
            variants = self(_close_up(embedded[text], position), _close_up(mask[text], position))
            without = tuple(read.of(text)(variants) for read in reads)
            yield Deletions(text, position, without, closed=True)

    def bytes_for(self, embedded: Tensor) -> int:
        """Say how much memory encoding one text takes that is as long as those of embedded [B,T,d]."""
        _, length, width = embedded.shape
        floats = width + _STATES_PER_POSITION * self.width + self.weights_per_position * length
        return embedded.element_size() * max(1, length) * floats

    def influences(
        self, embedded: Tensor, mask: Tensor, directions: Tensor, budget: int
    ) -> Iterator[tuple[slice, Tensor]]:
        """Measure how far each state turns with each token: ‖u_pᵀ ∂h_p/∂e_i‖₂.

        embedded [B,T,d]; directions u [B,T,width], 0 for a state that is not asked for. Yields some
        texts under `budget` bytes and their norms [b,T,T], state and token. The base class goes back
        once for each position, all texts together. Where states have a `reach`, it goes back at once
        from positions so far apart that no token is within it of two of them. An override is for speed
        only and is tested equal to this.
        """
        length = embedded.shape[1]
        reach = length if self.reach is None else self.reach
        apart = 2 * reach + 1
        token = torch.arange(length, device=embedded.device)
        for span in steps(spans(len(embedded), self.gradient_bytes(embedded), budget)):
            with torch.enable_grad():
                tokens = embedded[span].detach().requires_grad_()
                states = self(tokens, mask[span])
            norms = tokens.new_zeros(len(tokens), length, length)
            # One look for all positions: a GPU is waited for at each.
            asked = directions[span].any(dim=-1).any(dim=0).tolist()
            firsts = [first for first in range(min(length, apart)) if any(asked[first::apart])]
            for first in steps(firsts):
                together = torch.zeros_like(directions[span])
                together[:, first::apart] = directions[span, first::apart]
                (slope,) = torch.autograd.grad(states, tokens, together, retain_graph=True)
                # A token turns the state that is nearest to it, and no other of these.
                state = first + (token - first + reach).div(apart, rounding_mode="floor") * apart
                there = (state >= 0) & (state < length)
                values = torch.linalg.vector_norm(slope, dim=-1)
                norms[:, state[there], token[there]] = values[:, there]
            yield span, norms

    def gradient_bytes(self, embedded: Tensor) -> int:
        """Say how much memory the gradient of one of these texts may take: embedded [B,T,d]."""
        length, width = embedded.shape[1:]
        floats = width * 3 + self.width * _STATES_KEPT + length * (1 + 2 * self.weights_per_position)
        return embedded.element_size() * length * floats


def drop_each(deleted: Tensor, values: Sequence[Tensor], budget: int) -> Iterator[Deletions]:
    """Drop each position that `deleted` [B,T] marks from what was read, and leave the rest as it was.

    values[i] [B,T,…] are what the i-th read gives of the whole texts.
    """
    texts, positions = deleted.nonzero(as_tuple=True)
    bytes_each = sum(value[0].numel() * value.element_size() for value in values)
    for span in steps(spans(len(texts), bytes_each, budget)):
        text, position = texts[span], positions[span]
        yield Deletions(text, position, tuple(value[text] for value in values))


ENCODERS: Registry[Encoder] = Registry("encoder", "attex.models.encoders", default="lstm", requires={})
"""Fact of an encoder: packages that it `requires`, each with what brings it."""


def _close_up(values: Tensor, positions: Tensor) -> Tensor:
    """Drop position[r] from values[r]: [R,T,…] → [R,T−1,…]."""
    kept = torch.arange(values.shape[1] - 1, device=values.device)
    source = kept + (kept >= positions[:, None])
    return values[torch.arange(len(values), device=values.device)[:, None], source]
