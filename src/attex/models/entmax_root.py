"""α-entmax by Newton's method: of any α > 1 in place of bisection, of 1.5 and 2 in place of sorting."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from attex.foundations.memory import spans

_NEAR_A_CORE = 1 << 20
"""Bytes that stay near a core while steps are made, so that only the first has to wait for memory."""


class _Entmax(torch.autograd.Function):
    """p_i = [(α − 1) z_i − τ]₊^k with k = 1/(α − 1), and τ such that Σ p = 1.

    With u_i = [(α − 1) z_i − τ]₊, the norm ‖u‖_k is convex in τ for α ≤ 2, and linear where all energies
    are alike. So Newton's method on ‖u‖_k = 1 comes from below, never jumps past τ, and is there after
    about five steps. For α > 2, where slopes have no bound, and wherever it would leave the interval
    that τ is known to be in, the interval is halved instead. A row that is there stays as it is, so that
    what is beside it does not change it.
    """

    @staticmethod
    def forward(ctx: Any, energies: Tensor, alpha: Tensor) -> Tensor:
        rows = energies.reshape(-1, energies.shape[-1])
        alphas = alpha.expand(*energies.shape[:-1], 1).reshape(-1, 1)
        parts = [_rooted(rows[part], alphas[part]) for part in _near(rows)]
        weights, slopes, slope = (
            each[0] if len(parts) == 1 else torch.cat(each) for each in zip(*parts, strict=True)
        )
        weights, slopes = weights.view(energies.shape), slopes.view(energies.shape)
        ctx.save_for_backward(weights, slopes, slope.view(*energies.shape[:-1], 1), alpha)
        return weights

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor | None]:
        weights, slopes, slope, alpha = ctx.saved_tensors
        # ∂p/∂z = diag(s) − s sᵀ/Σs with s = u^(k−1).
        of_energies = slopes * (gradient - (slopes * gradient).sum(dim=-1, keepdim=True) / slope)
        if not ctx.needs_input_grad[1]:
            return of_energies, None
        # ∂p/∂α = k² (p − s/Σs) − k (p ln p − s/Σs · Σ p ln p), Correia et al. 2019.
        power, shares, logs = 1 / (alpha - 1), slopes / slope, torch.xlogy(weights, weights)
        of_alpha = power**2 * (weights - shares)
        of_alpha -= power * (logs - shares * logs.sum(dim=-1, keepdim=True))
        return of_energies, (gradient * of_alpha).sum_to_size(alpha.shape)


def _rooted(energies: Tensor, alpha: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weights [R,T] of rows, u^(k−1) [R,T] and its sum [R,1]."""
    power = 1 / (alpha - 1)
    scaled = energies * (alpha - 1)
    scaled = scaled - scaled.amax(dim=-1, keepdim=True)
    tiny, near = torch.finfo(scaled.dtype).tiny, torch.finfo(scaled.dtype).eps
    unnoticed = math.log(tiny) / 2
    low = torch.full_like(scaled[:, :1], -1.0)
    # If all have the same energy, it is this.
    high = low * scaled.shape[-1] ** (1 - alpha)
    threshold, done = low, torch.zeros_like(low, dtype=torch.bool)
    # To learn that all rows are there, a GPU would have to be waited for.
    may_stop = scaled.device.type == "cpu"
    # After as many halvings as a number has digits nothing is left of the interval.
    for _ in range(2 - round(math.log2(near))):
        above = (scaled - threshold).clamp_(min=0.0)
        # u^(k−1), of which both the sum and its slope are made. A power takes four times as long,
        # and an exponential that is all but 0 fifty times: none is smaller than anyone would notice.
        slopes = above.clamp(min=tiny).log_().mul_(power - 1).clamp_(min=unnoticed).exp_()
        slopes.mul_(above.sign())
        slope, total = slopes.sum(dim=-1, keepdim=True), (slopes * above).sum(dim=-1, keepdim=True)
        if may_stop and done.all():
            break
        low, high = threshold.where(total >= 1, low), threshold.where(total < 1, high)
        other = threshold + (total - total ** (1 - 1 / power)) / slope
        sure = (alpha <= 2) & (other >= low) & (other <= high)
        other = other.where(sure, (low + high) / 2)
        done = done | ((other - threshold).abs() <= near)
        threshold = threshold.where(done, other)
    return slopes * above / total, slopes, slope


def _near(rows: Tensor) -> Iterable[slice]:
    """Cut rows into parts that stay near a core; a GPU has all at once."""
    if rows.device.type != "cpu" or not len(rows):
        return [slice(None)]
    return spans(len(rows), rows.shape[-1] * rows.element_size(), _NEAR_A_CORE)


entmax_root: Callable[[Tensor, Tensor], Tensor] = _Entmax.apply
"""energies [...,T], α > 1 of a shape that goes with them → weights [...,T]."""


class _WholePower(torch.autograd.Function):
    """p_i = [z_i / k − τ]₊^k for k = 1 (sparsemax) or 2 (1.5-entmax), and τ such that Σ p = 1.

    The same steps on ‖u‖_k = 1 as for any α, with nothing to take a power of. From τ = max − 1, which is
    never too high, they only go up, and end where the next is lost in rounding, mostly after four or
    five: sparsemax drops a position at every step but the last. A row that is there stays as it is.
    """

    @staticmethod
    def forward(ctx: Any, energies: Tensor, power: int) -> Tensor:
        weights = torch.empty_like(energies, memory_format=torch.contiguous_format)
        length = energies.shape[-1]
        rows, found = energies.reshape(-1, length), weights.view(-1, length)
        for part in _near(rows):
            found[part] = _raised(rows[part] / power, power)
        ctx.save_for_backward(weights)
        ctx.power = power
        return weights

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        # u^(k−1): where there is weight, for sparsemax.
        slopes = weights.sqrt() if ctx.power == 2 else (weights > 0).to(weights.dtype)
        mean = (slopes * gradient).sum(dim=-1, keepdim=True) / slopes.sum(dim=-1, keepdim=True)
        return slopes * (gradient - mean), None


def _raised(scaled: Tensor, power: int) -> Tensor:
    """Return [u − τ]₊^k for rows u [R,T]."""
    near = torch.finfo(scaled.dtype).eps
    scaled = scaled - scaled.amax(dim=-1, keepdim=True)
    threshold = torch.full_like(scaled[:, :1], -1.0)
    while True:
        above = (scaled - threshold).clamp_(min=0.0)
        total = above.sum(dim=-1, keepdim=True)
        if power == 1:
            step = (total - 1) / above.sign().sum(dim=-1, keepdim=True)
        else:
            norm = torch.linalg.vector_norm(above, dim=-1, keepdim=True)
            step = (norm - 1) * norm / total
        goes_on = step > near
        if not goes_on.any():
            break
        threshold = threshold + step.where(goes_on, 0.0)
    weights = above if power == 1 else above.square_()
    return weights / weights.sum(dim=-1, keepdim=True)


entmax_of_power: Callable[[Tensor, int], Tensor] = _WholePower.apply
"""energies [...,T] on a CPU, k = 1/(α − 1), which is 1 or 2 → weights [...,T]."""
