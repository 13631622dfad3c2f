"""Decoders: the attended context to logits, and the readout that counterfactuals need."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attex.foundations.registry import Registry
from attex.models.reads import Read


@dataclass(frozen=True)
class Readout:
    """All that the output depends on once hidden states are fixed: logits = head(Σ_t α_t values_t).

    values [B,T,r]; `linear` says that the head only adds a bias, so that values are token logits.
    """

    values: Tensor
    head: Callable[[Tensor], Tensor]
    linear: bool

    def decode(self, attention: Tensor) -> Tensor:
        """Return the logits [B,O] under other attention [B,T], in the precision of the values."""
        attended = attention.to(self.values.dtype).unsqueeze(-2) @ self.values
        return self.head(attended.squeeze(-2))


class Decoder(nn.Module, ABC):
    """context [B,m] → logits [B,O]."""

    linear: bool

    @abstractmethod
    def read(self) -> Read:
        """Say how a value is read off a hidden state."""

    @abstractmethod
    def head(self, values: Tensor) -> Tensor:
        """Turn attended values [...,r] into logits [...,O]."""

    @torch.no_grad()
    def formula(self) -> tuple[str, dict[str, Tensor]] | None:
        """Name the head's formula, and give its numbers, so that it can be computed elsewhere.

        The formulas that a page knows are in `report/explorer.py`; None is a head that has none of them.
        """
        if not self.linear:
            return None
        weight = self.read().weight
        return "linear", {"bias": self.head(weight.new_zeros(len(weight)))}

    def forward(self, context: Tensor) -> Tensor:
        """Decode a context as the head of its own value."""
        return self.head(self.read()(context))

    def readout(self, values: Tensor) -> Readout:
        """Wrap values that were read off hidden states."""
        return Readout(values, self.head, self.linear)


DECODERS: Registry[Decoder] = Registry("decoder", "attex.models.decoders", default="linear")
