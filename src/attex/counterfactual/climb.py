"""Candidates for other weights on their way to the ones that differ most while the output stays."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attex.foundations.divergences import total_variation
from attex.foundations.progress import steps as parts

_MARGIN = 1e-5
"""Candidates are looked at in float32; what is kept must be feasible in float64."""
_RISE = 1e-4
"""A rise of the best JSD that counts as one, in nats."""
_LOOK_EVERY = 25
"""Steps between two looks for texts that can stop."""
_MOMENTS = (0.9, 0.999)
_SMALL = 1e-8
_TINY = torch.finfo(torch.float32).tiny
_NEVER = -1e30
"""The energy of what is not on the mask: no weight to the last bit, and yet a number."""


@dataclass(frozen=True)
class Aim:
    """What a search maximises, and which candidates count."""

    epsilon: float
    penalty: float
    cross: float
    l1: bool
    accept: float


@dataclass(frozen=True)
class Rows:
    """A row of weights in each head of B texts, and what the output makes of others.

    weights α [B,H,T] in float64; those on mask [B,T] move, the others stay. share [B,H] is the weight
    that candidates have on the mask. values [B,H,T,d] are mixed by them, and logits(mixed [N,H,d],
    texts [N]) is what comes of N mixes, each of the text with that number: [N,O]. `dear` says that this
    is most of the work.
    """

    weights: Tensor
    mask: Tensor
    share: Tensor
    values: Tensor
    logits: Callable[[Tensor, Tensor], Tensor]
    dear: bool = False


class Climb:
    """Candidates [B,H,K,T] on their way, in float32; texts that are done are taken out.

    α_k = share · softmax(u_k) on the mask of each head, and start [B,H,K,T] is the first u_k.
    """

    def __init__(self, rows: Rows, start: Tensor, aim: Aim) -> None:
        self._aim = aim
        self._logits = rows.logits
        # A GPU is done sooner with all candidates at once than with several parts of them.
        self._spares = rows.dear and start.device.type == "cpu"
        number = torch.arange(len(start), device=start.device)
        mask, weights = rows.mask[:, None, None], rows.weights
        on_mask = weights * rows.mask[:, None]
        # Each product of a step would copy what does not lie as it is read.
        values = rows.values.float().contiguous()
        own = weights.to(rows.values.dtype)[:, :, None] @ rows.values
        beside = (weights - on_mask).float()[:, :, None]
        zeros = torch.zeros_like(start, dtype=torch.float32)
        # Of the first candidates nothing is known: they may all be too far.
        unknown = torch.full_like(start[:, 0, :, 0], torch.inf, dtype=torch.float64)
        # What belongs to a text, so that it can be taken out in one go. What is off the mask is 1 where
        # logarithms are taken of sums, which then have none.
        self._of_text = {
            "number": number,
            # A head may have no weight to move, but has a logarithm.
            "share": rows.share.float().clamp(min=_TINY)[..., None, None],
            "values": values,
            "fixed": beside @ values,
            "weights": weights.float()[:, :, None].where(mask, 1.0),
            "off": (~mask).float(),
            "own": torch.xlogy(on_mask, on_mask).sum(dim=-1).float()[..., None],
            "whole": rows.logits(own[:, :, 0], number),
            "energies": start.float().masked_fill(~mask, _NEVER),
            "gap": unknown,
            "ahead": unknown,
            "mean": zeros,
            "square": zeros.clone(),
            "largest": zeros.clone(),
        }
        self._mask = rows.mask
        self._best = torch.zeros(len(start), device=start.device)
        self._rose = torch.zeros(len(start), device=start.device, dtype=torch.long)
        self._best_weights = weights.clone()

    def run(self, steps: int, lr: float, keep_best: bool, patience: int | None) -> Tensor:
        """Climb, and return the best weights of every text: [B,H,T]."""
        for step in parts(range(steps + 1)):
            weights, logs = self._weights()
            jsd, slope = self._divergence(weights, logs)
            gap, gap_slope = self._gap(weights, back=step < steps)
            if keep_best or step == steps:
                self._remember(weights, jsd, gap, step)
            if gap_slope is None:
                break
            self._move(weights, slope.sub_(gap_slope, alpha=self._aim.penalty), step, lr)
            if keep_best and patience is not None and step % _LOOK_EVERY == _LOOK_EVERY - 1:
                self._drop(step - patience)
                if not len(self._of_text["number"]):
                    break
        return self._best_weights

    def _weights(self) -> tuple[Tensor, Tensor]:
        """Return the candidates on the mask, 0 off it, and their logarithms."""
        logs = self._of_text["energies"].log_softmax(dim=-1).add_(self._of_text["share"].log())
        return logs.exp(), logs

    def _divergence(self, weights: Tensor, logs: Tensor) -> tuple[Tensor, Tensor]:
        """JSD(α_k, α), the mean of the heads [B,K]; the slope of it and of what candidates are apart."""
        q, share = self._of_text["weights"], self._of_text["share"]
        log_sum = (weights + q).log_()
        slope = logs - log_sum
        jsd = (weights * slope).sub_(log_sum.mul_(q)).sum(dim=-1) + self._of_text["own"]
        self._part(weights, logs, slope)
        jsd = jsd / 2 + math.log(2) * share[..., 0]
        return jsd.mean(dim=1), slope.div_(2 * weights.shape[1])

    def _part(self, weights: Tensor, logs: Tensor, slope: Tensor) -> None:
        """Add to the slope what leads each candidate away from the others."""
        cross, candidates = self._aim.cross, weights.shape[2]
        slope.add_(logs, alpha=cross * (candidates - 1))
        counted = weights + self._of_text["off"]
        for step in range(1, candidates):
            # Each with the one so many after it: all pairs, and each but once.
            first, second = slice(candidates - step), slice(step, None)
            together = (counted[:, :, first] + weights[:, :, second]).log_()
            slope[:, :, first].sub_(together, alpha=cross)
            slope[:, :, second].sub_(together, alpha=cross)

    def _gap(self, weights: Tensor, back: bool) -> tuple[Tensor, Tensor | None]:
        """The distance of the outputs [B,K], and the slope of what it exceeds ε by: [B,H,K,T].

        Within ε there is no slope, and a pass back is half the cost: where it is spared, only those
        candidates go back that are beyond ε, or were a step ago, or were on the way there. Without
        `back` there is no slope at all.
        """
        values, ahead = self._of_text["values"], self._of_text["ahead"]
        mixed = (weights @ values).add_(self._of_text["fixed"])
        gap, slope = torch.zeros_like(ahead), torch.zeros_like(mixed)
        expected = ahead > self._aim.epsilon
        if not back:
            self._look(mixed, torch.ones_like(expected), gap)
            return gap, None
        self._look(mixed, expected, gap, slope)
        if self._spares:
            self._look(mixed, ~expected, gap)
            self._look(mixed, (gap > self._aim.epsilon) & ~expected, gap, slope)
            # By as much as it rose since the step before, if it did.
            self._of_text["ahead"] = gap + (gap - self._of_text["gap"]).clamp(min=0.0)
            self._of_text["gap"] = gap
        return gap, slope @ values.mT

    def _look(self, mixed: Tensor, chosen: Tensor, gap: Tensor, slope: Tensor | None = None) -> None:
        """Fill in the gap of chosen ones of the mixes [B,H,K,d], and its slope where one is wanted."""
        texts, candidates = chosen.nonzero(as_tuple=True)
        if not len(texts):
            return
        back = slope is not None
        with torch.set_grad_enabled(back):
            rows = mixed.transpose(1, 2)[texts, candidates].requires_grad_(back)
            logits = self._logits(rows, self._of_text["number"][texts])
            far = total_variation(logits, self._of_text["whole"][texts])
            far = 2 * far if self._aim.l1 and logits.shape[-1] > 1 else far
            gap[texts, candidates] = far.detach()
            if slope is not None:
                excess = (far - self._aim.epsilon).clamp(min=0.0).sum()
                (found,) = torch.autograd.grad(excess, rows)
                slope.transpose(1, 2)[texts, candidates] = found

    def _move(self, weights: Tensor, slope: Tensor, step: int, lr: float) -> None:
        """Take a step of Adam along the slope with respect to the energies."""
        state, (first, second) = self._of_text, _MOMENTS
        middle = (weights * slope).sum(dim=-1, keepdim=True) / state["share"]
        slope = (slope - middle).mul_(weights)
        state["mean"].mul_(first).add_(slope, alpha=1 - first)
        state["square"].mul_(second).addcmul_(slope, slope, value=1 - second)
        torch.maximum(state["largest"], state["square"], out=state["largest"])
        size = (state["largest"] / (1 - second ** (step + 1))).sqrt_().add_(_SMALL)
        state["energies"].addcdiv_(state["mean"], size, value=lr / (1 - first ** (step + 1)))

    def _remember(self, weights: Tensor, jsd: Tensor, gap: Tensor, step: int) -> None:
        feasible = gap <= self._aim.accept - _MARGIN
        highest, candidate = jsd.where(feasible, -1.0).max(dim=1)
        number = self._of_text["number"]
        better = highest > self._best[number]
        self._rose[number] = self._rose[number].where(highest <= self._best[number] + _RISE, step)
        rows = number[better]
        self._best[rows] = highest[better]
        moved = weights[better, :, candidate[better]].double()
        self._best_weights[rows] = moved.where(self._mask[rows, None], self._best_weights[rows])

    def _drop(self, since: int) -> None:
        """Take out the texts whose best has not risen since a step; one without any goes on."""
        number = self._of_text["number"]
        going = (self._rose[number] >= since) | (self._best[number] == 0)
        if not bool(going.all()):
            self._of_text = {name: values[going] for name, values in self._of_text.items()}
