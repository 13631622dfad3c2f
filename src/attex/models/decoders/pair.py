"""The decoder of two texts that are both attended to."""

from copy import copy

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.models.decoder import DECODERS, Decoder
from attex.models.reads import Read, unchanged


@DECODERS.register("pair", cite="Neely et al. 2021")
class PairDecoder(Decoder):
    """Both texts and how they differ: logits = W [c₁ ; c₂ ; |c₁ − c₂| ; c₁ ∘ c₂] + b.

    context c₁ [B,m], query c₂ [B,m] → logits [B,O], one for each class, of two as of more. Both are
    attended to by the same attention, which is not asked anything. Scores are of both texts.
    """

    linear = False
    takes_query = True
    attends_to_query = True
    any_precision = True

    def __init__(self, hidden_width: int, query_width: int, classes: int) -> None:
        super().__init__()
        if query_width != hidden_width:
            raise UserError(
                f"model.query.encoder: the decoder 'pair' takes two texts of one width, not "
                f"{hidden_width} and {query_width}"
            )
        self.output = nn.Linear(4 * hidden_width, classes)
        # One text lies behind the other in what is read: the identity, and nothing.
        self.register_buffer("first", torch.eye(2 * hidden_width, hidden_width), persistent=False)
        self._is_turned = False

    def read(self, query: Tensor | None = None) -> Read:
        """Read the state itself, with the other text, as it was attended to, behind it or before."""
        assert query is not None
        weight, width = self.get_buffer("first"), query.shape[-1]
        if self._is_turned:
            return Read(weight.roll(width, 0), F.pad(query, (0, width)).unsqueeze(1), unchanged)
        return Read(weight, F.pad(query, (width, 0)).unsqueeze(1), unchanged)

    def turned(self) -> "PairDecoder":
        """Read the states of the second text, and the first beside them; the weights are shared."""
        other = copy(self)
        other._is_turned = not self._is_turned
        return other

    def head(self, values: Tensor) -> Tensor:
        """Compare the two."""
        first, second = values.chunk(2, dim=-1)
        compared = torch.cat([values, (first - second).abs(), first * second], dim=-1)
        weight, bias = (part.to(values.dtype) for part in (self.output.weight, self.output.bias))
        return F.linear(compared, weight, bias)

    def formula(self) -> tuple[str, dict[str, Tensor]]:
        """Name the head, and give its numbers."""
        return "pair_linear", {"weight": self.output.weight.detach(), "bias": self.output.bias.detach()}
