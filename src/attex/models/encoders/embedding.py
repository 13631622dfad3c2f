"""No encoder at all: the words themselves."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder, drop_each
from attex.models.reads import Read


@ENCODERS.register("embedding", cite="Pruthi et al. 2020")
class Embedding(Encoder):
    """The embeddings as they are: h_t = e_t.

    embedded [B,T,d] → hidden [B,T,d].
    """

    position_wise = True

    def __init__(self, embedding_width: int) -> None:
        super().__init__()
        self.width = embedding_width

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Pass the embeddings on."""
        return embedded.masked_fill(~mask[..., None], 0.0)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Read every position once: a deleted neighbour changes nothing."""
        return drop_each(whole.deleted, [read(whole.hidden) for read in reads], budget)
