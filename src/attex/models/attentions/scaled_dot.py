"""Scaled dot-product attention, with the text's query or a learned one."""

import math
from typing import Annotated

import torch
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.attention import ATTENTIONS, SOFTMAX, ProjectedAttention
from attex.models.projection import PROJECTIONS
from attex.models.reads import Read, only_column


@ATTENTIONS.register("sdp", aliases=("dot",), cite="Vaswani et al. 2017")
class ScaledDot(ProjectedAttention):
    """Scaled dot energies: z_t = w · h_t / √m, with w learned as there is no query.

    hidden [B,T,m] → energies [B,T]. With a query: z_t = q · h_t / √m, and nothing is learned here.
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
        self._root = math.sqrt(hidden_width)
        if query_width is None:
            self.query = nn.Linear(hidden_width, 1, bias=False)
        elif query_width != hidden_width:
            raise UserError(
                f"model.query.encoder: states and query must be of one width for their product, not "
                f"{hidden_width} and {query_width}"
            )
        else:
            self.register_buffer("everything", torch.ones(1, hidden_width), persistent=False)

    def read(self, query: Tensor | None = None) -> Read:
        """Read h along w/√m, or along q/√m."""
        if query is None:
            return Read(self.query.weight / self._root, None, only_column)
        scale = (query / self._root).unsqueeze(1)
        return Read(self.get_buffer("everything"), None, only_column, scale)
