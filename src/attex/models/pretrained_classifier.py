"""A pretrained sequence classifier as it is: its own head reads a marker's state."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.models.attention import Attention
from attex.models.classifier import AttentionModel, Trace
from attex.models.decoder import Decoder, only_candidates
from attex.models.pretrained import Pretrained
from attex.models.reads import Read

_NO_READOUT = "a pretrained classifier has no one attention over states that its output is made of"


class MarkerRow(Attention):
    """The weights that the first marker has for all pieces, in the last layer, mean over its heads."""

    def read(self, query: Tensor | None = None) -> Read:
        """Refuse: the weights are those of layers, not read off states."""
        raise TypeError(_NO_READOUT)

    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        """Refuse, too."""
        raise TypeError(_NO_READOUT)


class OwnHead(Decoder):
    """The head of the pretrained model, which reads the first marker's state alone."""

    linear = False

    def read(self, query: Tensor | None = None) -> Read:
        """Refuse: there are no attended values."""
        raise TypeError(_NO_READOUT)

    def head(self, values: Tensor) -> Tensor:
        """Refuse, too."""
        raise TypeError(_NO_READOUT)


class PretrainedClassifier(AttentionModel):
    """Embed, then all of the pretrained model at once; its attention is that of its first marker.

    attention [B,T] is brought to the pieces of words as it is: what the marker has for markers is left
    out, and the rest does not sum to 1. `order` [C] has the number of the model's own output for each
    class. Of two classes there is one logit, the difference.
    """

    has_readout = False
    order: Tensor

    def __init__(self, encoder: Pretrained, classes: int) -> None:
        super().__init__(encoder.take_table(), encoder, MarkerRow(), OwnHead())
        self.register_buffer("order", torch.arange(classes))

    def resume(self, embedded: Tensor, batch: Batch, *, hold_attention: bool = False) -> Trace:
        """Run the model from embeddings [B,T,d]; weights inside layers cannot be held."""
        encoder: Any = self.encoder
        logits, hidden, weights = encoder.classify(encoder.enter(embedded, batch), batch.mask)
        attention = weights.mean(dim=1)[:, 0] * batch.scorable
        energies = attention.clamp(min=torch.finfo(attention.dtype).tiny).log()
        logits = only_candidates(logits[:, self.order], batch.allowed)
        if logits.shape[1] == 2 and batch.allowed is None:
            logits = logits[:, 1:] - logits[:, :1]
        return Trace(embedded, hidden, energies, attention, hidden[:, 0], logits)

    def match(self, outputs: Sequence[int]) -> None:
        """Say which of the model's own outputs stands for each class."""
        self.order.copy_(torch.tensor(outputs))
