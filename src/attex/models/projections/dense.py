"""Projections that give every position some weight."""

import torch
from torch import Tensor

from attex.models.projection import PROJECTIONS


@PROJECTIONS.register("softmax", cite="Bridle 1990")
def softmax(energies: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the positions that count: α_t = e^{z_t} / Σ_s e^{z_s}.

    energies [...,T], mask [...,T] → [...,T].
    """
    lowest = torch.finfo(energies.dtype).min
    weights = energies.masked_fill(~mask, lowest).softmax(dim=-1)
    # A row without a position to count comes out uniform; the mask makes it zeros.
    return weights * mask


@PROJECTIONS.register("uniform", cite="Wiegreffe & Pinter 2019")
def uniform(energies: Tensor, mask: Tensor) -> Tensor:
    """The same weight for every position that counts, whatever the energies: α_t = 1/n.

    energies [...,T], mask [...,T] → [...,T].
    """
    counted = mask.to(energies.dtype)
    return counted / counted.sum(dim=-1, keepdim=True).clamp(min=1)
