"""Two recurrences over padded texts, one in each direction."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.models.encoder import Deletions, Encoded, Encoder
from attex.models.reads import Read
from attex.models.recurrent_deletion import Direction, Placed, State, combine, split_reads
from attex.models.recurrent_influence import Slopes, gradient_norms, straightened


class Bidirectional(Encoder):
    """h_t = [h→_t ; h←_t] of two single-layer recurrences.

    Each text is reversed by its own length and both directions run over padded tensors: padding
    lies behind the text in either direction, so it changes nothing, and the backward pass of
    ragged packing on CPU, which grows with T², is avoided.
    """

    states: int
    """How many tensors the cell carries from token to token."""

    def __init__(self, cell: type[nn.LSTM | nn.GRU], embedding_width: int, hidden: int) -> None:
        super().__init__()
        self.width = 2 * hidden
        self.ahead = cell(embedding_width, hidden, batch_first=True)
        self.back = cell(embedding_width, hidden, batch_first=True)

    @staticmethod
    @abstractmethod
    def advance(inputs: Tensor, recurrent: Tensor, bias: Tensor, state: State) -> None:
        """Read one token in place: inputs [B,G], recurrent [V,B,G] less its bias [G], states [V,B,H].

        The recurrent products are not needed after and may be overwritten.
        """

    @staticmethod
    @abstractmethod
    def slopes(inputs: Tensor, recurrent: Tensor, hidden: Tensor) -> Slopes:
        """Derive every step from its products [T,B,G], biases included, and the state before it."""

    @staticmethod
    @abstractmethod
    def retreat(slopes: Slopes, gradients: State) -> tuple[Tensor, Tensor]:
        """Go back over one token (see `recurrent_influence.Cell`)."""

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Run both directions."""
        return self.both_ways(embedded, mask, lambda cell, tokens: cell(tokens)[0])

    def both_ways(
        self, embedded: Tensor, mask: Tensor, run: Callable[[nn.Module, Tensor], Tensor]
    ) -> Tensor:
        """Let run(cell, tokens [B,T,d]) → [B,T,H] read each text in both directions: [B,T,2H]."""
        mirror = _mirrored(mask)
        ahead, back = run(self.ahead, embedded), run(self.back, _mirror(embedded, mirror))
        hidden = torch.cat([ahead, _mirror(back, mirror)], dim=-1)
        return hidden.masked_fill(~mask[..., None], 0.0)

    def summary(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Take the last state of each direction: [h→_n ; h←_1]."""
        ahead, back = hidden.chunk(2, dim=-1)
        last = (mask.sum(dim=1) - 1).clamp(min=0)[:, None, None].expand(-1, 1, ahead.shape[-1])
        return torch.cat([ahead.gather(1, last).squeeze(1), back[:, 0]], dim=-1)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Run each variant in one direction only, from the deleted position on."""
        length = whole.mask.shape[1]
        if length < 2:
            return
        products = sum(read.weight.shape[0] for read in reads) + 4 * self.width
        # A few values of every pair of a deleted and a read position, or as many as a layer is wide.
        held = 4 + 2 * sum(read.shape.numel() for read in reads if read.own)
        bytes_each = whole.embedded.element_size() * length * (held * length + 4 * products)
        for span in steps(spans(len(whole), bytes_each, budget)):
            texts, positions = whole.deleted[span].nonzero(as_tuple=True)
            own = [read.of(span) for read in reads]
            without = self._without_each(whole[span], own, texts, positions)
            yield Deletions(texts + span.start, positions, without)

    def _without_each(
        self, whole: Encoded, reads: Sequence[Read], texts: Tensor, positions: Tensor
    ) -> tuple[Tensor, ...]:
        embedded, deleted = whole.embedded, whole.deleted
        mirror = _mirrored(whole.mask)
        # A marker in front is never deleted: the longest variant of each direction need not run.
        first, first_back = (
            _first_column(x) for x in (deleted, _mirror(deleted[..., None], mirror)[..., 0])
        )
        ahead, back = whole.hidden.chunk(2, dim=-1)
        shares_ahead, shares_back, values_ahead, values_back = split_reads(reads, ahead, back)
        forward = Direction(self.ahead, self.advance, self.states, shares_ahead)
        backward = Direction(self.back, self.advance, self.states, shares_back)
        mirrored = [
            _mirror(values if read.offset is None else values + read.offset, mirror)
            for values, read in zip(values_ahead, reads, strict=True)
        ]
        placed = Placed(texts, positions, mirror)
        rooms = [placed.room(read) for read in reads]
        ways = [
            (forward, embedded, values_back, first, placed.straight),
            (backward, _mirror(embedded, mirror), mirrored, first_back, placed.mirrored),
        ]
        after, before = (
            way.run(tokens, others, reads, start, rooms, places)
            for way, tokens, others, start, places in steps(ways)
        )
        return tuple(
            combine(a, b, mirror)[positions, texts] if room is None else placed.cleared(room)
            for a, b, room in zip(after, before, rooms, strict=True)
        )

    @torch.no_grad()
    def influences(
        self, embedded: Tensor, mask: Tensor, directions: Tensor, budget: int
    ) -> Iterator[tuple[slice, Tensor]]:
        """Go back once over the text for all states, each direction over its own half of the pairs."""
        length, width = embedded.shape[1:]
        floats = 3 * length + 2 * width + 16 * self.width
        for span in steps(spans(len(embedded), embedded.element_size() * length * floats, budget)):
            yield span, self._influences(embedded[span], mask[span], directions[span])

    def _influences(self, embedded: Tensor, mask: Tensor, directions: Tensor) -> Tensor:
        mirror = _mirrored(mask)
        states = self(embedded, mask).chunk(2, dim=-1), directions.chunk(2, dim=-1)

        def one_way(reverse: bool) -> tuple[Tensor, Tensor]:
            hidden, wanted = (both[reverse] for both in states)
            if not reverse:
                return gradient_norms(self.ahead, self, embedded, hidden, wanted)
            mirrored = (_mirror(values, mirror) for values in (embedded, hidden, wanted))
            return gradient_norms(self.back, self, *mirrored)

        (norms, own), (norms_back, own_back) = map(one_way, steps([False, True]))
        whole = norms.transpose(0, 1) + straightened(norms_back, mirror)
        # A state's own token is seen in both directions: there the gradients add up.
        of_own = torch.linalg.vector_norm(own + _mirror(own_back, mirror), dim=-1)
        return whole.diagonal_scatter(of_own, dim1=1, dim2=2)

    def train(self, mode: bool = True) -> "Bidirectional":
        """Switch mode, but keep the recurrences in training mode.

        Without dropout both modes compute the same, and cuDNN keeps what a gradient needs in
        training mode only.
        """
        super().train(mode)
        self.ahead.train()
        self.back.train()
        return self


def _mirrored(mask: Tensor) -> Tensor:
    """The place of each position [B,T] when each text is read backwards; padding stays where it is."""
    position = torch.arange(mask.shape[1], device=mask.device)
    last = mask.sum(dim=1, keepdim=True) - 1
    return (last - position).where(mask, position)


def _first_column(marks: Tensor) -> int:
    """Return the first position that is marked in any text: [B,T] → its number, 0 if there is none."""
    return int(marks.any(dim=0).long().argmax())


class _Mirror(torch.autograd.Function):
    """Reorder positions by a permutation that is its own inverse, and so its own gradient.

    Autograd would scatter the gradient back by adding, several times slower than reading it.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor, order: Tensor) -> Tensor:
        return values.gather(1, order[..., None].expand_as(values))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return _mirror(gradient, *ctx.saved_tensors), None


_mirror: Callable[[Tensor, Tensor], Tensor] = _Mirror.apply
