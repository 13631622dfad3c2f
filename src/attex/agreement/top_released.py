"""Top-k statistics as the released code of three papers computes them."""

from typing import Any

import torch
from torch import Tensor

from attex.agreement.depth import Depth
from attex.agreement.kendall import count_pairs, tau_b
from attex.agreement.list_chance import published_mean
from attex.agreement.lists import FirstTokens, Penalty, compare_lists, first_buckets
from attex.agreement.ordering import argsort_rows, last_outside, order
from attex.agreement.patterns import (
    Pattern,
    compacted,
    depends_on,
    falling_ranks,
    only_first,
    order_and_ties,
)
from attex.agreement.statistic import STATISTICS, Agreement


def _first_lists(a: Tensor, b: Tensor, mask: Tensor, options: dict[str, Any]) -> Pattern:
    """Keep what is no lower than the k-th highest of each vector; the rest are one tie.

    Where a tie crosses the edge of b's list, that fills up with the first of the tied tokens, so
    that it matters where in the text those of a stand.
    """
    last = (options["k"] - 1).clamp(min=0)[:, None]
    following = options["k"].clamp(max=mask.shape[1] - 1)[:, None]
    ranks = [falling_ranks(x, mask) for x in (a, b)]
    edges = [x.gather(1, last) for x in ranks]
    further = (options["k"] < mask.sum(dim=1))[:, None]
    crossed = further & (ranks[1].gather(1, following) == edges[1])
    first, second = (only_first(x, x >= edge, mask) for x, edge in zip(ranks, edges, strict=True))
    by_value = argsort_rows(last_outside(-a, mask), stable=True)
    in_place = compacted(torch.zeros_like(first).scatter(1, by_value, first), mask)
    return Pattern(in_place.where(crossed, first), second, options)


@STATISTICS.register(
    "top_k_published",
    cite="code of Jain & Wallace 2019 and Neely & Schouten 2020",
    misleads="it scores unrelated lists near +1, so a high one says nothing; top_k is the corrected one",
)
@depends_on(_first_lists, mean=published_mean)
def top_k_published(a: Tensor, b: Tensor, mask: Tensor, *, k: Depth, p: Penalty = 0.5) -> Agreement:
    """The top-k correlation behind the published tables, which scores unrelated lists near +1.

    With A and B the k highest tokens, Z = A ∩ B and z = |Z|,
    d = [z²·(1 − τ_b(Z))/2 (0 where τ_b is undefined) + #{i∈Z, j∈A∖B : a_i < a_j}
    + #{i∈Z, j∈B∖A : b_i < b_j} + 2p·C(k−z, 2)] / (2k − z)²; the value is 1 − 2d. Fagin's pairs
    (A∖B) × (B∖A) are missing, so disjoint lists score +1.0, +0.875, +0.80 at k = 1, 2, 5 and
    unrelated scores of 20 tokens average +1.00, +.85, +.79, +.72, +.57 at k = 1, 2, 3, 5, 10. Use
    `top_k` for anything but a check of those tables.

    Ties at the edge are broken by position, the first token before the later one. a, b, mask [B,T]
    → value and depth = min(k, n) [B]. Undefined where k or n is 0 or a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        first, second = FirstTokens(a, mask, k), FirstTokens(b, mask, k)
        both = first.inside & second.inside
        z = both.sum(dim=1).double()
        in_common = z**2 * (1 - tau_b(count_pairs(order(a, b, both))).nan_to_num(1.0)) / 2
        missed = first.pairs_above(both) + second.pairs_above(both)
        in_one = p * (k - z) * (k - z - 1)
        return 1 - 2 * (in_common + missed + in_one) / (2 * k - z) ** 2, k

    return compare_lists(compute, a, b, mask, k, p)


@STATISTICS.register("top_k_buckets", cite="code of court-of-xai; Fagin et al. 2004")
@depends_on(order_and_ties)
def top_k_buckets(a: Tensor, b: Tensor, mask: Tensor, *, k: Depth, p: Penalty = 0.5) -> Agreement:
    """The top-k correlation of court-of-xai, over bucket orders: 1 − 2·penalty/#pairs.

    A bucket holds all tokens of one value, k counts buckets, A and B are the tokens in the k
    highest buckets of a and of b. Over the unordered pairs {i∈A, j∈B}, i ≠ j: 1 if a and b order
    the pair strictly oppositely, p if it is tied in exactly one of them, else 0. Pairs inside A∖B
    or inside B∖A do not count, and the number of pairs depends on the overlap.

    a, b, mask [B,T] → value and depth = min(k, n) [B]. 1 without any pair (A = B = one token).
    Undefined where k or n is 0 or a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        in_a, in_b = first_buckets(a, mask, k), first_buckets(b, mask, k)
        union, *left_out = (order(a, b, x) for x in (in_a | in_b, in_a & ~in_b, in_b & ~in_a))
        penalty = union.discordant + p * union.tied_in_one
        count = union.pairs
        for pairs in left_out:
            penalty = penalty - pairs.discordant - p * pairs.tied_in_one
            count = count - pairs.pairs
        return 1 - 2 * penalty / count.clamp(min=1), k

    return compare_lists(compute, a, b, mask, k, p)
