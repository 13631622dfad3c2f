"""Two recurrences over padded texts, one in each direction."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from attex.models.encoder import Encoder


class Bidirectional(Encoder):
    """h_t = [h→_t ; h←_t] of two single-layer recurrences.

    Each text is reversed by its own length and both directions run over padded tensors: padding
    lies behind the text in either direction, so it changes nothing, and the backward pass of
    ragged packing on CPU, which grows with T², is avoided.
    """

    def __init__(self, cell: type[nn.LSTM | nn.GRU], embedding_width: int, hidden: int) -> None:
        super().__init__()
        self.width = 2 * hidden
        self.ahead = cell(embedding_width, hidden, batch_first=True)
        self.back = cell(embedding_width, hidden, batch_first=True)

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Run both directions."""
        position = torch.arange(mask.shape[1], device=mask.device)
        last = mask.sum(dim=1, keepdim=True) - 1
        mirror = (last - position).where(mask, position)
        ahead, _ = self.ahead(embedded)
        back, _ = self.back(_mirror(embedded, mirror))
        hidden = torch.cat([ahead, _mirror(back, mirror)], dim=-1)
        return hidden.masked_fill(~mask[..., None], 0.0)

    def train(self, mode: bool = True) -> "Bidirectional":
        """Switch mode, but keep the recurrences in training mode.

        Without dropout both modes compute the same, and cuDNN keeps what a gradient needs in
        training mode only.
        """
        super().train(mode)
        self.ahead.train()
        self.back.train()
        return self


class _Mirror(torch.autograd.Function):
    """Reorder positions by a permutation that is its own inverse, and so its own gradient.

    Autograd would scatter the gradient back by adding, several times slower than reading it.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor, order: Tensor) -> Tensor:
        return values.gather(1, order[..., None].expand_as(values))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return _mirror(gradient, *ctx.saved_tensors), None


_mirror: Callable[[Tensor, Tensor], Tensor] = _Mirror.apply
