"""Kendall's rank correlation."""

import functools
import math
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from attex.agreement.ordering import TOKEN_BYTES, Ordering, Runs, order
from attex.agreement.patterns import depends_on, order_and_ties
from attex.agreement.statistic import STATISTICS, Agreement, broken, in_pieces

_EXACT_UP_TO = 33
"""Texts of up to this many untied tokens get the exact p-value, as in SciPy."""

_LARGEST_FACTORIAL = 170
"""170! is the last one that is a floating-point number."""


@STATISTICS.register("kendall_tau", cite="Kendall 1945")
@depends_on(order_and_ties)
def kendall_tau(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Kendall's τ-b with its two-sided p-value, equal to SciPy's.

    τ = (C − D) / √((N − t_a)(N − t_b)) with C concordant and D discordant among the N = n(n−1)/2
    pairs and t_a, t_b the pairs tied in a, in b. a, b, mask [B,T] → [B]. Undefined where n < 2, a
    vector is constant, or a counted score is NaN. The p-value is exact without ties where n ≤ 33
    or at most one pair is out of order, else the normal approximation with the tie-corrected
    variance. Over all shuffles the mean is 0 and, without ties, the variance 2(2n+5)/(9n(n−1)).

    Example:
        Of six pairs one is out of order: τ = (5 − 1)/6. Of the 24 orders four have at most one such
        pair, and as many at least five: p = 8/24.

        >>> import torch
        >>> from attex.agreement import kendall_tau
        >>> a, b = torch.tensor([[4.0, 3.0, 2.0, 1.0]]), torch.tensor([[4.0, 2.0, 3.0, 1.0]])
        >>> agreement = kendall_tau(a, b, mask=torch.ones(1, 4, dtype=torch.bool))
        >>> agreement.value, agreement.p_value
        (tensor([0.6667], dtype=torch.float64), tensor([0.3333], dtype=torch.float64))
    """
    counts = Counts(*in_pieces(_counts, a, b, mask, bytes_each=TOKEN_BYTES * a.shape[1]))
    tau = tau_b(counts)
    spread = (counts.pairs - counts.tied_a) * (counts.pairs - counts.tied_b)
    null_std = (_variance(counts) / spread) ** 0.5
    p_value, null_std = (x.masked_fill(tau.isnan(), float("nan")) for x in (_p_value(counts), null_std))
    return Agreement(tau, p_value, null_std=null_std)


class Counts(NamedTuple):
    """What τ-b and its p-value need of each text: [B] each."""

    pairs: Tensor
    balance: Tensor
    """Concordant less discordant pairs."""
    tied_a: Tensor
    tied_b: Tensor
    n: Tensor
    triples_a: Tensor
    """Σ t(t−1)(t−2) over the groups of t equal values."""
    triples_b: Tensor


def count_pairs(pairs: Ordering) -> Counts:
    """Sum up what an ordering says of each text."""
    tied = pairs.ties_a.pairs + pairs.ties_b.pairs - pairs.ties_both.pairs
    return Counts(
        pairs.pairs,
        pairs.pairs - tied - 2 * pairs.discordant,
        pairs.ties_a.pairs,
        pairs.ties_b.pairs,
        pairs.n,
        _triples(pairs.ties_a),
        _triples(pairs.ties_b),
    )


def tau_b(counts: Counts) -> Tensor:
    """Kendall's τ-b: [B], NaN where a vector has no two different values."""
    spread_a, spread_b = counts.pairs - counts.tied_a, counts.pairs - counts.tied_b
    # 0/0 where a vector is constant.
    return (counts.balance / spread_a**0.5 / spread_b**0.5).clamp(-1.0, 1.0)


def _counts(a: Tensor, b: Tensor, mask: Tensor) -> Counts:
    counts = count_pairs(order(a, b, mask))
    return counts._replace(balance=counts.balance.masked_fill(broken(a, b, mask), float("nan")))


def _triples(ties: Runs) -> Tensor:
    # The member of a group that comes after c others adds 3 c(c−1).
    return 3 * (ties.before * (ties.before - 1)).sum(dim=1)


def _p_value(counts: Counts) -> Tensor:
    n = counts.n
    untied = (counts.tied_a == 0) & (counts.tied_b == 0)
    out_of_order = ((counts.pairs - counts.balance.abs()) / 2).nan_to_num(0.0)
    short = n <= _EXACT_UP_TO
    table = _exact_p_values().to(n.device)
    inside = table[n.where(short, 0).long(), out_of_order.where(untied & short, 0).long()]
    # Beyond the table: 1 or n of the n! orders have at most that many pairs out of order.
    orders = (n - out_of_order).clamp(0, _LARGEST_FACTORIAL + 1).long()
    outside = _one_order().to(n.device)[orders]
    exact = inside.where(short, outside)
    return exact.where(untied & (short | (out_of_order <= 1)), _normal_p_value(counts))


def _normal_p_value(counts: Counts) -> Tensor:
    return torch.erfc(counts.balance.abs() / (2 * _variance(counts)) ** 0.5)


def _variance(counts: Counts) -> Tensor:
    """The variance of the balance over all shuffles of one vector (Kendall 1945)."""
    n = counts.n
    twice = n * (n - 1)
    # Σ t(t−1)(2t+5) over the groups of t equal values, in a and in b.
    ties = 2 * (counts.triples_a + counts.triples_b) + 18 * (counts.tied_a + counts.tied_b)
    variance = (twice * (2 * n + 5) - ties) / 18 + 2 * counts.tied_a * counts.tied_b / twice
    triples = counts.triples_a * counts.triples_b
    return variance + triples / (9 * twice * (n - 2)).where(n > 2, 1.0)


@functools.cache
def _one_order() -> Tensor:
    """2/n! at [n], and 0 at the end."""
    shares = [2 / math.factorial(n) for n in range(_LARGEST_FACTORIAL + 1)]
    return torch.tensor([*shares, 0.0], dtype=torch.float64)


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
