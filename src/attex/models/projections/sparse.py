"""Projections that can give a position a weight of exactly zero."""

import torch
from entmax import sparsemax as entmax_sparsemax
from torch import Tensor

from attex.models.projection import PROJECTIONS


@PROJECTIONS.register("sparsemax", cite="Martins & Astudillo 2016")
def sparsemax(energies: Tensor, mask: Tensor) -> Tensor:
    """The Euclidean projection onto the simplex: α = argmin_p ‖p − z‖².

    energies [...,T], mask [...,T] → [...,T].
    """
    # Half precision loses the threshold's cumulative sums: project in float32 at the least.
    exact = energies.float() if energies.dtype in (torch.float16, torch.bfloat16) else energies
    # Far below everything that counts, yet finite: a row that is masked whole stays computable.
    top = exact.detach().masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    floor = top.where(top.isfinite(), 0.0) - 2.0
    weights: Tensor = entmax_sparsemax(exact.where(mask, floor), dim=-1)
    return (weights * mask).to(energies.dtype)
