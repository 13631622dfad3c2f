"""Kendall's rank correlation."""

import functools
import math
from itertools import accumulate

import torch
from torch import Tensor

from attex.agreement.statistic import STATISTICS, Agreement
from attex.foundations.memory import spans

_EXACT_UP_TO = 33
"""Texts of up to this many untied tokens get the exact p-value, as in SciPy."""

_PAIR_BYTES = 16
"""What one pair of positions takes while its signs are multiplied."""


@STATISTICS.register("kendall_tau", cite="Kendall 1945")
def kendall_tau(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Kendall's τ-b with its two-sided p-value, equal to SciPy's.

    τ = (C − D) / √((N − t_a)(N − t_b)) with C concordant and D discordant among the N = n(n−1)/2
    pairs and t_a, t_b the pairs tied in a, in b. a, b, mask [B,T] → [B]. Undefined where n < 2, a
    vector is constant, or a counted score is NaN. The p-value is exact without ties where n ≤ 33
    or at most one pair is out of order, else the normal approximation with the tie-corrected
    variance.
    """
    a, b = a.double(), b.double()
    pieces = [
        _kendall_tau(a[span], b[span], mask[span])
        for span in spans(len(a), _PAIR_BYTES * a.shape[1] ** 2)
    ]
    empty = a.new_empty(0)
    values, p_values = zip(*pieces, strict=True) if pieces else ((empty,), (empty,))
    return Agreement(torch.cat(values), torch.cat(p_values))


def _kendall_tau(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    n = mask.sum(dim=1).double()
    broken = ((a.isnan() | b.isnan()) & mask).any(dim=1)
    a, b = a.nan_to_num(0.0), b.nan_to_num(0.0)
    balance = (_signs(a, mask) * _signs(b, mask)).sum(dim=(1, 2), dtype=torch.int64).double() / 2
    ties_a, ties_b = _Ties(a, mask), _Ties(b, mask)
    pairs = n * (n - 1) / 2
    tau = balance / (pairs - ties_a.pairs).sqrt() / (pairs - ties_b.pairs).sqrt()
    undefined = broken | (n < 2) | (ties_a.pairs == pairs) | (ties_b.pairs == pairs)
    tau = tau.clamp(-1.0, 1.0).masked_fill(undefined, float("nan"))
    untied = (ties_a.pairs == 0) & (ties_b.pairs == 0)
    out_of_order = torch.minimum(pairs - balance, pairs + balance) / 2
    exact = untied & ((n <= _EXACT_UP_TO) | (out_of_order <= 1)) & ~undefined
    p_value = _normal_p_value(balance, n, ties_a, ties_b)
    for row in exact.nonzero().flatten().tolist():
        p_value[row] = _exact_p_value(int(n[row]), int(out_of_order[row]))
    return tau, p_value.masked_fill(undefined, float("nan"))


def _signs(values: Tensor, mask: Tensor) -> Tensor:
    """sign(v_i − v_j) as int8 [B,T,T], 0 where a position does not count."""
    higher = values[:, :, None] > values[:, None, :]
    counted = mask[:, :, None] & mask[:, None, :]
    return (higher.to(torch.int8) - higher.mT.to(torch.int8)) * counted


class _Ties:
    """Sums over the groups of equal values, of size t: each member adds its share."""

    def __init__(self, values: Tensor, mask: Tensor) -> None:
        equal = (values[:, :, None] == values[:, None, :]) & mask[:, None, :]
        others = ((equal.sum(dim=-1) - 1) * mask).double()
        self.pairs = others.sum(dim=1) / 2  # Σ t(t−1)/2
        self.triples = (others * (others - 1)).sum(dim=1)  # Σ t(t−1)(t−2)
        self.spread = (others * (2 * others + 7)).sum(dim=1)  # Σ t(t−1)(2t+5)


def _normal_p_value(balance: Tensor, n: Tensor, a: _Ties, b: _Ties) -> Tensor:
    twice = n * (n - 1)
    variance = (twice * (2 * n + 5) - a.spread - b.spread) / 18
    variance = variance + 2 * a.pairs * b.pairs / twice
    variance = variance + a.triples * b.triples / (9 * twice * (n - 2)).where(n > 2, 1.0)
    return torch.erfc(balance.abs() / (2 * variance).sqrt())


@functools.cache
def _exact_p_value(n: int, out_of_order: int) -> float:
    """2 · P(at most this many of n untied ranks' pairs are out of order), at most 1."""
    if 4 * out_of_order >= n * (n - 1):
        return 1.0
    counts = [1]
    for size in range(2, n + 1):
        # Inserting one more item puts 0 to size − 1 pairs out of order.
        longer = counts + [0] * (min(out_of_order + 1, len(counts) + size - 1) - len(counts))
        sums = [0, *accumulate(longer)]
        counts = [sums[i + 1] - sums[max(0, i + 1 - size)] for i in range(len(longer))]
        counts = counts[: out_of_order + 1]
    return float(min(1.0, 2 * sum(counts[: out_of_order + 1]) / math.factorial(n)))
