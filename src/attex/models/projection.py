"""Projections φ: energies to a distribution over the positions that count."""

from collections.abc import Callable

import torch
from torch import Tensor

from attex.foundations.memory import budget_on, spans
from attex.foundations.registry import Registry

Projection = Callable[[Tensor, Tensor], Tensor]
"""(energies [...,T], mask [...,T]) → attention [...,T] in the energies' dtype.

Exactly 0 off the mask, and a sum of 1 over it; a row without any position that counts is all zeros.
"""

PROJECTIONS: Registry[Tensor] = Registry(
    "projection", "attex.models.projections", default="softmax", sparse=False
)
"""Fact of a projection: `sparse`, whether a position that counts can have a weight of exactly 0."""

_WORK = 13
"""How many times the memory of its weights a projection takes while it works: `entmax15`, the most."""


def in_parts(project: Projection, energies: Tensor, mask: Tensor) -> Tensor:
    """Project energies [B,...,T], of some texts at a time where no gradient is kept.

    A sparse projection sorts and sums up. Without a gradient batches are large, and of self-attention
    on long texts that is more than a GPU has, or its part of one that others share.
    """
    each, budget = _WORK * energies[:1].numel() * energies.element_size(), budget_on(energies.device)
    if torch.is_grad_enabled() or len(energies) * each <= budget:
        return project(energies, mask)
    parts = spans(len(energies), each, budget)
    return torch.cat([project(energies[part], mask[part]) for part in parts])
