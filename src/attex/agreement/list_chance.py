"""What two unrelated top-k lists score on average, in closed form.

Two lists of k of n tokens, one of them placed at random, share z tokens with the hypergeometric
probability C(k,z)·C(n−k,k−z)/C(n,k), and which places of a list they take is a matter of chance.
"""

import torch
from torch import Tensor

from attex.agreement.ordering import Runs, differs
from attex.agreement.patterns import Pattern


def top_k_mean(pattern: Pattern, n: Tensor) -> Tensor:
    """Return the mean of `top_k` over all shuffles: pattern [B,T], n [B] → [B].

    With t_a, t_b the shares of the pairs of a list that are tied in it, a pair of shared tokens
    costs ½(1−t_a)(1−t_b) + p(t_a(1−t_b) + t_b(1−t_a)) on average, a shared and an unshared one
    ½(1−t) + p·t, two of one list that are not in the other p(1−t), and one of each 1.
    """
    k, p = pattern.options["k"].double(), pattern.options.get("p", 0.5)
    shared, chance = _shared(n.double(), k)
    k, missed = k[:, None], k[:, None] - shared
    tied = [_tied_share(x, pattern.options["k"])[:, None] for x in (pattern.a, pattern.b)]
    both = (1 - tied[0]) * (1 - tied[1]) / 2 + p * (tied[0] * (1 - tied[1]) + tied[1] * (1 - tied[0]))
    cost = both * shared * (shared - 1) / 2 + missed**2
    for share in tied:
        cost = cost + shared * missed * ((1 - share) / 2 + p * share)
        cost = cost + p * (1 - share) * missed * (missed - 1) / 2
    m = torch.minimum(k, n.double()[:, None] - k)
    largest = k * (k - 1) / 2 + k * m + (p - 0.5) * m * (m - 1)
    mean: Tensor = ((1 - 2 * cost / largest) * chance).sum(dim=1)
    return mean


def jaccard_mean(pattern: Pattern, n: Tensor) -> Tensor:
    """Return the mean of `jaccard_at_k` over all shuffles, E[z/(2k − z)]: n [B] → [B]."""
    k = pattern.options["k"].double()
    shared, chance = _shared(n.double(), k)
    mean: Tensor = (shared / (2 * k[:, None] - shared) * chance).sum(dim=1)
    return mean


def published_mean(pattern: Pattern, n: Tensor) -> Tensor:
    """Return the mean of `top_k_published` over all shuffles: pattern [B,T], n [B] → [B].

    Given z, τ_b of the shared tokens is 0 on average and counts as 1 where z < 2; a shared token
    is below an unshared one half of the time. NaN where a list has ties: their τ_b may be
    undefined, and then this depends on which tokens are shared.
    """
    k, p = pattern.options["k"], pattern.options.get("p", 0.5)
    shared, chance = _shared(n.double(), k.double())
    missed = k[:, None] - shared
    cost = shared**2 / 2 * (shared >= 2) + shared * missed + p * missed * (missed - 1)
    mean: Tensor = ((1 - 2 * cost / (2 * k[:, None] - shared) ** 2) * chance).sum(dim=1)
    # One past the list: a tie across the edge is broken by position.
    reach = (k + 1).minimum(n)
    tied = _tied_share(pattern.a, reach) + _tied_share(pattern.b, reach)
    return mean.where(tied == 0, float("nan"))


def _shared(n: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Return the numbers of tokens that two lists may share, [1,k+1], and their chances [B,k+1]."""
    shared = torch.arange(int(k.max()) + 1, device=k.device, dtype=torch.float64)[None]
    n, k = n[:, None], k[:, None]
    logs = _log_choose(k, shared) + _log_choose(n - k, k - shared) - _log_choose(n, k)
    return shared, logs.exp()


def _log_choose(items: Tensor, chosen: Tensor) -> Tensor:
    log = torch.lgamma(items + 1) - torch.lgamma(chosen + 1) - torch.lgamma(items - chosen + 1)
    return log.where((chosen >= 0) & (chosen <= items), -float("inf"))


def _tied_share(ranks: Tensor, k: Tensor) -> Tensor:
    """Return the share of the pairs of the first k tokens that are equal; 0 without pairs."""
    listed = torch.arange(ranks.shape[1], device=ranks.device) < k[:, None]
    pairs = (k * (k - 1) / 2.0).clamp(min=1)
    return Runs(differs(ranks) | ~listed).pairs / pairs
