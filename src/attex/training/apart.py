"""How far attention is from another's, as something to train on: finite, and so are its gradients."""

import torch
from torch import Tensor

from attex.foundations.divergences import jensen_shannon

_TINY = torch.finfo(torch.float64).tiny


def jensen_shannon_from(attention: Tensor, other: Tensor) -> Tensor:
    """JSD(α, α′) in nats: attention and other [B,T] → [B] in float64, with a gradient for α only.

    Finite whatever weights are 0, and bounded by ln 2.
    """
    return jensen_shannon(_with_logarithm(attention), other.detach())


def relative_entropy(attention: Tensor, other: Tensor) -> Tensor:
    """KL(α ‖ α′) = Σ_t α_t (ln α_t − ln α′_t) in nats: [B,T], [B,T] → [B] in float64.

    Positions without weight in α add nothing. It is infinite where α has weight and α′ has none.
    """
    own, other = _with_logarithm(attention), other.detach().double()
    terms = own * (own.log() - other.log())
    return terms.where(attention > 0, 0.0).sum(dim=-1)


def _with_logarithm(attention: Tensor) -> Tensor:
    """Put the smallest number in the place of 0, whose logarithm has no gradient: [B,T] in float64.

    Projections pass no gradient to a weight of 0 either, so that none is lost.
    """
    attention = attention.double()
    return attention.where(attention > 0, _TINY)
