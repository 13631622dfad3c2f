"""The decoder of question answering: what was attended to, and what was asked."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attex.models.decoder import DECODERS, Decoder
from attex.models.reads import Read, unchanged


@DECODERS.register("query", cite="Jain & Wallace 2019")
class QueryDecoder(Decoder):
    """Context and query in one layer: logits = W tanh(W_p c + W_q q + b′) + b, half as wide as h.

    context [B,m], query [B,m] → logits [B,O], one for each class, of two as of more. As weights sum
    to 1, W_q q is read off every state as W_p h_t is: head(Σ_t α_t (W_p h_t + W_q q + b′)).
    """

    linear = False
    takes_query = True
    any_precision = True

    def __init__(self, hidden_width: int, query_width: int, classes: int) -> None:
        super().__init__()
        self.context = nn.Linear(hidden_width, max(1, hidden_width // 2))
        self.query = nn.Linear(query_width, self.context.out_features, bias=False)
        self.output = nn.Linear(self.context.out_features, classes)

    def read(self, query: Tensor | None = None) -> Read:
        """Read the text's share of the inner layer, with the query's added at every state."""
        assert query is not None
        offset = (self.query(query) + self.context.bias).unsqueeze(1)
        return Read(self.context.weight, offset, unchanged)

    def head(self, values: Tensor) -> Tensor:
        """Leave the inner layer."""
        weight, bias = (part.to(values.dtype) for part in (self.output.weight, self.output.bias))
        return F.linear(torch.tanh(values), weight, bias)

    def formula(self) -> tuple[str, dict[str, Tensor]]:
        """Name the head, and give its numbers."""
        return "tanh_linear", {"weight": self.output.weight.detach(), "bias": self.output.bias.detach()}
