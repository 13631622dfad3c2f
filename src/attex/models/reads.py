"""What attention and decoder read of a hidden state, in a form that encoders can exploit."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Size, Tensor


@dataclass(frozen=True)
class Read:
    """finish(W (s ∘ h) + o): one value or a few for every hidden state.

    weight [k,m], offset [k] or None. What a query asks for is different from text to text: then offset
    is [B,1,k], or scale [B,1,m] says how much of each dimension of h counts, for hidden [B,T,m]. Every
    product of the attention and of the readout with hidden states goes through W, so an encoder that
    knows a part of h only (one direction, one window) can add up its share of W h before `finish`,
    which may overwrite what it is given.
    """

    weight: Tensor
    offset: Tensor | None
    finish: Callable[[Tensor], Tensor]
    scale: Tensor | None = None

    @property
    def own(self) -> bool:
        """Whether every text has a read of its own."""
        return self.scale is not None or (self.offset is not None and self.offset.dim() == 3)

    @property
    def shape(self) -> Size:
        """The shape of what is read of a state: [], or [r]."""
        return self.finish(self.weight.new_zeros(1, len(self.weight))).shape[1:]

    def __call__(self, hidden: Tensor) -> Tensor:
        """Read hidden [..., m] → [...] or [..., r], as `finish` has it."""
        product = (hidden if self.scale is None else hidden * self.scale) @ self.weight.T
        return self.finish(product if self.offset is None else product + self.offset)

    def of(self, texts: Tensor | slice) -> "Read":
        """Return the read of some texts, in any order and as often as named: shortened copies, say."""
        if not self.own:
            return self
        offset, scale = (
            value if value is None or value.dim() < 3 else value[texts]
            for value in (self.offset, self.scale)
        )
        return replace(self, offset=offset, scale=scale)

    def attended(self, context: Tensor, attention: Tensor) -> Tensor:
        """Return Σ_t α_t read(h_t) of a linear read, given context = Σ_t α_t h_t: [B,m], [B,T] → [B,r].

        What a text's own offset adds is weighed like the rest: by 1, if that is what the weights sum to.
        """
        if self.offset is None or not self.own:
            return self(context)
        return self.finish(
            context @ self.weight.T + self.offset.squeeze(1) * attention.sum(dim=1, keepdim=True)
        )


def unchanged(values: Tensor) -> Tensor:
    """Finish a linear read of several values."""
    return values


def only_column(values: Tensor) -> Tensor:
    """Finish a linear read of one value."""
    return values.squeeze(-1)
