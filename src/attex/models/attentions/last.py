"""No attention at all: the last state decides."""

import torch
from torch import Tensor

from attex.models.attention import ATTENTIONS, Attention
from attex.models.reads import Read, only_column


@ATTENTIONS.register("last", cite="Meister et al. 2021, §2")
class Last(Attention):
    """All weight on the last scorable state: α_n = 1.

    hidden [B,T,m] → energies [B,T], all 0: there is nothing to score and nothing to project.
    """

    scores_states = False

    def __init__(self, hidden_width: int) -> None:
        super().__init__()
        self.register_buffer("nothing", torch.zeros(1, hidden_width), persistent=False)

    def read(self, query: Tensor | None = None) -> Read:
        """Read nothing."""
        return Read(self.get_buffer("nothing"), None, only_column)

    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        """Put the weight where no scorable position follows."""
        following = scorable.flip(-1).cumsum(-1).flip(-1)
        return ((following == 1) & scorable).to(energies.dtype)
