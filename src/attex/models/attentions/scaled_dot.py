"""Scaled dot-product attention with a learned query."""

import math
from typing import Annotated

from torch import nn

from attex.foundations.registry import Spec
from attex.models.attention import ATTENTIONS, SOFTMAX, ProjectedAttention
from attex.models.projection import PROJECTIONS
from attex.models.reads import Read, only_column


@ATTENTIONS.register("sdp", aliases=("dot",), cite="Vaswani et al. 2017")
class ScaledDot(ProjectedAttention):
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
        return Read(self.query.weight / math.sqrt(self.query.in_features), None, only_column)
