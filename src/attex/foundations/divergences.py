"""Distances between output distributions, from logits and in float64."""

import torch
from torch import Tensor

_TINY = torch.finfo(torch.float64).tiny
_FAR = 100.0
"""Where the ratio of two probabilities is e^100, one of them counts for nothing in float64."""


def distribution(logits: Tensor) -> Tensor:
    """Turn logits [..., O] into the full output distribution [..., max(O, 2)] in float64.

    One logit is a sigmoid, given as (1 − p, p); several are a softmax.

    Example:
        >>> from math import log
        >>> import torch
        >>> from attex.foundations.divergences import distribution
        >>> distribution(torch.tensor([[log(3)]]))
        tensor([[0.2500, 0.7500]], dtype=torch.float64)
        >>> distribution(torch.tensor([[0.0, log(3)]]))
        tensor([[0.2500, 0.7500]], dtype=torch.float64)
    """
    logits = logits.double()
    if logits.shape[-1] == 1:
        # σ(−z) and not 1 − σ(z): the difference of a saturated sigmoid from 1 is kept.
        return torch.cat([torch.sigmoid(-logits), torch.sigmoid(logits)], dim=-1)
    return logits.softmax(dim=-1)


def total_variation(logits_a: Tensor, logits_b: Tensor) -> Tensor:
    """TVD(y, y′) = ½ Σ_i |y_i − y′_i| over the full distribution, from logits [..., O] → [...].

    The smaller side of a saturated sigmoid carries the difference, so that no two different
    logits are tied by rounding (float32 sigmoids would be).

    Example:
        One logit is a sigmoid, and σ(0) = 0.5, σ(2 ln 3) = 0.9:

        >>> from math import log
        >>> import torch
        >>> from attex.foundations.divergences import total_variation
        >>> total_variation(torch.tensor([0.0]), torch.tensor([2 * log(3)]))
        tensor(0.4000, dtype=torch.float64)
    """
    if logits_a.shape[-1] == 1:
        a, b = logits_a.double().squeeze(-1), logits_b.double().squeeze(-1)
        # σ(a) − σ(b) = σ(a) σ(−b) (1 − e^{b−a}), with a ≥ b for a bounded exponent.
        high, low = torch.maximum(a, b), torch.minimum(a, b)
        return torch.sigmoid(high) * torch.sigmoid(-low) * -torch.expm1(low - high)
    return (distribution(logits_a) - distribution(logits_b)).abs().sum(dim=-1) / 2


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """JSD(p, q) = ½ KL(p ‖ m) + ½ KL(q ‖ m) in nats with m = (p + q)/2: [..., T] → [...] in float64.

    0 … ln 2; 0·ln 0 = 0, so that what has no weight in either adds nothing.

    Example:
        The square of SciPy's distance of that name:

        >>> import torch
        >>> from scipy.spatial.distance import jensenshannon
        >>> from attex.foundations.divergences import jensen_shannon
        >>> p, q = torch.tensor([1.0, 0.0]), torch.tensor([0.25, 0.75])
        >>> jensen_shannon(p, q)
        tensor(0.3804, dtype=torch.float64)
        >>> round(jensenshannon(p, q).item() ** 2, 4)
        0.3804
    """
    p, q = p.double(), q.double()
    log_middle = ((p + q) / 2).clamp(min=_TINY).log()
    own = torch.xlogy(p, p) + torch.xlogy(q, q)
    return (own - (p + q) * log_middle).sum(dim=-1).clamp(min=0.0) / 2


def output_divergence(logits_a: Tensor, logits_b: Tensor) -> Tensor:
    """JS(y, y′) in nats of the full output distributions: logits [...,O], [...,O] → [...].

    With x_i = ln y_i/y′_i it is ¼ Σ_i (y_i + y′_i)(x_i tanh(x_i/2) − 2 ln cosh(x_i/2)): no term is
    negative, and ln cosh(x/2) = ln(1 + 2 sinh²(x/4)) keeps differences that saturation leaves tiny.
    """
    a, b = _log_distribution(logits_a), _log_distribution(logits_b)
    # What is impossible in both, −∞ less −∞, adds nothing.
    x = (a - b).nan_to_num(nan=0.0).clamp(-_FAR, _FAR)
    terms = x * torch.tanh(x / 2) - 2 * torch.log1p(2 * torch.sinh(x / 4) ** 2)
    return ((a.exp() + b.exp()) * terms).sum(dim=-1) / 4


def _log_distribution(logits: Tensor) -> Tensor:
    logits = logits.double()
    if logits.shape[-1] == 1:
        return torch.nn.functional.logsigmoid(torch.cat([-logits, logits], dim=-1))
    return logits.log_softmax(dim=-1)


def normalised_entropy(weights: Tensor, mask: Tensor) -> Tensor:
    """H̃ = −Σ_t p_t ln p_t / ln n with p = weights/Σ over the n positions that count: [...,T] → [...].

    0 where all weight lies on one position, 1 where it is spread evenly; 0·ln 0 = 0. Undefined (NaN)
    where n < 2, where all weights are 0 or where one of those that count is NaN. In float64.

    Example:
        Two of three words share all weight: ln 2 / ln 3.

        >>> import torch
        >>> from attex.foundations.divergences import normalised_entropy
        >>> weights, mask = torch.tensor([4.0, 4.0, 0.0, 9.0]), torch.tensor([True, True, True, False])
        >>> normalised_entropy(weights, mask)
        tensor(0.6309, dtype=torch.float64)
    """
    weights = weights.double().where(mask, 0.0)
    shares = weights / weights.sum(dim=-1, keepdim=True)
    entropy = 0.0 - torch.xlogy(shares, shares).sum(dim=-1)
    count = mask.sum(dim=-1)
    # Rounding would put even shares above 1.
    normalised = (entropy / count.clamp(min=2).double().log()).clamp(max=1.0)
    return normalised.masked_fill(count < 2, float("nan"))
