"""The attention that differs most while the output stays, in closed form."""

from typing import NamedTuple

import torch
from torch import Tensor

from attex.foundations.divergences import jensen_shannon
from attex.foundations.memory import spans

_FEASIBLE = 1e-9
"""How far outside the slab a token's logit may lie by rounding."""
_BYTES_PER_POSITION = 400


@torch.no_grad()
def adversarial_exact(
    token_logits: Tensor, attention: Tensor, mask: Tensor, bias: Tensor | float, epsilon: Tensor | float
) -> tuple[Tensor, Tensor]:
    """Return the largest JSD(α′, α) of any attention α′ with |p(α′) − p(α)| ≤ ε, and one such α′.

    p = σ(s·α + b) for token logits s [B,T] (without the bias; of a two-logit softmax the
    difference), attention [B,T], mask [B,T], bias and epsilon numbers or [B] → (jsd [B] in nats,
    attention [B,T]), float64; NaN and 0 for a text without a counted position.

    |p(α′) − p(α)| ≤ ε is a slab lo ≤ s·α′ ≤ hi, and JSD is convex, so that its maximum over
    simplex ∩ slab is at a vertex: one token t with lo ≤ s_t ≤ hi, or two tokens i and j on
    different sides of an edge c, with weights w = (c − s_j)/(s_i − s_j) and 1 − w. A vertex with
    weights x misses ln 2 by Σ ψ(x_t, α_t) over its tokens, with ψ(x, q) = ½[(x+q) ln(x+q) − x ln x −
    q ln q].

    Not all n² pairs need be looked at. ψ grows with q and is concave in x, and w falls as s_i moves
    away from the edge. So i is no better than the better of two tokens of no more attention, one
    nearer to the edge and one further away: only tokens that have less attention than all nearer
    ones, or than all further ones, can be part of the best pair. Of n tokens in random order those
    are about 2 ln n.

    Example:
        All weight is on a word of logit 0, and the output may not move at all. The words of logit −1
        and 1 have the same mean, and none of them was attended to: ln 2 = 0.6931.

        >>> import torch
        >>> from attex.counterfactual import adversarial_exact
        >>> logits, own = torch.tensor([[-1.0, 0.0, 1.0]]), torch.tensor([[0.0, 1.0, 0.0]])
        >>> everything = torch.ones(1, 3, dtype=torch.bool)
        >>> jsd, other = adversarial_exact(logits, own, everything, bias=0.0, epsilon=0.0)
        >>> jsd, other
        (tensor([0.6931], dtype=torch.float64), tensor([[0.5000, 0.0000, 0.5000]], dtype=torch.float64))
    """
    token_logits, attention = token_logits.double(), attention.double() * mask
    size = len(attention)
    bias, epsilon = (
        torch.as_tensor(x, dtype=torch.float64, device=attention.device).expand(size)
        for x in (bias, epsilon)
    )
    adversarial = torch.zeros_like(attention)
    for span in spans(size, attention.shape[1] * _BYTES_PER_POSITION):
        adversarial[span] = _best(
            token_logits[span], attention[span], mask[span], bias[span], epsilon[span]
        )
    jsd = jensen_shannon(adversarial, attention)
    return jsd.masked_fill(~mask.any(dim=1), float("nan")), adversarial


class Vertices(NamedTuple):
    """The best vertex of one kind for every text: what it misses of ln 2 [B], and its two tokens."""

    missing: Tensor
    first: Tensor
    second: Tensor
    weight: Tensor
    """Of the first token; the second has the rest."""


def _best(s: Tensor, attention: Tensor, mask: Tensor, bias: Tensor, epsilon: Tensor) -> Tensor:
    """Compare all vertices, and the attention itself where none is found: → [B,T]."""
    low, high = _slab(s, attention, mask, bias, epsilon)
    # In order of the logits the tokens above an edge are a block, and those below it another.
    s, order = s.masked_fill(~mask, float("inf")).sort(dim=1)
    q, counted = attention.gather(1, order), mask.gather(1, order)
    kinds = [_single(s, q, counted, low, high), _pairs(s, q, counted, low), _pairs(s, q, counted, high)]
    stacked = Vertices(*(torch.stack(column) for column in zip(*kinds, strict=True)))
    kind = stacked.missing.argmin(dim=0, keepdim=True)
    missing, first, second, weight = (column.gather(0, kind)[0] for column in stacked)
    rows = torch.arange(len(s), device=s.device)
    vertex = torch.zeros_like(q)
    vertex[rows, second] = 1 - weight
    vertex[rows, first] += weight
    vertex = torch.zeros_like(q).scatter(1, order, vertex)
    return vertex.where(missing.isfinite()[:, None], attention)


