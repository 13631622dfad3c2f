"""DeepLIFT by hand: single numbers, each with the multiplier of every number that it was made of."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import quad_vec


class Number:
    """A number of the text and of the baseline, with the multiplier of everything that it is made of."""

    def __init__(self, text: float, base: float, parts: "Sequence[tuple[Number, float]]" = ()) -> None:
        self.text, self.base, self.parts = text, base, parts

    def __add__(self, other: "Number | float") -> "Number":
        if not isinstance(other, Number):
            return Number(self.text + other, self.base + other, [(self, 1.0)])
        return Number(self.text + other.text, self.base + other.base, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other: "Number | float") -> "Number":
        if not isinstance(other, Number):
            return Number(self.text * other, self.base * other, [(self, float(other))])
        parts = [(self, (other.text + other.base) / 2), (other, (self.text + self.base) / 2)]
        return Number(self.text * other.text, self.base * other.base, parts)

    def through(self, step: Callable[[float], float]) -> "Number":
        """Rescale: what comes out changed by, over what went in changed by."""
        change = self.text - self.base
        around = (step(self.text + 1e-6) - step(self.text - 1e-6)) / 2e-6
        slope = (step(self.text) - step(self.base)) / change if change else around
        return Number(step(self.text), step(self.base), [(self, slope)])

    def multipliers(self) -> dict[int, float]:
        """Return the multiplier of every number that this one is made of, by identity."""
        order: list[Number] = []
        seen: set[int] = set()

        def visit(number: Number) -> None:
            if id(number) not in seen:
                seen.add(id(number))
                for part, _ in number.parts:
                    visit(part)
                order.append(number)

        visit(self)
        found = {id(number): 0.0 for number in order} | {id(self): 1.0}
        for number in reversed(order):
            for part, slope in number.parts:
                found[id(part)] += slope * found[id(number)]
        return found


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def linear(weights: np.ndarray, numbers: Sequence[Number], bias: Sequence[float]) -> list[Number]:
    """W x + b."""
    rows = zip(weights, bias, strict=True)
    return [
        sum((n * float(w) for n, w in zip(numbers, row, strict=True)), constant(b)) for row, b in rows
    ]


def constant(value: float) -> Number:
    return Number(float(value), float(value))


def softmax(numbers: Sequence[Number]) -> list[Number]:
    """Softmax, whose multipliers are its Jacobian's mean on the line from baseline to text."""

    def value(z: np.ndarray) -> np.ndarray:
        e = np.exp(z - z.max())
        return e / e.sum()

    text, base = (np.array([getattr(n, side) for n in numbers]) for side in ("text", "base"))

    def jacobian(s: float) -> np.ndarray:
        p = value(base + s * (text - base))
        return np.diag(p) - np.outer(p, p)

    mean = quad_vec(jacobian, 0, 1, epsabs=1e-12)[0]
    after, before = value(text), value(base)
    return [
        Number(after[i], before[i], [(n, mean[i, j]) for j, n in enumerate(numbers)])
        for i in range(len(numbers))
    ]


def lstm(cell: Any, tokens: Sequence[Sequence[Number]]) -> list[list[Number]]:
    """One direction, by torch's formula: gates i, f, g, o."""
    into, again, b1, b2 = (p.detach().double().numpy() for p in cell.parameters())
    width = again.shape[1]
    hidden = state = [constant(0.0)] * width
    states = []
    for token in tokens:
        gates = [x + u for x, u in zip(linear(into, token, b1), linear(again, hidden, b2), strict=True)]
        i, f, o = ([g.through(sigmoid) for g in gates[n * width : (n + 1) * width]] for n in (0, 1, 3))
        g = [g.through(math.tanh) for g in gates[2 * width : 3 * width]]
        state = [f[k] * state[k] + i[k] * g[k] for k in range(width)]
        hidden = [o[k] * state[k].through(math.tanh) for k in range(width)]
        states.append(hidden)
    return states


def gru(cell: Any, tokens: Sequence[Sequence[Number]]) -> list[list[Number]]:
    """One direction, by torch's formula: gates r, z, n."""
    into, again, b1, b2 = (p.detach().double().numpy() for p in cell.parameters())
    width = again.shape[1]
    hidden = [constant(0.0)] * width
    states = []
    for token in tokens:
        x, u = linear(into, token, b1), linear(again, hidden, b2)
        r, z = ([(x[n + k] + u[n + k]).through(sigmoid) for k in range(width)] for n in (0, width))
        n = [(x[2 * width + k] + r[k] * u[2 * width + k]).through(math.tanh) for k in range(width)]
        hidden = [n[k] + z[k] * (hidden[k] + n[k] * -1.0) for k in range(width)]
        states.append(hidden)
    return states
