"""Rank correlations in which a disagreement near the top weighs more."""

import torch
from torch import Tensor

from attex.agreement.ordering import TOKEN_BYTES, Ordering, order
from attex.agreement.patterns import depends_on, order_and_ties, zero
from attex.agreement.statistic import STATISTICS, Agreement, broken, in_pieces


@STATISTICS.register("weighted_tau", cite="Vigna 2015")
@depends_on(order_and_ties)
def weighted_tau(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Kendall's τ-b with hyperbolic weights, equal to SciPy's `weightedtau` as it comes.

    A pair {i, j} weighs w_i + w_j with w = 1/(r+1), r = 0 for the highest token. Of the summed
    weights: τ_w = (C − D) / √((N − t_a)(N − t_b)) with C concordant, D discordant, N all pairs and
    t_a, t_b those tied in a, in b. The value is the mean of τ_w with tokens ranked by (a, then b)
    and by (b, then a). a, b, mask [B,T] → [B]; no p-value is known. Undefined where n < 2, a
    vector is constant, or a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor]:
        value = (_weighted(order(a, b, mask)) + _weighted(order(b, a, mask))) / 2
        return (value.masked_fill(broken(a, b, mask), float("nan")),)

    return Agreement(*in_pieces(compute, a, b, mask, bytes_each=2 * TOKEN_BYTES * a.shape[1]))


def _weighted(pairs: Ordering) -> Tensor:
    position = torch.arange(pairs.counted.shape[1], device=pairs.n.device)
    weight = (1 / (pairs.n[:, None] - position)).where(pairs.counted, 0.0)

    def total(partners: Tensor) -> Tensor:
        # Every pair is seen from both its tokens, and each brings its own weight.
        return (weight * partners).sum(dim=1)

    everything = total(pairs.n[:, None] - 1)
    tied_a, tied_both = total(pairs.ties_a.others), total(pairs.ties_both.others)
    tied_b = total(pairs.others_b)
    discordant = total(pairs.inverted + pairs.inverted_above)
    balance = everything - (tied_a + tied_b - tied_both) - 2 * discordant
    constant = (pairs.ties_a.pairs == pairs.pairs) | (pairs.ties_b.pairs == pairs.pairs)
    value = balance / (everything - tied_a) ** 0.5 / (everything - tied_b) ** 0.5
    return value.clamp(-1.0, 1.0).masked_fill(constant, float("nan"))


@STATISTICS.register("tau_ap", cite="Yilmaz, Aslam & Robertson 2008")
@depends_on(order_and_ties, mean=zero)
def tau_ap(a: Tensor, b: Tensor, mask: Tensor, *, symmetric: bool = False) -> Agreement:
    """AP correlation of the ranking b with the reference a: most of it is decided at the top.

    τ_AP = 1/|L| · Σ_{i∈L} [Σ_{j : b_j > b_i} sign(a_j − a_i)] / #{j : b_j > b_i}, with L the tokens
    that have one above them. Without ties that is 2/(n−1) · Σ_{r=2..n} C(r)/(r−1) − 1, C(r) the
    tokens above rank r that the reference puts above it too. A pair tied in the reference counts
    half, as under τ and `top_k`; of a pair tied in the ranking neither is above the other, so it
    does not count (as in τ_AP,b of Urbano & Marrero 2017). Identical vectors score 1, reversed
    ones −1. `symmetric` is the mean of τ_AP with each vector as the reference.

    a, b, mask [B,T] → [B]; there is no p-value. Undefined where n < 2, a vector is constant, or a
    counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor]:
        value = _average_precision(order(a, b, mask))
        if symmetric:
            value = (value + _average_precision(order(b, a, mask))) / 2
        return (value.masked_fill(broken(a, b, mask), float("nan")),)

    return Agreement(*in_pieces(compute, a, b, mask, bytes_each=2 * TOKEN_BYTES * a.shape[1]))


def _average_precision(pairs: Ordering) -> Tensor:
    above = (pairs.n[:, None] - 1 - pairs.lower_b - pairs.others_b).where(pairs.counted, 0.0)
    # A run of equal a is sorted by b: what follows a token there, past its double, is above it.
    tied = pairs.ties_a.end - pairs.ties_both.end
    share = (above - tied - 2 * pairs.inverted) / above.clamp(min=1)
    value = share.sum(dim=1) / (above > 0).sum(dim=1)
    constant = (pairs.ties_a.pairs == pairs.pairs) | (pairs.ties_b.pairs == pairs.pairs)
    return value.masked_fill(constant, float("nan"))
