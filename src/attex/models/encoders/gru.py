"""The bidirectional GRU."""

from torch import nn

from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional


@ENCODERS.register("gru", aliases=("bigru",), cite="Cho et al. 2014")
class GRU(Bidirectional):
    """A single-layer bidirectional GRU: h_t = [h→_t ; h←_t].

    embedded [B,T,d] → hidden [B,T,2·hidden], `hidden` being the width of one direction.
    """

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__(nn.GRU, embedding_width, hidden)