def _slab(
    s: Tensor, attention: Tensor, mask: Tensor, bias: Tensor, epsilon: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the least and the largest s·α′ [B]; infinite where p ± ε leaves (0, 1)."""
    logit = (s.masked_fill(~mask, 0.0) * attention).sum(dim=1) + bias
    # Both p and 1 − p by their own sigmoid, so that neither is lost where the other saturates.
    p, rest = torch.sigmoid(logit), torch.sigmoid(-logit)
    low = ((p - epsilon) / (rest + epsilon)).clamp(min=0.0).log()
    high = -((rest - epsilon) / (p + epsilon)).clamp(min=0.0).log()
    # ε = 0 leaves the logit where it is; a quotient of rounded numbers would not.
    low, high = low.where(epsilon > 0, logit), high.where(epsilon > 0, logit)
    return torch.minimum(low, logit) - bias, torch.maximum(high, logit) - bias


def _single(s: Tensor, q: Tensor, counted: Tensor, low: Tensor, high: Tensor) -> Vertices:
    """The token inside the slab with the least attention."""
    inside = (s >= low[:, None] - _FEASIBLE) & (s <= high[:, None] + _FEASIBLE) & counted
    least, token = q.masked_fill(~inside, float("inf")).min(dim=1)
    missing = _missing(torch.ones_like(least), least).where(inside.any(dim=1), float("inf"))
    return Vertices(missing, token, token, torch.ones_like(least))


def _pairs(s: Tensor, q: Tensor, counted: Tensor, edge: Tensor) -> Vertices:
    """The best two tokens on different sides of an edge."""
    above = (s > edge[:, None]) & counted
    below = (s < edge[:, None]) & counted
    i, j = _candidates(q, above), _candidates(q, below)
    s_i, s_j = (s.gather(1, x.clamp(min=0)) for x in (i, j))
    q_i, q_j = (q.gather(1, x.clamp(min=0)) for x in (i, j))
    gap = s_i[:, :, None] - s_j[:, None, :]
    weight = ((edge[:, None] - s_j)[:, None, :] / gap).clamp(0.0, 1.0)
    missing = _missing(weight, q_i[:, :, None]) + _missing(1 - weight, q_j[:, None, :])
    possible = (i >= 0)[:, :, None] & (j >= 0)[:, None, :] & edge.isfinite()[:, None, None]
    missing = missing.where(possible, float("inf")).flatten(1)
    least, place = missing.min(dim=1)
    row, column = place // j.shape[1], place % j.shape[1]
    first, second = (x.gather(1, at[:, None])[:, 0].clamp(min=0) for x, at in ((i, row), (j, column)))
    return Vertices(least, first, second, weight.flatten(1).gather(1, place[:, None])[:, 0])


def _candidates(q: Tensor, side: Tensor) -> Tensor:
    """Return the tokens with less attention than all before, or all after them: [B,C], −1 past them."""
    alone = q.masked_fill(~side, float("inf"))
    record = side & ((alone < _least_before(alone)) | (alone < _least_before(alone.flip(1)).flip(1)))
    count = max(1, int(record.sum(dim=1).max()))
    place = torch.arange(q.shape[1], device=q.device)
    chosen = place.expand_as(q).where(record, q.shape[1]).sort(dim=1).values[:, :count]
    return chosen.masked_fill(chosen == q.shape[1], -1)


def _least_before(values: Tensor) -> Tensor:
    """Return the least of the values before each: [B,T], infinite at the first."""
    least = values.cummin(dim=1).values
    return torch.cat([torch.full_like(least[:, :1], float("inf")), least[:, :-1]], dim=1)


def _missing(x: Tensor, q: Tensor) -> Tensor:
    """ψ(x, q): what a token of weight x and attention q takes from ln 2."""
    return (torch.xlogy(x + q, x + q) - torch.xlogy(x, x) - torch.xlogy(q, q)) / 2
