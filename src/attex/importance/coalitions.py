"""Which words of a text are on: draws of coalitions, and those that need not be drawn.

Draws depend on (seed, text, draw, word) only. Words are counted along a text: words [B,W] marks those
that it has.
"""

import functools
import itertools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from attex.foundations.draws import numbers, permutations, uniforms

_APART = 2**32
"""Seeds of one purpose are apart from those of another: else two measures would share their noise."""


def coins(ids: Tensor, words: Tensor, draws: int, seed: int) -> Tensor:
    """Leave every word on with probability ½: ids [B], words [B,W] → [B,draws,W]."""
    return (numbers(ids, words, draws, seed + _APART) >= 0) & words[:, None]


def by_size(ids: Tensor, words: Tensor, draws: int, seed: int) -> Tensor:
    """Switch off 1 to n words, each number as likely as any other: ids [B], words [B,W] → [B,draws,W].

    Which words these are is drawn among all sets of so many. The first draw has all words on.
    """
    count = words.sum(dim=1)[:, None]
    share = uniforms(ids, words[:, :1], draws, seed + 2 * _APART).squeeze(-1)
    off = ((share * count).long() + 1).minimum(count)
    off[:, 0] = 0
    order = permutations(ids, words, draws, seed + 3 * _APART)
    return (order >= off[..., None]) & words[:, None]


def shapley(ids: Tensor, words: Tensor, draws: int, seed: int) -> tuple[Tensor, Tensor]:
    """Choose at most so many coalitions by the Shapley kernel: → on [B,draws,W], weights [B,draws].

    A coalition of k among n words has the weight (n − 1) / (C(n,k) k (n − k)), all brought to the sum 1
    over those that are neither empty nor whole. From the smallest and the largest inwards, all of one
    size are taken while as many would be drawn anyway; the rest of the draws are of the other sizes,
    each with its complement. A weight of 0 says that there is no coalition.
    """
    on = torch.zeros(len(ids), draws, words.shape[1], dtype=torch.bool, device=words.device)
    weights = torch.zeros(len(ids), draws, dtype=torch.float64, device=words.device)
    counts = words.sum(dim=1)
    for n in sorted(set(counts.tolist())):
        texts = (counts == n).nonzero()[:, 0]
        plan = _plan(n, draws)
        taken = len(plan.coalitions)
        on[texts, :taken, :n] = plan.coalitions.to(on.device)
        weights[texts, :taken] = plan.weights.to(on.device)
        pairs = (draws - taken) // 2
        if plan.left == 0 or pairs == 0:
            continue
        first = _drawn(ids[texts], n, plan, pairs, seed)
        on[texts, taken : taken + 2 * pairs, :n] = torch.stack([first, ~first], 2).flatten(1, 2)
        weights[texts, taken : taken + 2 * pairs] = plan.left / (2 * pairs)
    return on, weights


class _Plan(NamedTuple):
    """Coalitions of n words that are taken as they are [E,n], and their weights [E].

    `left` is the weight of all others, and sizes those of which they are drawn, with the
    probabilities `shares`: the smaller size of each pair.
    """

    coalitions: Tensor
    weights: Tensor
    left: float
    sizes: Tensor
    shares: Tensor


@functools.lru_cache(maxsize=64)
def _plan(n: int, draws: int) -> _Plan:
    kernel = [1 / (k * (n - k)) for k in range(1, n)]
    total = sum(kernel)
    # Of a size and of its complements' together.
    shares = [kernel[k - 1] / total * (1 if 2 * k == n else 2) for k in range(1, n // 2 + 1)]
    taken: list[Tensor] = []
    weights: list[Tensor] = []
    left, free, size = 1.0 if shares else 0.0, draws, 1
    while size <= len(shares):
        share = shares[size - 1]
        many = math.comb(n, size) * (1 if 2 * size == n else 2)
        # The last size has all that is left; rounding must not keep it out.
        if free * share / left < many * (1 - 1e-9):
            break
        taken.append(_all_of(n, size))
        weights.append(torch.full((many,), share / many, dtype=torch.float64))
        free -= many
        left, size = (left - share if size < len(shares) else 0.0), size + 1
    rest = torch.tensor(shares[size - 1 :], dtype=torch.float64)
    return _Plan(
        torch.cat(taken) if taken else torch.zeros(0, n, dtype=torch.bool),
        torch.cat(weights) if weights else torch.zeros(0, dtype=torch.float64),
        left,
        torch.arange(size, size + len(rest)),
        rest / rest.sum(),
    )


def _all_of(n: int, size: int) -> Tensor:
    """Return all coalitions of so many of n words, and their complements: [E,n]."""
    members = torch.tensor(list(itertools.combinations(range(n), size)))
    on = torch.zeros(len(members), n, dtype=torch.bool).scatter_(1, members, True)
    return on if 2 * size == n else torch.cat([on, ~on])


def _drawn(ids: Tensor, n: int, plan: _Plan, draws: int, seed: int) -> Tensor:
    """Draw coalitions of the sizes that are left: ids [B] → [B,draws,n]."""
    words = torch.ones(len(ids), n, dtype=torch.bool, device=ids.device)
    share = uniforms(ids, words[:, :1], draws, seed + 4 * _APART).squeeze(-1)
    edges = plan.shares.cumsum(0)[:-1].to(ids.device)
    size = plan.sizes.to(ids.device)[torch.searchsorted(edges, share)]
    return permutations(ids, words, draws, seed + 5 * _APART) < size[..., None]
