"""DeepLIFT's rescale rule: in the place of each slope, the mean slope between baseline and text.

Every step of a model is taken for the text and for the baseline. Its value is the step's own; what a
gradient finds is the mean slope on the straight line between the two. Of a function of one number that
is (f(x) − f(b)) / (x − b), the rescale rule; of a product, the mean of the other factor (Shrikumar et
al. 2017); of a function of several numbers, as softmax, the mean of the Jacobian.
So contributions sum to F(text) − F(baseline), whatever a model is made of.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

Step = Callable[[Tensor], Tensor]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
"""Where the Jacobian of a step of several numbers is looked at, on the line from −1 to 1."""


class Both(NamedTuple):
    """What a step gives of the text, which a gradient goes back through, and of the baseline."""

    text: Tensor
    base: Tensor

    def through(self, linear: Step) -> "Both":
        """Take a step that is linear, but for a constant: its slope is the same everywhere."""
        return Both(linear(self.text), linear(self.base))

    def __add__(self, other: "Both") -> "Both":  # type: ignore[override]
        return Both(self.text + other.text, self.base + other.base)

    def __sub__(self, other: "Both") -> "Both":
        return Both(self.text - other.text, self.base - other.base)

    def chunk(self, parts: int, dim: int = -1) -> "list[Both]":
        """Cut into equal parts."""
        cut = (each.chunk(parts, dim=dim) for each in self)
        return [Both(*part) for part in zip(*cut, strict=True)]

    @property
    def middle(self) -> Tensor:
        """Half way between the two; no gradient passes it."""
        return (self.text.detach() + self.base) / 2

    @property
    def change(self) -> Tensor:
        """The way from the baseline to the text; no gradient passes it."""
        return self.text.detach() - self.base


def tanh(both: Both) -> Both:
    """Take the hyperbolic tangent: (tanh x − tanh b) / (x − b)."""
    with torch.no_grad():
        # tanh x − tanh b = tanh(x − b) (1 − tanh x tanh b): a small difference is not lost.
        value, before, change = both.text.tanh(), both.base.tanh(), both.change
        slope = (change.tanh() / change).where(change != 0, 1.0) * (1 - value * before)
    return Both(_sloping(slope * both.text, value), before)


def sigmoid(both: Both) -> Both:
    """Take the logistic function, σ(x) = (1 + tanh(x/2)) / 2."""
    return tanh(both.through(lambda x: x / 2)).through(lambda y: (1 + y) / 2)


def relu(both: Both) -> Both:
    """Take what is above 0."""
    return _kinked(torch.relu, (both.text > 0).to(both.text.dtype), both)


def absolute(both: Both) -> Both:
    """Take the absolute value."""
    return _kinked(torch.abs, both.text.sign(), both)


def product(a: Both, b: Both) -> Both:
    """Multiply number by number."""
    return _bilinear(torch.mul, a, b)


def matmul(a: Both, b: Both) -> Both:
    """Multiply matrices."""
    return _bilinear(torch.matmul, a, b)


def row_step(step: Step, both: Both) -> Both:
    """Take any step from rows [...,n] to rows, or to a number each, in which no row knows of another."""
    with torch.no_grad():
        before = step(both.base)
    return Both(_RowStep.apply(both.text, both.base, before, step), before)  # type: ignore[no-untyped-call]


def _kinked(step: Step, own: Tensor, both: Both) -> Both:
    with torch.no_grad():
        value, before, change = step(both.text), step(both.base), both.change
        slope = ((value - before) / change).where(change != 0, own)
    return Both(_sloping(slope * both.text, value), before)


def _bilinear(multiply: Callable[[Tensor, Tensor], Tensor], a: Both, b: Both) -> Both:
    with torch.no_grad():
        value, before = multiply(a.text, b.text), multiply(a.base, b.base)
    return Both(_sloping(multiply(a.text, b.middle) + multiply(a.middle, b.text), value), before)


def _sloping(sloped: Tensor, value: Tensor) -> Tensor:
    """Return the value, with the gradient of `sloped`."""
    return value + (sloped - sloped.detach())


class _RowStep(torch.autograd.Function):
    """A step whose gradient is the mean of those on the line from the baseline, by quadrature."""

    @staticmethod
    def forward(ctx: Any, text: Tensor, base: Tensor, before: Tensor, step: Step) -> Tensor:
        value = step(text)
        ctx.save_for_backward(text, base, value - before)
        ctx.step = step
        return value

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        text, base, risen = ctx.saved_tensors
        change = text - base
        total = torch.zeros_like(text)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            with torch.enable_grad():
                point = (base + (1 + node) / 2 * change).requires_grad_()
                value = ctx.step(point)
                if not value.requires_grad:
                    return total, None, None, None
                (slope,) = torch.autograd.grad(value, point, gradient)
            total += weight / 2 * slope
        # The nearest Jacobian that leads from the baseline to the text exactly, whatever the nodes miss.
        whole = (gradient * risen) if risen.dim() < text.dim() else (gradient * risen).sum(dim=-1)
        missed = whole - (total * change).sum(dim=-1)
        squares = (change**2).sum(dim=-1)
        total += change * (missed / squares).where(squares > 0, 0.0)[..., None]
        return total, None, None, None
