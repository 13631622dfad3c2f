"""Every text less each of its tokens, through a recurrence, without re-encoding.

Deleting t leaves the forward states before t and the backward states after t as they were, so each
pair (deleted t, position j) needs one direction only; and at step j every variant reads the same
token, so that its input product is computed once and only the recurrent product runs per variant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attex.foundations.progress import steps
from attex.models.reads import Read

State = tuple[Tensor, ...]
"""What a cell carries from token to token, each [...,H]; the first is the hidden state."""

Advance = Callable[[Tensor, Tensor, Tensor, State], None]
"""(input products [B,G], recurrent products [...,B,G], recurrent bias [G], state): go on in place."""


_WIDE = 16
"""Values of a position from which on copying them is what takes long."""


class Placed:
    """Where wide values of variants go at once: [R,T,r], for texts [R] with positions [R] deleted."""

    def __init__(self, texts: Tensor, positions: Tensor, mirror: Tensor) -> None:
        size, length = mirror.shape
        self._positions = positions
        # What is not asked for goes to one more row.
        rows = torch.full((length, size), len(texts), device=texts.device)
        rows[positions, texts] = torch.arange(len(texts), device=texts.device)
        straight = torch.arange(length, device=texts.device).expand(size, length)
        self.straight = rows, straight
        self.mirrored = rows.gather(0, mirror.T), mirror
        """The row of each deleted position and text [T,B], and the column of each position [B,T]."""

    def room(self, read: Read) -> Tensor | None:
        """Make room for the values of a read, [R+1,T,r], if they are many."""
        rows, columns = len(self._positions) + 1, self.straight[1].shape[1]
        wide = read.shape.numel() >= _WIDE
        return read.weight.new_empty(rows, columns, *read.shape) if wide else None

    def cleared(self, room: Tensor) -> Tensor:
        """Blank the deleted position itself, which nothing was written to: [R,T,r]."""
        whole = room[:-1]
        whole[torch.arange(len(whole), device=whole.device), self._positions] = 0.0
        return whole


@dataclass(frozen=True)
class Share:
    """What is read of one direction's part of a hidden state: weight [k,H], scale [B,H] or None."""

    weight: Tensor
    scale: Tensor | None

    def __call__(self, states: Tensor) -> Tensor:
        """Read states [V,B,H] of the texts: [V,B,k]."""
        return (states if self.scale is None else states * self.scale) @ self.weight.T

    def of_texts(self, states: Tensor) -> Tensor:
        """Read states [B,T,H] of whole texts: [B,T,k]."""
        scaled = states if self.scale is None else states * self.scale[:, None]
        return scaled @ self.weight.T


class Direction:
    """One direction of a recurrence with its share of what is read off the hidden states."""

    def __init__(
        self, cell: torch.nn.LSTM | torch.nn.GRU, advance: Advance, states: int, shares: Sequence[Share]
    ) -> None:
        self._advance, self._states, self._hidden = advance, states, cell.hidden_size
        self._input_weight = cell.get_parameter("weight_ih_l0").T
        self._input_bias = cell.get_parameter("bias_ih_l0")
        self._bias = cell.get_parameter("bias_hh_l0")
        self._gates = len(self._bias)
        self._shares = shares
        # One product gives the next step's gates and what is read at this one, if it is the same of all
        # texts.
        common = [share.weight for share in shares if share.scale is None]
        self._weight = torch.cat([cell.get_parameter("weight_hh_l0"), *common]).T.contiguous()

    def run(
        self,
        tokens: Tensor,
        others: Sequence[Tensor],
        reads: Sequence[Read],
        first: int,
        rooms: Sequence[Tensor | None],
        places: tuple[Tensor, Tensor],
    ) -> list[Tensor]:
        """Read at position j of the text without t, for first ≤ t < j, in the direction's own order.

        tokens [B,T,d]; others[i] [B,T,k] is the other direction's share of the i-th read, offset
        included. Returns [T,B,T,…] a read: deleted, text, position; garbage for other t. What has room
        in `rooms` is written to its `places` there, and returned as it is.
        """
        size, length, _ = tokens.shape
        inputs = (tokens @ self._input_weight + self._input_bias).transpose(0, 1).contiguous()
        # The text itself lies in row 0, variant t in row t + 1 − first. What is active at step j is a
        # block of rows that goes on in place; before it does, variant j starts as a copy of row 0.
        rows = length + 1 - first
        state = tuple(tokens.new_zeros(rows, size, self._hidden) for _ in range(self._states))
        product = tokens.new_zeros(rows, size, self._weight.shape[1])
        by_read = [
            tokens.new_zeros(length, size, length, *read.shape) if room is None else room
            for read, room in zip(reads, rooms, strict=True)
        ]
        # One more variant at every step.
        for j in steps(range(length), range(1, length + 1)):
            count = max(0, j - first)
            for part in (*state, product) if j >= first else ():
                part[count + 1] = part[0]
            active = tuple(part[: count + 1] for part in state)
            self._advance(inputs[j], product[: count + 1, :, : self._gates], self._bias, active)
            # After the last token nothing goes on: it is only read.
            columns = slice(self._gates if j == length - 1 else 0, None)
            torch.matmul(active[0], self._weight[:, columns], out=product[: count + 1, :, columns])
            if count:
                shares = self._read(active[0][1:], product[1 : count + 1, :, self._gates :])
                for number, (read, share, other) in enumerate(zip(reads, shares, others, strict=True)):
                    values = read.finish(share + other[:, j])
                    if rooms[number] is None:
                        by_read[number][j - count : j, :, j] = values
                    else:
                        by_read[number][places[0][j - count : j], places[1][:, j]] = values
        return by_read

    def _read(self, states: Tensor, products: Tensor) -> list[Tensor]:
        """Give the share of every read: of the states [V,B,H], or of their common products."""
        read, start = [], 0
        for share in self._shares:
            if share.scale is not None:
                read.append(share(states))
                continue
            end = start + len(share.weight)
            read.append(products[..., start:end])
            start = end
        return read


def split_reads(
    reads: Sequence[Read], ahead: Tensor, back: Tensor
) -> tuple[list[Share], list[Share], list[Tensor], list[Tensor]]:
    """Split W h + o by direction: how it is read, and what is [B,T,k] (back's with the offset)."""
    width = ahead.shape[-1]
    shares_ahead = [_share(read, slice(None, width)) for read in reads]
    shares_back = [_share(read, slice(width, None)) for read in reads]
    values_ahead = [share.of_texts(ahead) for share in shares_ahead]
    values_back = [
        share.of_texts(back) + (0.0 if read.offset is None else read.offset)
        for share, read in zip(shares_back, reads, strict=True)
    ]
    return shares_ahead, shares_back, values_ahead, values_back


def _share(read: Read, part: slice) -> Share:
    scale = None if read.scale is None else read.scale[:, 0, part]
    return Share(read.weight[:, part], scale)


def combine(ahead: Tensor, back: Tensor, mirror: Tensor) -> Tensor:
    """Take positions after the deleted one from `ahead`, those before it from the mirrored `back`.

    [T,B,T,…] each; mirror [B,T] turns a position into the reading order of `back`.
    """
    length = mirror.shape[1]
    texts = torch.arange(mirror.shape[0], device=mirror.device)[None, :, None]
    straight = back[mirror.T[:, :, None], texts, mirror[None]]
    position = torch.arange(length, device=mirror.device)
    after = (position > position[:, None])[:, None, :]
    return ahead.where(after.view(*after.shape, *[1] * (ahead.dim() - 3)), straight)
