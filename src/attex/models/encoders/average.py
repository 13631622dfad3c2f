"""The position-wise encoder: no token knows of another."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import torch
from torch import Tensor, nn

from attex.foundations.registry import LATER
from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder, Width, drop_each
from attex.models.reads import Read


@ENCODERS.register("average", aliases=("mlp",), cite="Jain & Wallace 2019")
class Average(Encoder):
    """A position-wise projection: h_t = tanh(W e_t + b).

    embedded [B,T,d] → hidden [B,T,hidden]. With attention on top it is a weighted average of
    words, hence the name the papers gave it. A query is summed up by the mean over its real positions;
    `mean_over_padding` counts padding, too, as the published code does: then an output depends on what
    else is in the batch. A number stands for the width of a usual batch, in positions, markers included:
    every shorter query is padded to it, whatever it is beside.
    """

    position_wise = True

    def __init__(
        self,
        embedding_width: int,
        *,
        hidden: Width = 128,
        mean_over_padding: Annotated[bool | Width, LATER] = False,
    ) -> None:
        super().__init__()
        self.width = hidden
        self.mean_over_padding = mean_over_padding
        self.project = nn.Linear(embedding_width, hidden)

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Project each position."""
        return torch.tanh(self.project(embedded)).masked_fill(~mask[..., None], 0.0)

    def summary(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Take the mean, as published if asked for: a padded position is tanh(b), as its word is 0."""
        if self.mean_over_padding is False:
            return super().summary(hidden, mask)
        real = mask.sum(dim=1, keepdim=True)
        width = mask.shape[1] if self.mean_over_padding is True else self.mean_over_padding
        padding = (width - real).clamp(min=0)
        total = hidden.masked_fill(~mask[..., None], 0.0).sum(dim=1)
        return (total + padding * torch.tanh(self.project.bias)) / (real + padding)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Read every position once: a deleted neighbour changes nothing."""
        return drop_each(whole.deleted, [read(whole.hidden) for read in reads], budget)
