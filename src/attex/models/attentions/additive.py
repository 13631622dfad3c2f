"""Additive attention, which the papers call tanh."""

from typing import Annotated

import torch
from torch import Tensor, nn

from attex.foundations.registry import Spec
from attex.models.activation import tanh_
from attex.models.attention import ATTENTIONS, SOFTMAX, ProjectedAttention
from attex.models.projection import PROJECTIONS
from attex.models.reads import Read


@ATTENTIONS.register("tanh", aliases=("additive",), cite="Bahdanau et al. 2015")
class Additive(ProjectedAttention):
    """Additive energies: z_t = v · tanh(W₁ h_t + b), with W₁ halving the width.

    hidden [B,T,m] → energies [B,T]. With a query: z_t = v · tanh(W₁ h_t + W₂ q + b).
    """

    takes_query = True

    def __init__(
        self,
        hidden_width: int,
        query_width: int | None = None,
        *,
        projection: Annotated[Spec, PROJECTIONS.choice] = SOFTMAX,
    ) -> None:
        super().__init__(projection)
        self.inner = nn.Linear(hidden_width, max(1, hidden_width // 2))
        self.outer = nn.Linear(self.inner.out_features, 1, bias=False)
        if query_width is not None:
            self.query = nn.Linear(query_width, self.inner.out_features, bias=False)

    def read(self, query: Tensor | None = None) -> Read:
        """Split at the tanh: W₁, b and what the query adds before it, v after it."""
        offset = self.inner.bias
        if query is not None:
            offset = (offset + self.query(query)).unsqueeze(1)
        return Read(self.inner.weight, offset, self._finish)

    def _finish(self, inner: Tensor) -> Tensor:
        activated = torch.tanh(inner) if torch.is_grad_enabled() else tanh_(inner)
        return activated @ self.outer.weight[0]
