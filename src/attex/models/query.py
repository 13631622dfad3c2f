"""The second text of a model that is asked something: how it is read, and summed up."""

from typing import cast

from torch import Tensor, nn

from attex.data.batch import Batch
from attex.models.encoder import Encoder


class QueryReader(nn.Module):
    """Embedding and encoder of the query: its own, or `shared`, which are those of the text.

    query → states [B,U,m], and their summary q [B,m].
    """

    def __init__(self, embedding: nn.Embedding, encoder: Encoder, *, shared: bool = False) -> None:
        super().__init__()
        # In a tuple they are not listed as modules: the text's would be found twice, with their weights.
        self._shared = (embedding, encoder) if shared else None
        if not shared:
            self.embedding, self.encoder = embedding, encoder

    @property
    def width(self) -> int:
        """The width of the states, and of q."""
        return self.parts[1].width

    def states(self, query: Batch) -> Tensor:
        """Encode the query: [B,U,m]."""
        embedding, encoder = self.parts
        return cast(Tensor, encoder(embedding(query.tokens), query.mask))

    def forward(self, query: Batch) -> Tensor:
        """Sum the query up as its encoder does: [B,m]."""
        return self.parts[1].summary(self.states(query), query.mask)

    @property
    def parts(self) -> tuple[nn.Embedding, Encoder]:
        """Embedding and encoder, whoever's they are."""
        return self._shared or (self.embedding, self.encoder)
