"""What an agreement statistic is: one value for every pair of score vectors."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attex.foundations.memory import DEFAULT_BUDGET, spans
from attex.foundations.registry import Registry


@dataclass(frozen=True)
class Agreement:
    """value [B] in float64, NaN where undefined; p_value [B], or None where there is no test.

    depth [B] is how many of the highest scores were compared, by statistics that have a k; NaN
    where the value is undefined. null_std [B] is the standard deviation of the value over all
    shuffles of one vector, by statistics that know it; their mean over these is 0.

    Example:
        What a statistic without a test says of two texts, the second undefined:

        >>> import torch
        >>> from attex.agreement import Agreement
        >>> agreement = Agreement(torch.tensor([0.5, float("nan")], dtype=torch.float64))
        >>> agreement.value.nanmean().item(), agreement.p_value
        (0.5, None)
    """

    value: Tensor
    p_value: Tensor | None = None
    depth: Tensor | None = None
    null_std: Tensor | None = None


Statistic = Callable[[Tensor, Tensor, Tensor], Agreement]
"""(a [B,T], b [B,T], mask [B,T]) → Agreement; the mask may have holes."""

_CPU_BYTES = 4 * 2**20
"""On a CPU a piece stays in the cache, and torch works on it without waking other threads."""

STATISTICS: Registry[Agreement] = Registry("statistic", "attex.agreement", misleads="")
"""The fact of a statistic: why it `misleads`, if it does. Pages mark it, and rank it beside no other."""


def in_pieces(
    compute: Callable[..., tuple[Tensor, ...]], *inputs: Tensor, bytes_each: int
) -> tuple[Tensor, ...]:
    """Compute on rows of the inputs that fit the memory budget together, and join the answers."""
    budget = _CPU_BYTES if inputs[0].device.type == "cpu" else DEFAULT_BUDGET
    rows = list(spans(len(inputs[0]), bytes_each, budget)) or [slice(0)]
    with torch.no_grad():
        pieces = [compute(*(x[span] for x in inputs)) for span in rows]
    return tuple(torch.cat(parts) for parts in zip(*pieces, strict=True))


def broken(a: Tensor, b: Tensor, mask: Tensor) -> Tensor:
    """Whether a counted score is NaN: a, b, mask [B,T] → [B]."""
    return ((a.isnan() | b.isnan()) & mask).any(dim=1)
