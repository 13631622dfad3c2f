"""Parallel convolutions of several widths."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder, Width
from attex.models.reads import Read

OddWidth = Annotated[int, Field(ge=1, le=255)]


@ENCODERS.register("cnn", cite="Kim 2014; Jain & Wallace 2019")
class CNN(Encoder):
    """Convolutions side by side: h_t = ReLU([conv_1 ; … ; conv_k](e)_t).

    embedded [B,T,d] → hidden [B,T,hidden]; each of the `widths` has an equal share of the `hidden`
    filters and sees that many tokens centred on t, zeros beyond the text.
    """

    def __init__(
        self,
        embedding_width: int,
        *,
        hidden: Width = 128,
        widths: Annotated[tuple[OddWidth, ...], Field(min_length=1, max_length=16)] = (1, 3, 5, 7),
    ) -> None:
        super().__init__()
        if any(width % 2 == 0 for width in widths) or hidden % len(widths):
            raise UserError(
                f"model.encoder: widths {list(widths)} must be odd, and hidden {hidden} a multiple of "
                f"their number {len(widths)}"
            )
        self.width = hidden
        self.widths = widths
        self.filters = hidden // len(widths)
        self.weight = nn.Parameter(torch.empty(self.filters * sum(widths), embedding_width))
        self.bias = nn.Parameter(torch.empty(hidden))
        self._initialise(embedding_width)

    @property
    def reach(self) -> int:
        """Half of the widest window."""
        return max(self.widths) // 2

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Convolve as if zeros lay around each text.

        What every token adds to every filter at every offset is one product for all widths; a
        convolution then only shifts and adds. (cuDNN's own takes nine times as long in float32.)
        """
        return torch.relu(self.filtered(embedded, mask)).masked_fill(~mask[..., None], 0.0)

    def filtered(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Convolve, and leave the ReLU out: [B,T,hidden]."""
        windows = [self._shift_and_add(part) for part in self._shares(embedded, mask)]
        return torch.cat(windows, dim=-1) + self.bias

    def summary(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Take the highest of every filter; none is below the 0 of padding."""
        return hidden.amax(dim=1)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Convolve anew only where a window reaches over the deleted token.

        Position j without token j + gap is the same state whichever way one comes to it, so that all
        variants together take one convolution for each gap.
        """
        reach, length = self.reach, whole.mask.shape[1]
        shares = self._shares(whole.embedded, whole.mask)
        gaps = [gap for gap in range(-reach, reach + 1) if gap]
        values = [read(whole.hidden) for read in reads]
        windows = [self._shift_and_add(part) for part in shares]
        states = [self._states(self._reaching(gap, shares, windows)) for gap in gaps]
        beside = [[read(state) for state in states] for read in reads]
        texts, positions = whole.deleted.nonzero(as_tuple=True)
        bytes_each = 2 * sum(value[0].numel() * value.element_size() for value in values)
        for span in steps(spans(len(texts), bytes_each, budget)):
            text, position = texts[span], positions[span]
            rows = torch.arange(len(text), device=text.device)
            without = tuple(value[text] for value in values)
            for number, gap in enumerate(gaps):
                place = position - gap
                # Beyond the text there is nothing to write: it falls onto the deleted position.
                place = position.where((place < 0) | (place >= length), place)
                for value, changed in zip(without, beside, strict=True):
                    value[rows, place] = changed[number][text, place]
            yield Deletions(text, position, without)

    def _shares(self, embedded: Tensor, mask: Tensor) -> list[Tensor]:
        """What each token adds to each filter at each offset: [B,T,w,f] a width, T with zeros around."""
        products, shares, start = (embedded * mask[..., None]) @ self.weight.T, [], 0
        for width in self.widths:
            end, around = start + width * self.filters, width // 2 + 1
            padded = F.pad(products[..., start:end], (0, 0, around, around))
            shares.append(padded.view(*padded.shape[:2], width, self.filters))
            start = end
        return shares

    def _shift_and_add(self, shares: Tensor, gap: int = 0) -> Tensor:
        """Σ_o what token t + o adds at offset o: shares [B,T+w+1,w,f] → [B,T,f].

        From a gap on, the token one further away takes the place.
        """
        width = shares.shape[2]
        length, around = shares.shape[1] - 2 * (width // 2 + 1), width // 2 + 1
        total: Tensor | None = None
        for number in range(width):
            offset = number - width // 2
            jump = int(0 < gap <= offset) - int(offset <= gap < 0)
            start = around + offset + jump
            share = shares[:, start : start + length, number]
            total = share if total is None else total + share
        assert total is not None
        return total

    def _reaching(self, gap: int, shares: list[Tensor], windows: list[Tensor]) -> list[Tensor]:
        """Convolve as if the token `gap` positions away were not there, where a window reaches it."""
        return [
            self._shift_and_add(part, gap) if abs(gap) <= part.shape[2] // 2 else window
            for part, window in zip(shares, windows, strict=True)
        ]

    def _states(self, windows: list[Tensor]) -> Tensor:
        """Put the widths side by side: [B,T,f] each → [B,T,hidden]."""
        return torch.relu(torch.cat(windows, dim=-1) + self.bias)

    def _initialise(self, embedding_width: int) -> None:
        """Start each width as torch starts a convolution: uniform in ±1/√(d · width)."""
        rows = torch.tensor([[float(w)] for w in self.widths for _ in range(w * self.filters)])
        each = torch.tensor([float(w) for w in self.widths for _ in range(self.filters)])
        with torch.no_grad():
            self.weight.uniform_(-1, 1).div_((embedding_width * rows).sqrt())
            self.bias.uniform_(-1, 1).div_((embedding_width * each).sqrt())
