"""Parallel convolutions of several widths."""

from typing import Annotated

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.models.encoder import ENCODERS, Encoder, Width

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

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Convolve as if zeros lay around each text.

        What every token adds to every filter at every offset is one product for all widths; a
        convolution then only shifts and adds. (cuDNN's own takes several times as long in float32.)
        """
        shares = (embedded * mask[..., None]) @ self.weight.T
        hidden, start = [], 0
        for width in self.widths:
            end = start + width * self.filters
            hidden.append(self._shift_and_add(shares[..., start:end], width))
            start = end
        states = torch.relu(torch.cat(hidden, dim=-1) + self.bias)
        return states.masked_fill(~mask[..., None], 0.0)

    def _shift_and_add(self, shares: Tensor, width: int) -> Tensor:
        """Σ_o what token t + o adds at offset o: shares [B,T,width·filters] → [B,T,filters]."""
        size, length, _ = shares.shape
        padded = F.pad(shares, (0, 0, width // 2, width // 2)).view(size, -1, width, self.filters)
        return torch.stack([padded[:, o : o + length, o] for o in range(width)]).sum(dim=0)

    def _initialise(self, embedding_width: int) -> None:
        """Start each width as torch starts a convolution: uniform in ±1/√(d · width)."""
        rows = torch.tensor([[float(w)] for w in self.widths for _ in range(w * self.filters)])
        each = torch.tensor([float(w) for w in self.widths for _ in range(self.filters)])
        with torch.no_grad():
            self.weight.uniform_(-1, 1).div_((embedding_width * rows).sqrt())
            self.bias.uniform_(-1, 1).div_((embedding_width * each).sqrt())
