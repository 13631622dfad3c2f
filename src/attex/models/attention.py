"""Attention: an energy for every hidden state, projected to weights."""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from attex.foundations.registry import Registry, Spec
from attex.models.projection import PROJECTIONS, Projection
from attex.models.reads import Read

SOFTMAX = PROJECTIONS.spec("softmax")
"""What an attention without a projection of its own is projected by."""


class Attention(nn.Module, ABC):
    """hidden [B,T,m], the query q [B,m] if any, scorable [B,T] → weights α [B,T].

    An attention that takes a query is built with the width of q after that of the hidden states.
    """

    scores_states: ClassVar[bool] = True
    """Whether weights depend on what the states hold: else there is no attention to explain."""
    order_counts: ClassVar[bool] = True
    """Whether the same states in another order may have other weights."""
    takes_query: ClassVar[bool] = False
    """Whether energies can depend on a query, in a model that has one."""

    @abstractmethod
    def read(self, query: Tensor | None = None) -> Read:
        """Say how an energy is read off a hidden state, given a query [B,m] if there is one."""

    def score(self, hidden: Tensor) -> Tensor:
        """Return the energies z [B,T] of states that nothing is asked of."""
        return self.read()(hidden)

    @abstractmethod
    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        """Return the weights φ(z), exactly 0 where a position is not scorable."""


class ProjectedAttention(Attention):
    """Attention whose energies are turned into weights by a registered projection."""

    order_counts = False

    def __init__(self, projection: Spec) -> None:
        super().__init__()
        self.projection: Projection = PROJECTIONS.bind(projection)

    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        """Apply the projection."""
        return self.projection(energies, scorable)


ATTENTIONS: Registry[Attention] = Registry("attention", "attex.models.attentions", default="tanh")
