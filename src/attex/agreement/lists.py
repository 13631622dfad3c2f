"""Which tokens are in a top-k list, by each way of dealing with ties at its edge."""

from collections.abc import Callable
from typing import Annotated

import torch
from pydantic import Field
from torch import Tensor

from attex.agreement.depth import Depth, depth_per_text
from attex.agreement.ordering import TOKEN_BYTES, Runs, argsort_rows, differs, last_outside, sort_rows
from attex.agreement.statistic import Agreement, broken, in_pieces

Penalty = Annotated[float, Field(ge=0, le=1)]
"""What a pair costs that one list orders and the other does not."""


def compare_lists(
    compute: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
    a: Tensor,
    b: Tensor,
    mask: Tensor,
    k: Depth,
    p: float = 0.5,
) -> Agreement:
    """Call compute(a, b, mask, k [B]) → value, depth [B] in pieces, all in float64.

    Undefined is what has no value or no depth, or a counted score that is NaN.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"p = {p} is not between 0 and 1")

    def piece(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        value, depth = compute(a.double(), b.double(), mask, k.double())
        undefined = value.isnan() | (depth < 1) | broken(a, b, mask)
        return value.where(~undefined, float("nan")), depth.where(~undefined, float("nan"))

    size = 2 * TOKEN_BYTES * a.shape[1]
    value, depth = in_pieces(piece, a, b, mask, depth_per_text(k, mask), bytes_each=size)
    return Agreement(value, depth=depth)


def untied_lists(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return k_eff [B] and the k_eff highest tokens of each vector [B,T].

    k_eff is the largest k′ ≤ k after which both vectors strictly drop, 0 without any; k′ = n
    counts if neither vector's lowest value is tied.
    """
    n = mask.sum(dim=1, keepdim=True)
    rank = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    a, b = last_outside(-a, mask), last_outside(-b, mask)
    sorted_a, sorted_b = sort_rows(a), sort_rows(b)
    # After the last token comes nothing: whether it differs from the one above it decides.
    following = torch.minimum(rank, n - 1).clamp(min=0)
    drop = differs(sorted_a).gather(1, following) & differs(sorted_b).gather(1, following)
    depth = (rank.double() * (drop & (rank <= k[:, None]))).amax(dim=1)
    return depth, _up_to(depth, a, sorted_a), _up_to(depth, b, sorted_b)


class FirstTokens:
    """The k highest tokens, the first ones of those tied at the edge."""

    def __init__(self, values: Tensor, mask: Tensor, k: Tensor) -> None:
        values = last_outside(-values, mask)
        self._by_value = argsort_rows(values, stable=True)
        self._ties = Runs(differs(values.gather(1, self._by_value)))
        self._listed = torch.arange(mask.shape[1], device=mask.device) < k[:, None]
        self.inside = torch.zeros_like(mask).scatter(1, self._by_value, self._listed)
        """Whether a token is in the list: [B,T]."""

    def pairs_above(self, tokens: Tensor) -> Tensor:
        """Count pairs of a listed token not among `tokens` [B,T] and a lower one that is: [B]."""
        among = tokens.gather(1, self._by_value)
        total = among.cumsum(dim=1)
        lower = total[:, -1:] - total.gather(1, self._ties.end.long())
        return (lower * (self._listed & ~among)).sum(dim=1)


def first_buckets(values: Tensor, mask: Tensor, k: Tensor) -> Tensor:
    """Return the tokens [B,T] that have one of the k highest values."""
    values = last_outside(-values, mask)
    in_order = sort_rows(values)
    bucket = differs(in_order).cumsum(dim=1)
    size = ((bucket <= k[:, None]).sum(dim=1)).minimum(mask.sum(dim=1))
    return _up_to(size, values, in_order)


def _up_to(count: Tensor, values: Tensor, in_order: Tensor) -> Tensor:
    """Whether a value is among the first `count` in order."""
    edge = in_order.gather(1, (count[:, None] - 1).clamp(min=0).long())
    return (values <= edge) & (count[:, None] > 0)
