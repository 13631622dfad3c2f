"""Attention whose energy is a linear function of the state."""

from typing import Annotated

from torch import Tensor, nn

from attex.foundations.registry import Spec
from attex.models.attention import ATTENTIONS, SOFTMAX, ProjectedAttention
from attex.models.projection import PROJECTIONS
from attex.models.reads import Read, only_column


@ATTENTIONS.register("linear", cite="Pruthi et al. 2020")
class Linear(ProjectedAttention):
    """Linear energies: z_t = w · h_t + b, not scaled by the width.

    hidden [B,T,m] → energies [B,T].
    """

    def __init__(
        self,
        hidden_width: int,
        *,
        projection: Annotated[Spec, PROJECTIONS.choice] = SOFTMAX,
    ) -> None:
        super().__init__(projection)
        self.energy = nn.Linear(hidden_width, 1)

    def read(self, query: Tensor | None = None) -> Read:
        """Read h along w, whatever is asked."""
        return Read(self.energy.weight, self.energy.bias, only_column)
