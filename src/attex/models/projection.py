"""Projections φ: energies to a distribution over the positions that count."""

from collections.abc import Callable

from torch import Tensor

from attex.foundations.registry import Registry

Projection = Callable[[Tensor, Tensor], Tensor]
"""(energies [...,T], mask [...,T]) → attention [...,T] in the energies' dtype.

Exactly 0 off the mask, and a sum of 1 over it; a row without any position that counts is all zeros.
"""

PROJECTIONS: Registry[Tensor] = Registry(
    "projection", "attex.models.projections", default="softmax", sparse=False
)
"""Fact of a projection: `sparse`, whether a position that counts can have a weight of exactly 0."""
