"""Scaled dot-product attention with a learned query."""

import math
from typing import Annotated

from torch import Tensor, nn

from attex.foundations.registry import Spec
from attex.models.attention import ATTENTIONS, SOFTMAX, Attention
from attex.models.projection import PROJECTIONS
from attex.models.reads import Read


@ATTENTIONS.register("sdp", aliases=("dot",), cite="Vaswani et al. 2017")
class ScaledDot(Attention):
    """Scaled dot energies: z_t = w · h_t / √m, with w learned as there is no query.

    hidden [B,T,m] → energies [B,T].
    """

    def __init__(
        self,
        hidden_width: int,
        *,
        projection: Annotated[Spec, PROJECTIONS.choice] = SOFTMAX,
    ) -> None:
        super().__init__(projection)
        self.query = nn.Linear(hidden_width, 1, bias=False)

    def read(self) -> Read:
        """Read h along w/√m."""
        return Read(self.query.weight / math.sqrt(self.query.in_features), None, _only_column)


def _only_column(values: Tensor) -> Tensor:
    return values.squeeze(-1)
