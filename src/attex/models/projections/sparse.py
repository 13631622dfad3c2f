"""Projections that can give a position a weight of exactly zero."""

from typing import Annotated

import torch
from entmax import entmax15 as exact_entmax15
from entmax import sparsemax as exact_sparsemax
from pydantic import Field
from torch import Tensor, nn

from attex.models.entmax_root import entmax_of_power, entmax_root
from attex.models.projection import PROJECTIONS
from attex.models.projections.dense import softmax

Alpha = Annotated[float, Field(ge=1.0, le=16.0, allow_inf_nan=False)]
Lambda = Annotated[float, Field(lt=1.0, gt=-1e6, allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]

_LOWEST_LEARNED, _HIGHEST_LEARNED = 1.01, 4.0
_NEARLY_SOFTMAX = 1.001
"""Below this α powers run out of float32, and softmax is their limit."""


@PROJECTIONS.register("sparsemax", cite="Martins & Astudillo 2016", sparse=True)
def sparsemax(energies: Tensor, mask: Tensor) -> Tensor:
    """The Euclidean projection onto the simplex: α = argmin_p ‖p − z‖².

    energies [...,T], mask [...,T] → [...,T].

    Example:
        What is left of each energy above a threshold, here ¼, such that the sum is 1:

        >>> import torch
        >>> from attex.models.projections import sparsemax
        >>> energies = torch.tensor([1.0, 0.5, -1.0, 9.0])
        >>> sparsemax(energies, mask=torch.tensor([True, True, True, False]))
        tensor([0.7500, 0.2500, 0.0000, 0.0000])
    """
    exact = _full_precision(energies)
    weights = _of_power(_sunk(exact, mask, reach=1.0), 1)
    return (weights * mask).to(energies.dtype)


@PROJECTIONS.register("sparsegen", cite="Laha et al. 2018", sparse=True)
def sparsegen(energies: Tensor, mask: Tensor, *, lam: Lambda = 0.0) -> Tensor:
    """Sparsemax with a dial: α = argmin_p ‖p − z‖² − λ‖p‖² = sparsemax(z / (1 − λ)), λ < 1.

    energies [...,T], mask [...,T] → [...,T]. λ → 1 puts all weight on one position, λ → −∞ is uniform.
    """
    return sparsemax(energies / (1.0 - lam), mask)


@PROJECTIONS.register("entmax15", cite="Peters et al. 2019", sparse=True)
def entmax15(energies: Tensor, mask: Tensor) -> Tensor:
    """1.5-entmax, exactly: α = argmax_p p·z + H_1.5(p).

    energies [...,T], mask [...,T] → [...,T]. Half way between softmax and sparsemax.
    """
    exact = _full_precision(energies)
    weights = _of_power(_sunk(exact, mask, reach=2.0), 2)
    return (weights * mask).to(energies.dtype)


@PROJECTIONS.register("entmax", cite="Peters et al. 2019", sparse=True, version=2)
def entmax(energies: Tensor, mask: Tensor, *, alpha: Alpha = 1.5) -> Tensor:
    """α-entmax of a fixed α ≥ 1: argmax_p p·z + H_α(p), with Tsallis' entropy H_α.

    energies [...,T], mask [...,T] → [...,T]. α = 1 is softmax, α = 2 is sparsemax.
    """
    if alpha < _NEARLY_SOFTMAX:
        return softmax(energies, mask)
    if alpha == 2.0:
        return sparsemax(energies, mask)
    if alpha == 1.5:
        return entmax15(energies, mask)
    exact = _full_precision(energies)
    return _projected(exact, mask, exact.new_full((), alpha)).to(energies.dtype)


@PROJECTIONS.register("learned_entmax", cite="Correia et al. 2019", sparse=True, version=2)
class LearnedEntmax(nn.Module):
    """α-entmax with a learned α, one for the model: argmax_p p·z + H_α(p).

    energies [...,T], mask [...,T] → [...,T]. α starts at `start`, learns at `learning_rate`, and is
    held between 1.01 and 4; the gradient passes the bounds, so that α can come back.
    """

    def __init__(self, *, start: Alpha = 1.5, learning_rate: Rate = 5e-3) -> None:
        super().__init__()
        self.learning_rate = learning_rate
        self.raw = nn.Parameter(torch.tensor(float(start)))

    @property
    def alpha(self) -> Tensor:
        """The α in use."""
        held = self.raw.clamp(_LOWEST_LEARNED, _HIGHEST_LEARNED)
        return self.raw + (held - self.raw).detach()

    def forward(self, energies: Tensor, mask: Tensor) -> Tensor:
        """Project with the present α."""
        exact = _full_precision(energies)
        return _projected(exact, mask, self.alpha.to(exact.dtype)).to(energies.dtype)


def _of_power(energies: Tensor, power: int) -> Tensor:
    """Project with α = 1 + 1/k: by steps on a CPU, where sorting takes many times as long."""
    if energies.device.type == "cpu":
        return entmax_of_power(energies, power)
    # To learn that all rows are there, a GPU would have to be waited for at every step.
    weights: Tensor = (exact_sparsemax if power == 1 else exact_entmax15)(energies, dim=-1)
    return weights


def _projected(energies: Tensor, mask: Tensor, alpha: Tensor) -> Tensor:
    # α stays on the device: a number in Python would have to be waited for.
    sunk = _sunk(energies, mask, 1.0 / (alpha.detach() - 1.0))
    return entmax_root(sunk, alpha) * mask


def _full_precision(energies: Tensor) -> Tensor:
    # Half precision loses the threshold's cumulative sums.
    return energies.float() if energies.dtype in (torch.float16, torch.bfloat16) else energies


def _sunk(energies: Tensor, mask: Tensor, reach: float | Tensor) -> Tensor:
    """Put masked positions below all that can have weight, yet finite.

    A position further than `reach` = 1/(α − 1) below the highest has weight 0, so these have; and a
    row that is masked whole stays computable.
    """
    top = energies.detach().masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    floor = top.where(top.isfinite(), 0.0) - (reach + 1.0)
    return energies.where(mask, floor)
