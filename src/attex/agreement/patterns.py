"""What a statistic depends on when one vector is shuffled, so that texts can share their draws.

Shuffling forgets where a score stood. Of the scores themselves a rank statistic sees their order
and ties only, and a top-k statistic only those of the two lists: without ties all texts of one
length and one k have the same null distribution.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from attex.agreement.ordering import argsort_rows, differs, last_outside, sort_rows
from attex.agreement.statistic import Agreement

Function = TypeVar("Function", bound=Callable[..., Agreement])


class Pattern(NamedTuple):
    """Vectors that stand in for a text's: the same null distribution, often those of other texts.

    a, b [B,T] with the n counted positions first, and the statistic's options for them.
    """

    a: Tensor
    b: Tensor
    options: dict[str, Any]


Reduction = Callable[[Tensor, Tensor, Tensor, dict[str, Any]], Pattern]
"""(a, b, mask [B,T], options) → the pattern of every text."""


Mean = Callable[[Pattern, Tensor], Tensor]
"""(pattern, n [B]) → the mean over all shuffles [B], NaN where it is not known."""


class Dependence(NamedTuple):
    """What is known of a statistic's null distribution."""

    reduction: Reduction
    mean: Mean | None


def depends_on(reduction: Reduction, mean: Mean | None = None) -> Callable[[Function], Function]:
    """Declare that a statistic has the same null distribution for all texts of one pattern.

    `mean` gives its mean where that is known. A statistic that declares nothing gets draws of its
    own for every text.
    """

    def declare(statistic: Function) -> Function:
        vars(statistic)["dependence"] = Dependence(reduction, mean)
        return statistic

    return declare


def dependence_of(statistic: Callable[..., Agreement]) -> Dependence | None:
    """Return what a statistic declared with `depends_on`."""
    declared: Dependence | None = getattr(statistic, "dependence", None)
    return declared


def zero(pattern: Pattern, n: Tensor) -> Tensor:
    """Return the mean of a statistic that is as often above 0 as below it."""
    return torch.zeros_like(n, dtype=torch.float64)


def order_and_ties(a: Tensor, b: Tensor, mask: Tensor, options: dict[str, Any]) -> Pattern:
    """Keep the order and the ties of each vector."""
    return Pattern(falling_ranks(a, mask), falling_ranks(b, mask), options)


def falling_ranks(values: Tensor, mask: Tensor) -> Tensor:
    """Sort the counted values, highest first, and number them: −1 the highest, equal ones alike.

    [B,T] → [B,T] in float64, 0 after the n counted ones.
    """
    in_order = sort_rows(last_outside(-values.double(), mask))
    ranks = -differs(in_order).cumsum(dim=1).double()
    return ranks.where(first_positions(mask), 0.0)


def only_first(ranks: Tensor, listed: Tensor, mask: Tensor) -> Tensor:
    """Keep the listed of `falling_ranks` and tie all others, below them: [B,T] → [B,T]."""
    lowest = -mask.sum(dim=1, keepdim=True) - 1.0
    return ranks.where(listed, lowest).where(first_positions(mask), 0.0)


def first_positions(mask: Tensor) -> Tensor:
    """Say which are the first n positions of each text: [B,T]."""
    return torch.arange(mask.shape[1], device=mask.device) < mask.sum(dim=1, keepdim=True)


def compacted(values: Tensor, mask: Tensor) -> Tensor:
    """Move the counted values to the first n positions, in their order: [B,T] → [B,T], then 0."""
    order = argsort_rows((~mask).to(torch.uint8), stable=True)
    return values.gather(1, order).where(first_positions(mask), 0.0)
