"""The bidirectional LSTM of most papers in this field."""

from importlib.util import find_spec

import torch
from torch import Tensor, nn

from attex.foundations.devices import in_training_steps
from attex.foundations.memory import sharers
from attex.models.activation import tanh_
from attex.models.encoder import ENCODERS, Width
from attex.models.recurrence import Bidirectional
from attex.models.recurrent_deletion import State
from attex.models.recurrent_influence import Slopes

_MANY = 8
"""Processes on one GPU from which on an LSTM is trained by kernels that leave room for others."""


@ENCODERS.register("lstm", aliases=("bilstm",), cite="Hochreiter & Schmidhuber 1997")
class LSTM(Bidirectional):
    """A single-layer bidirectional LSTM: h_t = [h→_t ; h←_t].

    embedded [B,T,d] → hidden [B,T,2·hidden], `hidden` being the width of one direction.
    """

    states = 2

    def __init__(self, embedding_width: int, *, hidden: Width = 128) -> None:
        super().__init__(nn.LSTM, embedding_width, hidden)

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Run both directions; in training steps on a GPU that many share by kernels made for that."""
        shared = embedded.is_cuda and in_training_steps() and sharers() >= _MANY
        # Triton comes with torch where torch has a GPU, mostly.
        if shared and find_spec("triton") is not None:
            from attex.models import lstm_kernels

            if lstm_kernels.serves(self.width // 2, embedded.device):
                return lstm_kernels.both_ways(embedded, mask, self.ahead, self.back)
        return super().forward(embedded, mask)

    @staticmethod
    def advance(inputs: Tensor, recurrent: Tensor, bias: Tensor, state: State) -> None:
        """C ← f c + i g, h ← o tanh(c); gates in torch's order i, f, g, o."""
        hidden, cell = state
        width = hidden.shape[-1]
        # In place saves a CPU memory; a GPU goes faster over rows that hold nothing but the gates.
        gates = recurrent + (inputs + bias) if hidden.is_cuda else recurrent.add_(inputs + bias)
        gates[..., : 2 * width].sigmoid_()
        cell.mul_(gates[..., width : 2 * width])
        cell.addcmul_(gates[..., :width], tanh_(gates[..., 2 * width : 3 * width]))
        torch.mul(gates[..., 3 * width :].sigmoid_(), tanh_(hidden.copy_(cell)), out=hidden)

    @staticmethod
    def slopes(inputs: Tensor, recurrent: Tensor, hidden: Tensor) -> Slopes:
        """Return ∂c/∂(i,f,g) before their gates, ∂h/∂o before its gate, ∂h/∂c and f."""
        enter, forget, new, leave = (inputs + recurrent).chunk(4, dim=-1)
        enter, forget, leave = enter.sigmoid(), forget.sigmoid(), leave.sigmoid()
        new = new.tanh()
        cells, cell = torch.zeros_like(new), torch.zeros_like(new[0])
        for t in range(len(new)):
            cell = cells[t] = forget[t] * cell + enter[t] * new[t]
        before = torch.cat([torch.zeros_like(cells[:1]), cells[:-1]])
        shown = cells.tanh()
        into_cell = torch.cat(
            [new * enter * (1 - enter), before * forget * (1 - forget), enter * (1 - new**2)], dim=-1
        )
        return into_cell, shown * leave * (1 - leave), leave * (1 - shown**2), forget

    @staticmethod
    def retreat(slopes: Slopes, gradients: State) -> tuple[Tensor, Tensor]:
        """Go back over one token; nothing passes the cell beside its gates."""
        into_cell, into_leave, hidden_to_cell, forget = slopes
        hidden, cell = gradients
        cell.addcmul_(hidden, hidden_to_cell)
        gates = torch.cat([cell.repeat(1, 1, 3).mul_(into_cell), hidden * into_leave], dim=-1)
        cell.mul_(forget)
        hidden.zero_()
        return gates, gates
