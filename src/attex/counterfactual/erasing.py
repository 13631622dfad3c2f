"""Attention with tokens erased: their weights are 0, the others' renormalised, hidden states fixed.

Serrano & Smith (2019) erase one token, or one after the other until the decision changes.
"""

import torch
from torch import Tensor

from attex.foundations.divergences import output_divergence
from attex.foundations.draws import numbers
from attex.foundations.memory import DEFAULT_BUDGET, spans
from attex.models.decoder import Readout

_SEED = 2019
_OTHER, _ORDER = 0, 1
"""Which draw is which: a token to erase beside the top one, an order to erase in."""

_LARGEST = torch.iinfo(torch.int64).max
_WORKING_COPIES = 8
"""What all prefixes of a text take (gathered, weighed, summed, decoded), in copies of its values."""


class Eraser:
    """Texts to erase tokens from: readout of B texts, attention [B,T], mask [B,T] of what can go.

    Without S the weights are α_t · W/Σ_{u∉S} α_u for t ∉ S, and undefined where the rest has no
    weight. W = Σ α_u is 1 for attention on the simplex; where attention loses some to padding, as
    was published, it stays lost, and with nothing erased the output is always the model's own.
    """

    def __init__(self, readout: Readout, attention: Tensor, mask: Tensor) -> None:
        self._readout = readout
        self._attention = attention.double() * mask
        self._mask = mask
        values = readout.values.double() * self._attention.sum(dim=1)[:, None, None]
        # Shares sum to 1, so a bias can join the tokens' logits: then the decision is the sign of a
        # bare sum, exact where tokens cancel.
        self._values = readout.logits(values) if readout.linear else values

    def without(self, tokens: Tensor | None = None) -> Tensor:
        """Decode with one token of each text erased, or none: positions [B] → logits [B,O]."""
        left = self._attention
        if tokens is not None:
            left = left.scatter(1, tokens[:, None], 0.0)
        shares = left / left.sum(dim=1, keepdim=True)
        return self._decode((shares.unsqueeze(1) @ self._values).squeeze(1))

    def top_against_random(self, ids: Tensor) -> dict[str, Tensor]:
        """Erase the highest weight, and another token drawn at random: ids [B] → [B] each, by name.

        js_top and js_random are JS(ŷ, ŷ without the token) in nats; flip_top and flip_random are 1
        where the decision changes, else 0; weight_top and weight_random are the weights. All are NaN
        where a text has fewer than two tokens, or its top token all of the weight.
        """
        whole = self.without()
        top = self._attention.masked_fill(~self._mask, -torch.inf).argmax(dim=1)
        measured = {}
        for name, tokens in (("top", top), ("random", other_token(top, self._mask, ids))):
            logits = self.without(tokens)
            measured[f"js_{name}"] = output_divergence(whole, logits)
            measured[f"flip_{name}"] = (decision(logits) != decision(whole)).double()
            measured[f"weight_{name}"] = self._attention.gather(1, tokens[:, None]).squeeze(1)
        known = ~measured["js_top"].isnan()
        return {name: values.where(known, torch.nan) for name, values in measured.items()}

    def flipping_prefix(self, scores: Tensor, budget: int = DEFAULT_BUDGET) -> Tensor:
        """Erase from the highest score down until the decision is another: scores [B,T] → [B].

        The smallest k ≥ 1 for which the decision without the k first tokens (ties: in the order of
        the text) differs from the whole text's. Sums over what is left, Σ_{j>k} α_j values_j and
        Σ_{j>k} α_j, give the logits of all prefixes at once. NaN if no prefix that leaves weight
        changes the decision, or if a score is NaN.
        """
        _, length, width = self._values.shape
        pieces = spans(len(scores), 8 * _WORKING_COPIES * length * width, budget)
        return torch.cat([self._first_flip(rows, scores[rows]) for rows in pieces])

    def _first_flip(self, rows: slice, scores: Tensor) -> Tensor:
        mask, values = self._mask[rows], self._values[rows]
        ranked = scores.masked_fill(~mask, -torch.inf)
        order = ranked.argsort(dim=1, descending=True, stable=True)
        weights = self._attention[rows].gather(1, order).unsqueeze(-1)
        # What is left is summed up by itself: total − prefix would be rounding where little is left.
        left = _onward(weights)
        attended = _onward(weights * values.gather(1, order.unsqueeze(-1).expand_as(values))) / left
        decided = decision(self._decode(attended, rows))
        flips = (left.squeeze(-1) > 0) & (decided != decided[:, :1])
        known = flips.any(dim=1) & ~ranked.isnan().any(dim=1)
        return flips.byte().argmax(dim=1).double().where(known, torch.nan)

    def weight_gradient(self) -> Tensor:
        """The slope of the decision in each weight, ∂ŷ_c/∂α_t with c the decided class: [B,T].

        Given but for a positive factor of each text, as the slope of ln ŷ_c/(1 − ŷ_c): a saturated
        output would have none. With a linear head and one logit it is ±s_t.
        """
        with torch.enable_grad():
            weights = self._attention.detach().requires_grad_()
            odds = _log_odds(self._readout.decode(weights))
            (slope,) = torch.autograd.grad(odds.sum(), weights)
        return slope.double()

    def support(self) -> Tensor | None:
        """How far each token holds up the decision, α_t(s_t + b) signed towards it: [B,T].

        Only for a linear head and one logit (two are one: their difference), else None. Erasing in
        this order finds the smallest set that flips the decision. Let u be the supports, R(S) their
        sum over t ∉ S. The decision without S is the sign of Σ_{t∉S} α_t(s_t + b), so S flips it if
        it leaves weight and R(S) < 0 (≤ 0 where the decision is the second class: a logit of 0 is the
        first). Say that a set S of k tokens does. Some token outside S has weight and u ≤ 0, or R(S)
        would be above 0. Of all sets of k tokens, the first k of the order leave the smallest R; of
        all sets, the P tokens with u > 0 do. So the first min(k, P) of the order flip the decision
        too, and they leave weight, having taken no token with u ≤ 0.
        """
        outputs = self._values.shape[-1]
        if not self._readout.linear or outputs > 2:
            return None
        logits = self._values[..., -1] - (self._values[..., 0] if outputs == 2 else 0.0)
        second = decision(self.without()).bool()[:, None]
        return self._attention * torch.where(second, logits, -logits)

    def _decode(self, attended: Tensor, rows: slice = slice(None)) -> Tensor:
        """Turn attended values [b,…,r] of some texts into logits [b,…,O]."""
        if self._readout.linear:
            return attended
        readout = self._readout.of(rows, self._readout.values[rows])
        return readout.logits(attended.to(readout.values.dtype)).double()


