"""α-entmax of any α > 1, by Newton's method in place of bisection."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


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
        power = 1 / (alpha - 1)
        scaled = energies * (alpha - 1)
        scaled = scaled - scaled.amax(dim=-1, keepdim=True)
        tiny, near = torch.finfo(scaled.dtype).tiny, torch.finfo(scaled.dtype).eps
        unnoticed = math.log(tiny) / 2
        low = torch.full_like(scaled[..., :1], -1.0)
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
        weights = slopes * above / total
        ctx.save_for_backward(weights, slopes, slope, alpha)
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


entmax_root: Callable[[Tensor, Tensor], Tensor] = _Entmax.apply
"""energies [...,T], α > 1 of a shape that goes with them → weights [...,T]."""
