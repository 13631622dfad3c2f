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
    that candidates have on the mask. values [B,H,T,d] are mixed by them, and logits(mixed [b,H,K,d],
    texts [b]) is what comes of K mixes of some texts: [b,K,O].
    """

    weights: Tensor
    mask: Tensor
    share: Tensor
    values: Tensor
    logits: Callable[[Tensor, Tensor], Tensor]


class Climb:
    """Candidates [B,H,K,T] on their way, in float32; texts that are done are taken out.

    α_k = share · softmax(u_k) on the mask of each head, and start [B,H,K,T] is the first u_k.
    """

    def __init__(self, rows: Rows, start: Tensor, aim: Aim) -> None:
        self._aim = aim
        self._logits = rows.logits
        number = torch.arange(len(start), device=start.device)
        mask, weights = rows.mask[:, None, None], rows.weights
        mixed = weights.to(rows.values.dtype)[:, :, None] @ rows.values
        on_mask = weights * rows.mask[:, None]
        # What belongs to a text, so that it can be taken out in one go.
        self._of_text = {
            "number": number,
            "mask": mask,
            # A head may have no weight to move, but has a logarithm.
            "share": rows.share.float().clamp(min=_TINY)[..., None, None],
            "values": rows.values.float(),
            "weights": weights.float()[:, :, None],
            "own": torch.xlogy(on_mask, on_mask).sum(dim=-1).float()[..., None],
            "whole": rows.logits(mixed, number),
            "energies": start.float(),
            "mean": torch.zeros_like(start, dtype=torch.float32),
            "square": torch.zeros_like(start, dtype=torch.float32),
            "largest": torch.zeros_like(start, dtype=torch.float32),
        }
        self._best = torch.zeros(len(start), device=start.device)
        self._rose = torch.zeros(len(start), device=start.device, dtype=torch.long)
        self._best_weights = weights.clone()

    def run(self, steps: int, lr: float, keep_best: bool, patience: int | None) -> Tensor:
        """Climb, and return the best weights of every text: [B,H,T]."""
        for step in parts(range(steps + 1)):
            weights, logs = self._weights()
            jsd, slope = self._divergence(weights, logs)
            gap, gap_slope = self._gap(weights)
            if keep_best or step == steps:
                self._remember(weights, jsd, gap, step)
            if step == steps:
                break
            self._move(weights, slope - self._aim.penalty * gap_slope, step, lr)
            if keep_best and patience is not None and step % _LOOK_EVERY == _LOOK_EVERY - 1:
                self._drop(step - patience)
                if not len(self._of_text["number"]):
                    break
        return self._best_weights

    def _weights(self) -> tuple[Tensor, Tensor]:
        """Return the candidates, and their logarithms: 0 off the mask, where weights stay."""
        mask, share = self._of_text["mask"], self._of_text["share"]
        logs = self._of_text["energies"].masked_fill(~mask, -float("inf")).log_softmax(dim=-1)
        logs = logs + share.log()
        return logs.exp().where(mask, self._of_text["weights"]), logs.where(mask, 0.0)

    def _divergence(self, weights: Tensor, logs: Tensor) -> tuple[Tensor, Tensor]:
        """JSD(α_k, α), the mean of the heads [B,K]; the slope of it and of what candidates are apart."""
        mask, q, share = (self._of_text[name] for name in ("mask", "weights", "share"))
        log_sum = (weights + q).where(mask, 1.0).log()
        jsd = (weights * (logs - log_sum) - q * log_sum).sum(dim=-1) + self._of_text["own"]
        slope = logs - log_sum
        for i in range(weights.shape[2] if self._aim.cross else 0):
            # The pair (i, i) adds ln ½ at every position, which is no direction at all.
            together = (weights + weights[:, :, i : i + 1]).where(mask, 1.0).log()
            slope = slope.add(logs - together, alpha=self._aim.cross)
        jsd = jsd / 2 + math.log(2) * share[..., 0]
        return jsd.mean(dim=1), slope / (2 * weights.shape[1])

    def _gap(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The distance of the outputs [B,K], and the slope of what it exceeds ε by: [B,H,K,T]."""
        values = self._of_text["values"]
        with torch.enable_grad():
            mixed = (weights @ values).requires_grad_()
            logits = self._logits(mixed, self._of_text["number"])
            gap = total_variation(logits, self._of_text["whole"])
            gap = 2 * gap if self._aim.l1 and logits.shape[-1] > 1 else gap
            excess = (gap - self._aim.epsilon).clamp(min=0.0).sum()
            (slope,) = torch.autograd.grad(excess, mixed)
        return gap.detach(), slope @ values.mT

    def _move(self, weights: Tensor, slope: Tensor, step: int, lr: float) -> None:
        """Take a step of Adam along the slope with respect to the energies."""
        state, (first, second) = self._of_text, _MOMENTS
        weights = weights.where(state["mask"], 0.0)
        slope = weights * (slope - (weights * slope).sum(dim=-1, keepdim=True) / state["share"])
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
        self._best_weights[rows] = weights[better, :, candidate[better]].double()

    def _drop(self, since: int) -> None:
        """Take out the texts whose best has not risen since a step; one without any goes on."""
        number = self._of_text["number"]
        going = (self._rose[number] >= since) | (self._best[number] == 0)
        if not bool(going.all()):
            self._of_text = {name: values[going] for name, values in self._of_text.items()}
