"""The bidirectional GRU."""

import torch
from torch import Tensor, nn

from attex.models.activation import tanh_
from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional
from attex.models.recurrent_deletion import State
from attex.models.recurrent_influence import Slopes


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

    @staticmethod
    def slopes(inputs: Tensor, recurrent: Tensor, hidden: Tensor) -> Slopes:
        """Return ∂h/∂ of the input products and of the recurrent ones, and z."""
        (x_reset, x_keep, x_new), (u_reset, u_keep, u_new) = (
            products.chunk(3, dim=-1) for products in (inputs, recurrent)
        )
        reset, keep = (x_reset + u_reset).sigmoid(), (x_keep + u_keep).sigmoid()
        new = (x_new + reset * u_new).tanh()
        of_new = (1 - keep) * (1 - new**2)
        shared = [of_new * u_new * reset * (1 - reset), (hidden - new) * keep * (1 - keep)]
        of_inputs, of_recurrent = (
            torch.cat([*shared, last], dim=-1) for last in (of_new, of_new * reset)
        )
        return of_inputs, of_recurrent, keep

    @staticmethod
    def retreat(slopes: Slopes, gradients: State) -> tuple[Tensor, Tensor]:
        """Go back over one token; z of the state passes the cell beside its gates."""
        of_inputs, of_recurrent, keep = slopes
        (hidden,) = gradients
        spread = hidden.repeat(1, 1, 3)
        hidden.mul_(keep)
        return spread * of_inputs, spread * of_recurrent
