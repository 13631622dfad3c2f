"""The bidirectional LSTM of most papers in this field."""

import torch
from torch import Tensor, nn

from attex.models.activation import tanh_
from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional
from attex.models.recurrent_deletion import State


@ENCODERS.register("lstm", aliases=("bilstm",), cite="Hochreiter & Schmidhuber 1997")
class LSTM(Bidirectional):
    """A single-layer bidirectional LSTM: h_t = [h→_t ; h←_t].

    embedded [B,T,d] → hidden [B,T,2·hidden], `hidden` being the width of one direction.
    """

    states = 2

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__(nn.LSTM, embedding_width, hidden)

    @staticmethod
    def advance(inputs: Tensor, recurrent: Tensor, bias: Tensor, state: State) -> None:
        """C ← f c + i g, h ← o tanh(c); gates in torch's order i, f, g, o."""
        hidden, cell = state
        width = hidden.shape[-1]
        gates = recurrent.add_(inputs + bias)
        gates[..., : 2 * width].sigmoid_()
        cell.mul_(gates[..., width : 2 * width])
        cell.addcmul_(gates[..., :width], tanh_(gates[..., 2 * width : 3 * width]))
        torch.mul(gates[..., 3 * width :].sigmoid_(), tanh_(hidden.copy_(cell)), out=hidden)
