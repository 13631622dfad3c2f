"""The tokens two measures put highest: Fagin's distance between top-k lists, and their overlap."""

from typing import Any

import torch
from torch import Tensor

from attex.agreement.depth import Depth
from attex.agreement.list_chance import jaccard_mean, top_k_mean
from attex.agreement.lists import Penalty, compare_lists, untied_lists
from attex.agreement.ordering import order
from attex.agreement.patterns import Pattern, depends_on, falling_ranks, only_first
from attex.agreement.statistic import STATISTICS, Agreement


def _lists(a: Tensor, b: Tensor, mask: Tensor, options: dict[str, Any]) -> Pattern:
    """Keep the k_eff highest of each vector, with their order and ties; the rest are one tie."""
    depth, *_ = untied_lists(a.double(), b.double(), mask, options["k"].double())
    listed = torch.arange(mask.shape[1], device=mask.device) < depth[:, None]
    a, b = (only_first(falling_ranks(x, mask), listed, mask) for x in (a, b))
    return Pattern(a, b, options | {"k": depth.long()})


@STATISTICS.register("top_k", cite="Fagin, Kumar & Sivakumar 2003")
@depends_on(_lists, mean=top_k_mean)
def top_k(a: Tensor, b: Tensor, mask: Tensor, *, k: Depth, p: Penalty = 0.5) -> Agreement:
    """Fagin's K^(p) between two top-k lists, as a correlation: 1 − 2K/K_max.

    A and B are the k_eff highest tokens of a and of b; a token outside a list is tied below
    everything in it. K sums over the unordered pairs of A ∪ B: 1 if the lists order the pair
    strictly oppositely, p if it is tied in exactly one list, else 0. k_eff is the largest
    k′ ≤ min(k, n) after which *both* vectors strictly drop (k′ = n: neither lowest value is
    tied), so no tie is broken and no order of tokens matters. With m = min(k, n−k) at k = k_eff,
    K_max = k(k−1)/2 + k·m + (p−½)·m(m−1) is the largest K of any two such lists: disjoint lists
    score −1 where n ≥ 2k, and k = n without ties gives Kendall's τ. Chance is not 0: unrelated
    scores of 20 tokens average −.76 at k = 2 and −.40 at k = 5.

    a, b, mask [B,T] → value and depth = k_eff [B]. Undefined where there is no such k′, n < 2, or
    a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        k, in_a, in_b = untied_lists(a, b, mask, k)
        lowest = -float("inf")
        pairs = order(a.where(in_a, lowest), b.where(in_b, lowest), in_a | in_b)
        m = torch.minimum(k, mask.sum(dim=1) - k)
        largest = k * (k - 1) / 2 + k * m + (p - 0.5) * m * (m - 1)
        return 1 - 2 * (pairs.discordant + p * pairs.tied_in_one) / largest, k

    return compare_lists(compute, a, b, mask, k, p)


@STATISTICS.register("jaccard_at_k", cite="Jaccard 1912")
@depends_on(_lists, mean=jaccard_mean)
def jaccard_at_k(a: Tensor, b: Tensor, mask: Tensor, *, k: Depth) -> Agreement:
    """Share of the tokens in two top-k lists that is in both: |A ∩ B| / |A ∪ B|.

    A and B are the k_eff highest tokens of a and of b, with the k_eff of `top_k`: the largest
    k′ ≤ min(k, n) after which both vectors strictly drop. So no tie at the edge is broken, the
    value is symmetric, and no order of tokens matters.

    a, b, mask [B,T] → value and depth = k_eff [B]. Undefined where there is no such k′ or a counted
    score is NaN; 1 where k_eff = n.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        k, in_a, in_b = untied_lists(a, b, mask, k)
        return (in_a & in_b).sum(dim=1) / (in_a | in_b).sum(dim=1).double(), k

    return compare_lists(compute, a, b, mask, k)
