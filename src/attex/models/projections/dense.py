"""Projections that give every position some weight."""

import torch
from torch import Tensor

from attex.models.projection import PROJECTIONS


@PROJECTIONS.register("softmax", cite="Bridle 1990")
def softmax(energies: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the positions that count: α_t = e^{z_t} / Σ_s e^{z_s}.

    energies [...,T], mask [...,T] → [...,T].

    Example:
        >>> from math import log
        >>> import torch
        >>> from attex.models.projections import softmax
        >>> energies = torch.tensor([0.0, log(3), 9.0])
        >>> softmax(energies, mask=torch.tensor([True, True, False]))
        tensor([0.2500, 0.7500, 0.0000])
    """
    lowest = torch.finfo(energies.dtype).min
    weights = energies.masked_fill(~mask, lowest).softmax(dim=-1)
    # A row without a position to count comes out uniform; the mask makes it zeros.
    return weights * mask


@PROJECTIONS.register("uniform", cite="Wiegreffe & Pinter 2019")
def uniform(energies: Tensor, mask: Tensor) -> Tensor:
    """The same weight for every position that counts, whatever the energies: α_t = 1/n.

    energies [...,T], mask [...,T] → [...,T].

    Example:
        >>> import torch
        >>> from attex.models.projections import uniform
        >>> uniform(torch.tensor([0.0, 3.0, 9.0]), mask=torch.tensor([True, True, False]))
        tensor([0.5000, 0.5000, 0.0000])
    """
    counted = mask.to(energies.dtype)
    return counted / counted.sum(dim=-1, keepdim=True).clamp(min=1)


@PROJECTIONS.register("imposed", cite="Wiegreffe & Pinter 2019", sparse=True)
def imposed(energies: Tensor, mask: Tensor) -> Tensor:
    """A given distribution: the energies are the weights themselves, α_t = z_t / Σ_s z_s.

    energies [...,T], mask [...,T] → [...,T]. Dropping a position renormalises the others. Negative
    weights count as 0, and a row without any weight is uniform.
    """
    weights = energies.clamp(min=0.0) * mask
    total = weights.sum(dim=-1, keepdim=True)
    return (weights / total.where(total > 0, 1.0)).where(total > 0, uniform(energies, mask))


@PROJECTIONS.register("softmax_over_padding", cite="Neely & Schouten 2020, released code")
def softmax_over_padding(energies: Tensor, mask: Tensor) -> Tensor:
    """Softmax that forgets the mask, as published: α_t = e^{z_t} / Σ over all T, padding included.

    energies [...,T], mask [...,T] → [...,T]. What padding takes is lost, so that the weights sum to
    less than 1 and depend on the longest text of the batch. Only to check published numbers with.
    """
    return energies.softmax(dim=-1) * mask
