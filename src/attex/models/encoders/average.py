"""The position-wise encoder: no token knows of another."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder, Width, drop_each
from attex.models.reads import Read


@ENCODERS.register("average", aliases=("mlp",), cite="Jain & Wallace 2019")
class Average(Encoder):
    """A position-wise projection: h_t = tanh(W e_t + b).

    embedded [B,T,d] → hidden [B,T,hidden]. With attention on top it is a weighted average of
    words, hence the name the papers gave it.
    """

    position_wise = True

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__()
        self.width = hidden
        self.project = nn.Linear(embedding_width, hidden)

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Project each position."""
        return torch.tanh(self.project(embedded)).masked_fill(~mask[..., None], 0.0)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Read every position once: a deleted neighbour changes nothing."""
        return drop_each(whole.deleted, [read(whole.hidden) for read in reads], budget)