def decision(logits: Tensor) -> Tensor:
    """The class of the highest output, the first of equals: logits [...,O] → [...]."""
    if logits.shape[-1] == 1:
        return (logits.squeeze(-1) > 0).long()
    return logits.argmax(dim=-1)


def other_token(tokens: Tensor, mask: Tensor, ids: Tensor) -> Tensor:
    """Draw a counted position other than the given one: tokens [B], mask [B,T], ids [B] → [B].

    Every other is as likely. (The published code could draw the given one, and never the first.)
    """
    drawn = numbers(ids, mask, 1, _SEED, start=_OTHER)[:, 0]
    return drawn.masked_fill(~mask, _LARGEST).scatter(1, tokens[:, None], _LARGEST).argmin(dim=1)


def random_scores(mask: Tensor, ids: Tensor) -> Tensor:
    """Draw scores that put the tokens of a text in random order: mask [B,T], ids [B] → [B,T]."""
    return numbers(ids, mask, 1, _SEED, start=_ORDER)[:, 0].double()


def _log_odds(logits: Tensor) -> Tensor:
    """The log odds of the decided class, ln ŷ_c/(1 − ŷ_c): logits [B,O] → [B]."""
    decided = decision(logits)
    if logits.shape[-1] == 1:
        return logits.squeeze(-1) * (2 * decided - 1)
    own = torch.nn.functional.one_hot(decided, logits.shape[-1]).bool()
    return logits[own] - logits.masked_fill(own, -torch.inf).logsumexp(dim=-1)


def _onward(x: Tensor) -> Tensor:
    """Sum from each position to the end: [B,T,r] → [B,T,r]."""
    return x.flip(1).cumsum(dim=1).flip(1)
