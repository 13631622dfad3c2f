"""Gradients of every state of a recurrence with respect to every token before it, in one sweep back.

The gradients of h_p for all p ≥ i go through the same cell at step i with the same gates, so that
they are rows of one product: each pair (p, i) costs one step back in one direction.
"""

from typing import Protocol

import torch
from torch import Tensor, nn

from attex.foundations.progress import steps
from attex.models.recurrent_deletion import State

Slopes = tuple[Tensor, ...]
"""What a cell's derivatives are made of, [T,B,…] each."""


class Cell(Protocol):
    """A cell's derivatives; `states` is how many tensors it carries."""

    states: int

    @staticmethod
    def slopes(inputs: Tensor, recurrent: Tensor, hidden: Tensor) -> Slopes:
        """Derive every step from its input and recurrent products [T,B,G] and the state before it."""

    @staticmethod
    def retreat(slopes: Slopes, gradients: State) -> tuple[Tensor, Tensor]:
        """Go back over one token, gradients [V,B,H] in place: those of both products, [V,B,G].

        The first gradient is left as what passes the cell beside the recurrent product.
        """


def gradient_norms(
    layer: nn.LSTM | nn.GRU, cell: Cell, tokens: Tensor, hidden: Tensor, directions: Tensor
) -> tuple[Tensor, Tensor]:
    """Return ‖u_pᵀ ∂h_p/∂e_i‖ for i ≤ p, and the gradient itself for i = p.

    tokens [B,T,d], their states hidden [B,T,H] and directions u [B,T,H] are in the direction's own
    order. Gives [T,B,T] (state, text, token; 0 for i > p) and [B,T,d].
    """
    size, length, _ = tokens.shape
    weight, back_weight = layer.get_parameter("weight_ih_l0"), layer.get_parameter("weight_hh_l0")
    inputs = (tokens @ weight.T + layer.get_parameter("bias_ih_l0")).transpose(0, 1)
    before = torch.cat([torch.zeros_like(hidden[:, :1]), hidden[:, :-1]], dim=1).transpose(0, 1)
    recurrent = before @ back_weight.T + layer.get_parameter("bias_hh_l0")
    slopes = cell.slopes(inputs, recurrent, before)
    shape = (length, size, hidden.shape[-1])
    gradients = tuple(tokens.new_zeros(shape) for _ in range(cell.states))
    norms, own = tokens.new_zeros(length, size, length), torch.zeros_like(tokens)
    for i in steps(range(length)[::-1], range(1, length + 1)):
        active = tuple(part[i:] for part in gradients)
        active[0][0] = directions[:, i]
        to_input, to_recurrent = cell.retreat(tuple(part[i] for part in slopes), active)
        of_token = to_input @ weight
        norms[i:, :, i] = torch.linalg.vector_norm(of_token, dim=-1)
        own[:, i] = of_token[0]
        active[0].add_(to_recurrent @ back_weight)
    return norms, own


def straightened(norms: Tensor, mirror: Tensor) -> Tensor:
    """Bring norms [T,B,T] of mirrored texts to the texts' own order: [B,T,T], state and token."""
    texts = torch.arange(mirror.shape[0], device=mirror.device)[:, None, None]
    return norms[mirror[:, :, None], texts, mirror[:, None, :]]
