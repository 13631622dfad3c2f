"""Decoders: the attended context to logits, and the readout that counterfactuals need."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor, nn

from attex.foundations.registry import Registry
from attex.models.reads import Read


@dataclass(frozen=True)
class Readout:
    """All that the output depends on once hidden states are fixed: logits = head(Σ_t α_t values_t).

    values [B,T,r]; `linear` says that the head only adds a bias, so that values are token logits.
    allowed [B,O] marks the candidates of each text, among which the answer is: others have the logit
    −∞. None means that all are. `any_precision` says that the head can take values in float64.
    """

    values: Tensor
    head: Callable[[Tensor], Tensor]
    linear: bool
    allowed: Tensor | None = None
    any_precision: bool = False

    def decode(self, attention: Tensor) -> Tensor:
        """Return the logits [B,O] under other attention [B,T], in the precision of the values."""
        attended = attention.to(self.values.dtype).unsqueeze(-2) @ self.values
        return self.logits(attended.squeeze(-2))

    def logits(self, attended: Tensor) -> Tensor:
        """Turn attended values [B,…,r] of the texts into logits [B,…,O]."""
        return only_candidates(self.head(attended), self.allowed)

    def of(self, texts: Tensor | slice, values: Tensor) -> "Readout":
        """Return the readout of other values [R,T,r] of some texts, as of shortened copies."""
        allowed = None if self.allowed is None else self.allowed[texts]
        return replace(self, values=values, allowed=allowed)

    def precise(self) -> "Readout":
        """Return the same in float64, if the head can take that."""
        able = self.linear or self.any_precision
        return replace(self, values=self.values.double()) if able else self


def only_candidates(logits: Tensor, allowed: Tensor | None) -> Tensor:
    """Leave those outputs of every text that are candidates: logits [B,…,O], allowed [B,O] → [B,…,O]."""
    if allowed is None:
        return logits
    between = [1] * (logits.dim() - allowed.dim())
    outside = ~allowed.view(len(allowed), *between, allowed.shape[-1])
    return logits.masked_fill(outside, -torch.inf)


class Decoder(nn.Module, ABC):
    """context [B,m], and the query q [B,m] of a decoder that takes one → logits [B,O].

    One that takes a query is built with the width of q after that of the hidden states.
    """

    linear: bool
    takes_query: ClassVar[bool] = False
    """Whether it reads a query beside the states."""
    attends_to_query: ClassVar[bool] = False
    """Whether q is the attended query, by the same attention as the text, and not its summary."""
    any_precision: ClassVar[bool] = False
    """Whether the head computes in the precision of its values, and not only in that of its weights."""

    @abstractmethod
    def read(self, query: Tensor | None = None) -> Read:
        """Say how a value is read off a hidden state; the read is linear."""

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

    def turned(self) -> "Decoder":
        """Return the same with text and query in each other's place, where it attends to both."""
        raise TypeError(f"{type(self).__name__} attends to one text")

    def forward(self, context: Tensor) -> Tensor:
        """Decode a context as the head of its own value."""
        return self.head(self.read()(context))

    def readout(self, values: Tensor, allowed: Tensor | None = None) -> Readout:
        """Wrap values that were read off hidden states."""
        # With some outputs at −∞ values are no token logits of one text like another.
        linear = self.linear and allowed is None
        return Readout(values, self.head, linear, allowed, self.linear or self.any_precision)


DECODERS: Registry[Decoder] = Registry("decoder", "attex.models.decoders", default="linear")
