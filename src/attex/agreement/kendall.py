"""Kendall's rank correlation."""

import functools
import math
from itertools import accumulate

import torch
from torch import Tensor

from attex.agreement.ordering import TOKEN_BYTES, Ordering, Runs, order
from attex.agreement.statistic import STATISTICS, Agreement, broken, in_pieces

_EXACT_UP_TO = 33
"""Texts of up to this many untied tokens get the exact p-value, as in SciPy."""


@STATISTICS.register("kendall_tau", cite="Kendall 1945")
def kendall_tau(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Kendall's τ-b with its two-sided p-value, equal to SciPy's.

    τ = (C − D) / √((N − t_a)(N − t_b)) with C concordant and D discordant among the N = n(n−1)/2
    pairs and t_a, t_b the pairs tied in a, in b. a, b, mask [B,T] → [B]. Undefined where n < 2, a
    vector is constant, or a counted score is NaN. The p-value is exact without ties where n ≤ 33
    or at most one pair is out of order, else the normal approximation with the tie-corrected
    variance.
    """
    return Agreement(*in_pieces(_kendall_tau, a, b, mask, bytes_each=TOKEN_BYTES * a.shape[1]))


def _kendall_tau(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    pairs = order(a, b, mask)
    tau = tau_b(pairs)
    undefined = broken(a, b, mask) | tau.isnan()
    p_value = _p_value(pairs)
    return tau.masked_fill(undefined, float("nan")), p_value.masked_fill(undefined, float("nan"))


def tau_b(pairs: Ordering) -> Tensor:
    """Kendall's τ-b of two orders: [B], NaN where one of them has no two different values."""
    spread_a, spread_b = pairs.pairs - pairs.ties_a.pairs, pairs.pairs - pairs.ties_b.pairs
    # 0/0 where a vector is constant.
    return (_balance(pairs) / spread_a.sqrt() / spread_b.sqrt()).clamp(-1.0, 1.0)


def _balance(pairs: Ordering) -> Tensor:
    """Concordant less discordant pairs: [B]."""
    tied = pairs.ties_a.pairs + pairs.ties_b.pairs - pairs.ties_both.pairs
    return pairs.pairs - tied - 2 * pairs.discordant


def _p_value(pairs: Ordering) -> Tensor:
    n = pairs.n
    untied = (pairs.ties_a.pairs == 0) & (pairs.ties_b.pairs == 0)
    out_of_order = torch.minimum(pairs.discordant, pairs.pairs - pairs.discordant)
    short = n <= _EXACT_UP_TO
    table = _exact_p_values().to(n.device)
    inside = table[n.where(short, 0).long(), out_of_order.where(untied & short, 0).long()]
    # Beyond the table: 1 or n of the n! orders have at most that many pairs out of order.
    outside = 2 * torch.exp(-torch.lgamma(n + 1 - out_of_order))
    exact = inside.where(short, outside)
    return exact.where(untied & (short | (out_of_order <= 1)), _normal_p_value(pairs))


def _normal_p_value(pairs: Ordering) -> Tensor:
    n = pairs.n
    twice = n * (n - 1)
    variance = (twice * (2 * n + 5) - _spread(pairs.ties_a) - _spread(pairs.ties_b)) / 18
    variance = variance + 2 * pairs.ties_a.pairs * pairs.ties_b.pairs / twice
    triples = _triples(pairs.ties_a) * _triples(pairs.ties_b)
    variance = variance + triples / (9 * twice * (n - 2)).where(n > 2, 1.0)
    return torch.erfc(_balance(pairs).abs() / (2 * variance).sqrt())


def _triples(ties: Runs) -> Tensor:
    """Σ t(t−1)(t−2) over the groups of t equal values: 3 c(c−1) from a member after c others."""
    return 3 * (ties.before * (ties.before - 1)).sum(dim=1)


def _spread(ties: Runs) -> Tensor:
    """Σ t(t−1)(2t+5) over the groups of t equal values."""
    return 2 * _triples(ties) + 18 * ties.pairs


@functools.cache
def _exact_p_values() -> Tensor:
    """2 · P(at most d of the pairs of n untied ranks are out of order), at most 1, at [n, d]."""
    most = _EXACT_UP_TO * (_EXACT_UP_TO - 1) // 2
    table = torch.ones(_EXACT_UP_TO + 1, most + 1, dtype=torch.float64)
    counts = [1]
    for n in range(1, _EXACT_UP_TO + 1):
        # Inserting one more item puts 0 to n − 1 pairs out of order.
        sums = [0, *accumulate(counts + [0] * (n - 1))]
        counts = [sums[d + 1] - sums[max(0, d + 1 - n)] for d in range(len(sums) - 1)]
        shares = [min(1.0, 2 * total / math.factorial(n)) for total in accumulate(counts)]
        table[n, : len(shares)] = torch.tensor(shares, dtype=torch.float64)
    return table
