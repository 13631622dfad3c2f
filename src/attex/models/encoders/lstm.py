"""The bidirectional LSTM of most papers in this field."""

from torch import nn

from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional


@ENCODERS.register("lstm", aliases=("bilstm",), cite="Hochreiter & Schmidhuber 1997")
class LSTM(Bidirectional):
    """A single-layer bidirectional LSTM: h_t = [h→_t ; h←_t].

    embedded [B,T,d] → hidden [B,T,2·hidden], `hidden` being the width of one direction.
    """

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__(nn.LSTM, embedding_width, hidden)
