"""The attention that differs most while the output stays, by gradient ascent, as it was published."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attex.foundations.divergences import jensen_shannon, total_variation
from attex.foundations.draws import normals
from attex.foundations.memory import budget_on, spans
from attex.foundations.progress import steps as parts
from attex.models.decoder import Readout, only_candidates

_BYTES_PER_POSITION = 80
_MARGIN = 1e-5
"""Candidates are looked at in float32; what is kept must be feasible in float64."""
_RISE = 1e-4
"""A rise of the best JSD that counts as one, in nats."""
_LOOK_EVERY = 25
"""Steps between two looks for texts that can stop."""
_MOMENTS = (0.9, 0.999)
_SMALL = 1e-8


@dataclass(frozen=True)
class _Aim:
    """What a search maximises, and which candidates count."""

    epsilon: float
    penalty: float
    cross: float
    l1: bool
    accept: float


def adversarial_search(
    readout: Readout,
    attention: Tensor,
    mask: Tensor,
    *,
    epsilon: float = 0.01,
    candidates: int = 5,
    steps: int = 500,
    lr: float = 0.01,
    penalty: float = 500.0,
    seed: int = 0,
    ids: Tensor | None = None,
    noise: float = 3.0,
    cross: Literal["paper", "released"] = "paper",
    distance: Literal["tvd", "l1"] = "tvd",
    accept: float | None = None,
    keep: Literal["best", "last"] = "best",
    patience: int | None = 250,
) -> tuple[Tensor, Tensor]:
    """Search for attention far from α that leaves the output within ε (Jain & Wallace 2019, Alg. 3).

    K candidates α_k = softmax(u_k), at first u_k = noise · N(0, 1), move by Adam (AMSGrad) to
    maximise Σ_k JSD(α_k, α) + c Σ_{i<j} JSD(α_i, α_j) − penalty · Σ_k max(0, Δ(α_k) − ε), with Δ the
    distance of the outputs and c = 1/(K(K−1)). The answer is the largest JSD of a candidate at any
    step with Δ ≤ ε, and that candidate; 0 and α itself where there is none. readout, attention
    [B,T], mask [B,T] → (jsd [B] in nats, attention [B,T]), float64; NaN and 0 for a text without a
    counted position. A lower bound: `adversarial_exact` has the maximum itself.

    A text stops when its best JSD has not risen in `patience` steps. As the released code has it:
    cross = "released" (c = 2/K²), distance = "l1" (Σ |Δy| of a softmax: twice the TVD), accept =
    0.05 (candidates up to this distance, whatever ε was), keep = "last", patience = None.

    Args:
        readout: what the output depends on.
        attention: the model's own α, [B,T].
        mask: the positions that can have weight, [B,T].
        epsilon: how far the output may move.
        candidates: K.
        steps: of Adam.
        lr: the learning rate of Adam.
        penalty: what a distance beyond ε costs.
        seed: where the draws of the first u_k start.
        ids: a number for each text, [B], which its draws depend on.
        noise: the standard deviation of the first u_k.
        cross: c, as in the paper or as in the released code.
        distance: Δ; they differ for several logits only.
        accept: up to which Δ a candidate counts; ε unless given.
        keep: the best candidate of all steps, or of the last step.
        patience: None for all steps.

    Example:
        The two words say the same, so that all weight can move from one to the other: ln 2 = 0.6931.

        >>> import torch
        >>> from attex.counterfactual import adversarial_search
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, 1])
        >>> readout = model.readout(model.embed(batch), batch)
        >>> own = torch.tensor([[1.0, 0.0]])
        >>> jsd, other = adversarial_search(readout, own, batch.mask)
        >>> jsd.round(decimals=2), other.round(decimals=2)
        (tensor([0.6900], dtype=torch.float64), tensor([[0., 1.]], dtype=torch.float64))
    """
    factor = 1 / (candidates * max(1, candidates - 1)) if cross == "paper" else 2 / candidates**2
    aim = _Aim(epsilon, penalty, factor, distance == "l1", epsilon if accept is None else accept)
    attention = attention.double() * mask
    ids = (torch.arange(len(attention)) if ids is None else ids).to(mask.device)
    adversarial = attention.clone()
    size = candidates * mask.shape[1] * _BYTES_PER_POSITION
    with torch.no_grad():
        for span in parts(spans(len(attention), size, budget_on(mask.device))):
            start = noise * normals(ids[span], mask[span], candidates, seed)
            part = readout.of(span, readout.values[span])
            climb = _Climb(part, attention[span], mask[span], start, aim)
            adversarial[span] = climb.run(steps, lr, keep == "best", patience)
        jsd = jensen_shannon(adversarial, attention)
    return jsd.masked_fill(~mask.any(dim=1), float("nan")), adversarial


class _Climb:
    """Candidates [B,K,T] on their way, in float32; texts that are done are taken out."""

    def __init__(
        self, readout: Readout, attention: Tensor, mask: Tensor, start: Tensor, aim: _Aim
    ) -> None:
        self._aim = aim
        self._head = readout.head
        self._allowed = readout.allowed
        whole = readout.decode(attention)
        own = torch.xlogy(attention, attention).sum(dim=1).float()
        # What belongs to a text, so that it can be taken out in one go.
        self._of_text = {
            "number": torch.arange(len(attention), device=mask.device),
            "mask": mask[:, None],
            "values": readout.values.float(),
            "attention": attention.float()[:, None],
            "own": own[:, None],
            "whole": whole[:, None],
            "energies": start.float(),
            "mean": torch.zeros_like(start, dtype=torch.float32),
            "square": torch.zeros_like(start, dtype=torch.float32),
            "largest": torch.zeros_like(start, dtype=torch.float32),
        }
        self._best = torch.zeros(len(attention), device=mask.device)
        self._rose = torch.zeros(len(attention), device=mask.device, dtype=torch.long)
        self._best_weights = attention.clone()

    def run(self, steps: int, lr: float, keep_best: bool, patience: int | None) -> Tensor:
        """Climb, and return the best attention of every text: [B,T]."""
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
        """Return the candidates and their logarithms; 0 and 0 off the mask."""
        mask = self._of_text["mask"]
        logs = self._of_text["energies"].masked_fill(~mask, -float("inf")).log_softmax(dim=-1)
        return logs.exp().where(mask, 0.0), logs.where(mask, 0.0)

    def _divergence(self, weights: Tensor, logs: Tensor) -> tuple[Tensor, Tensor]:
        """JSD(α_k, α) [B,K], and the slope of it and of what the candidates are apart: [B,K,T]."""
        mask, q = self._of_text["mask"], self._of_text["attention"]
        log_sum = (weights + q).where(mask, 1.0).log()
        jsd = (weights * (logs - log_sum) - q * log_sum).sum(dim=-1) + self._of_text["own"]
        slope = logs - log_sum
        for i in range(weights.shape[1] if self._aim.cross else 0):
            # The pair (i, i) adds ln ½ at every position, which is no direction at all.
            together = (weights + weights[:, i : i + 1]).where(mask, 1.0).log()
            slope = slope.add(logs - together, alpha=self._aim.cross)
        return jsd / 2 + math.log(2), slope / 2

    def _gap(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The distance of the outputs [B,K], and the slope of what it exceeds ε by: [B,K,T]."""
        values = self._of_text["values"]
        with torch.enable_grad():
            context = (weights @ values).requires_grad_()
            logits = only_candidates(self._head(context), self._candidates())
            gap = total_variation(logits, self._of_text["whole"])
            gap = 2 * gap if self._aim.l1 and logits.shape[-1] > 1 else gap
            excess = (gap - self._aim.epsilon).clamp(min=0.0).sum()
            (slope,) = torch.autograd.grad(excess, context)
        return gap.detach(), slope @ values.mT

    def _candidates(self) -> Tensor | None:
        """Which outputs can be the answer of the texts that are still on their way: [B,O]."""
        return None if self._allowed is None else self._allowed[self._of_text["number"]]

    def _move(self, weights: Tensor, slope: Tensor, step: int, lr: float) -> None:
        """Take a step of Adam along the slope with respect to the energies."""
        slope = weights * (slope - (weights * slope).sum(dim=-1, keepdim=True))
        state, (first, second) = self._of_text, _MOMENTS
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
        self._best_weights[rows] = weights[better, candidate[better]].double()

    def _drop(self, since: int) -> None:
        """Take out the texts whose best has not risen since a step; one without any goes on."""
        number = self._of_text["number"]
        going = (self._rose[number] >= since) | (self._best[number] == 0)
        if not bool(going.all()):
            self._of_text = {name: values[going] for name, values in self._of_text.items()}
