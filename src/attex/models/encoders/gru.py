"""The bidirectional GRU."""

import torch
from torch import Tensor, nn

from attex.models.activation import tanh_
from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional
from attex.models.recurrent_deletion import State


@ENCODERS.register("gru", aliases=("bigru",), cite="Cho et al. 2014")
class GRU(Bidirectional):
    """A single-layer bidirectional GRU: h_t = [h→_t ; h←_t].

    embedded [B,T,d] → hidden [B,T,2·hidden], `hidden` being the width of one direction.
    """

    states = 1

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__(nn.GRU, embedding_width, hidden)

    @staticmethod
    def advance(inputs: Tensor, recurrent: Tensor, bias: Tensor, state: State) -> None:
        """N = tanh(x_n + r (U h + b)_n), h ← n + z (h − n); gates in torch's order r, z, n."""
        (hidden,) = state
        width = hidden.shape[-1]
        gates = (recurrent[..., : 2 * width] + (inputs + bias)[..., : 2 * width]).sigmoid_()
        new = (recurrent[..., 2 * width :] + bias[2 * width :]).mul_(gates[..., :width])
        tanh_(new.add_(inputs[..., 2 * width :]))
        torch.lerp(new, hidden, gates[..., width:], out=hidden)
