"""What an agreement statistic is: one value for every pair of score vectors."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from attex.foundations.registry import Registry


@dataclass(frozen=True)
class Agreement:
    """value [B] in float64, NaN where undefined; p_value [B], or None where there is no test."""

    value: Tensor
    p_value: Tensor | None = None


Statistic = Callable[[Tensor, Tensor, Tensor], Agreement]
"""(a [B,T], b [B,T], mask [B,T]) → Agreement; the mask may have holes."""

STATISTICS: Registry[Agreement] = Registry("statistic", "attex.agreement")
