"""Pearson's correlation, of the scores themselves and of their ranks."""

from collections.abc import Callable

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.
import torch
from torch import Tensor

from attex.agreement.ordering import TOKEN_BYTES, average_ranks
from attex.agreement.patterns import depends_on, order_and_ties
from attex.agreement.statistic import STATISTICS, Agreement, broken, in_pieces


@STATISTICS.register("pearson", cite="Pearson 1895")
def pearson(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Pearson's r with its two-sided p-value, equal to SciPy's.

    r = Σ (a − ā)(b − b̄) / √(Σ (a − ā)² · Σ (b − b̄)²) over the counted tokens. a, b, mask [B,T] →
    [B]. The p-value is that of independent normal scores: t = r·√((n−2)/(1−r²)) with n − 2 degrees
    of freedom; 1 where n = 2. Over all shuffles the mean is 0 and the variance 1/(n−1). Undefined
    where n < 2, a vector is constant, or a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        value = _correlation(a.double(), b.double(), mask)
        n = mask.sum(dim=1)
        return value, _p_value(value, n).where((n != 2) | value.isnan(), 1.0)

    return _with_spread(compute, a, b, mask)


@STATISTICS.register("spearman", cite="Spearman 1904")
@depends_on(order_and_ties)
def spearman(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    """Spearman's ρ with its two-sided p-value, equal to SciPy's.

    Pearson's r of the ranks; equal scores share the mean of their ranks. a, b, mask [B,T] → [B].
    The p-value takes t = ρ·√((n−2)/(1−ρ²)) as Student's with n − 2 degrees of freedom; undefined
    where n < 3. Over all shuffles the mean is 0 and the variance 1/(n−1). Undefined altogether
    where n < 2, a vector is constant, or a counted score is NaN.
    """

    def compute(a: Tensor, b: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        value = _correlation(average_ranks(a, mask), average_ranks(b, mask), mask)
        value = value.masked_fill(broken(a, b, mask), float("nan"))
        return value, _p_value(value, mask.sum(dim=1))

    return _with_spread(compute, a, b, mask)


def _with_spread(
    compute: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
    a: Tensor,
    b: Tensor,
    mask: Tensor,
) -> Agreement:
    value, p_value = in_pieces(compute, a, b, mask, bytes_each=TOKEN_BYTES * a.shape[1])
    spread = (mask.sum(dim=1).double() - 1).clamp(min=1) ** -0.5
    return Agreement(value, p_value, null_std=spread.where(~value.isnan(), float("nan")))


def _correlation(a: Tensor, b: Tensor, mask: Tensor) -> Tensor:
    a, b = _centred(a, mask), _centred(b, mask)
    squares = (a * a).sum(dim=1) * (b * b).sum(dim=1)
    return ((a * b).sum(dim=1) / squares**0.5).clamp(-1.0, 1.0)


def _centred(values: Tensor, mask: Tensor) -> Tensor:
    """Return the counted values less their mean, of largest size 1; NaN for constant ones."""
    values = values.where(mask, 0.0)
    first = values.gather(1, mask.long().argmax(dim=1, keepdim=True))
    centred = (values - values.sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True)).where(mask, 0.0)
    centred = centred / centred.abs().amax(dim=1, keepdim=True)
    constant = ((values == first) | ~mask).all(dim=1, keepdim=True)
    return centred.masked_fill(constant, float("nan"))


def _p_value(r: Tensor, n: Tensor) -> Tensor:
    """P(|t| at least as large) = I_{1−r²}((n−2)/2, 1/2); NaN where n < 3."""
    freedom = (n - 2).double().where(n > 2, float("nan"))
    share = ((1 - r) * (1 + r)).cpu().numpy()
    tail: np.ndarray = scipy.special.betainc(freedom.cpu().numpy() / 2, 0.5, share)
    return torch.from_numpy(tail).to(r.device)
