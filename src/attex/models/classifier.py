"""The model of one text: embed, encode, attend, decode."""

from dataclasses import dataclass
from typing import cast

from torch import Tensor, nn

from attex.data.batch import Batch
from attex.data.corpus import PAD
from attex.models.attention import Attention
from attex.models.decoder import Decoder, Readout
from attex.models.encoder import Encoder


@dataclass(frozen=True)
class Trace:
    """Every step of one forward pass.

    embedded [B,T,d], hidden [B,T,m], energies [B,T], attention [B,T], context [B,m], logits [B,O].
    """

    embedded: Tensor
    hidden: Tensor
    energies: Tensor
    attention: Tensor
    context: Tensor
    logits: Tensor


class AttentionModel(nn.Module):
    """A text classifier whose steps can each be called, and replaced, on their own."""

    def __init__(
        self, embedding: nn.Embedding, encoder: Encoder, attention: Attention, decoder: Decoder
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.encoder = encoder
        self.attention = attention
        self.decoder = decoder

    def embed(self, batch: Batch) -> Tensor:
        """Look the tokens up: [B,T,d]."""
        return cast(Tensor, self.embedding(batch.tokens))

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        """Encode all real positions, markers included: [B,T,m]."""
        return cast(Tensor, self.encoder(embedded, batch.mask))

    def score(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Give every position an energy: [B,T]."""
        return self.attention.score(hidden)

    def attend(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Weigh the scorable positions: [B,T]."""
        return self.attention.project(self.score(hidden, batch), batch.scorable)

    def decode(self, hidden: Tensor, attention: Tensor, batch: Batch) -> Tensor:
        """Give the logits of the attended states: [B,O]."""
        return cast(Tensor, self.decoder(_attended(hidden, attention)))

    def readout(self, hidden: Tensor, batch: Batch) -> Readout:
        """Reduce hidden states to what the output depends on."""
        return self.decoder.readout(self.decoder.read()(hidden))

    def forward(self, batch: Batch) -> Trace:
        """Compose the steps."""
        embedded = self.embed(batch)
        hidden = self.encode(embedded, batch)
        energies = self.score(hidden, batch)
        attention = self.attention.project(energies, batch.scorable)
        context = _attended(hidden, attention)
        return Trace(embedded, hidden, energies, attention, context, self.decoder(context))

    def parameter_groups(self, weight_decay: float) -> list[dict[str, object]]:
        """Group the parameters for an optimiser: attention is not decayed (Jain & Wallace)."""
        held = {id(parameter) for parameter in self.attention.parameters()}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in held]
        return [
            {"params": rest, "weight_decay": weight_decay},
            {"params": list(self.attention.parameters()), "weight_decay": 0.0},
        ]


def make_embedding(vocabulary_size: int, width: int, vectors: Tensor | None) -> nn.Embedding:
    """Make a trainable embedding, from pretrained vectors where given; padding stays zero."""
    embedding = nn.Embedding(vocabulary_size, width, padding_idx=PAD)
    if vectors is not None:
        embedding.weight.data.copy_(vectors)
        embedding.weight.data[PAD] = 0.0
    return embedding


def _attended(hidden: Tensor, attention: Tensor) -> Tensor:
    return (attention.unsqueeze(1) @ hidden).squeeze(1)
