"""What attention and decoder read of a hidden state, in a form that encoders can exploit."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Read:
    """finish(W h + o): one value or a few for every hidden state.

    weight [k,m], offset [k] or None. Every product of the attention and of the readout with
    hidden states goes through W, so an encoder that knows a part of h only (one direction, one
    window) can add up its share of W h before `finish`, which may overwrite what it is given.
    """

    weight: Tensor
    offset: Tensor | None
    finish: Callable[[Tensor], Tensor]

    def __call__(self, hidden: Tensor) -> Tensor:
        """Read hidden [..., m] → [...] or [..., r], as `finish` has it."""
        product = hidden @ self.weight.T
        return self.finish(product if self.offset is None else product + self.offset)


def unchanged(values: Tensor) -> Tensor:
    """Finish a linear read of several values."""
    return values


def only_column(values: Tensor) -> Tensor:
    """Finish a linear read of one value."""
    return values.squeeze(-1)
