"""A model so small that every number it gives can be worked out on paper."""

import math
from collections.abc import Sequence

import torch

from attex.data.batch import Batch
from attex.data.corpus import SPECIALS
from attex.models.attention import ATTENTIONS
from attex.models.classifier import AttentionModel
from attex.models.decoder import DECODERS
from attex.models.embedding import make_embedding
from attex.models.encoders.embedding import Embedding


def model_by_hand(energies: Sequence[float], logits: Sequence[float]) -> tuple[AttentionModel, Batch]:
    """Make a model, and the one text it knows, from an energy z_t and a logit s_t for every word.

    The embedding of word t is (z_t, s_t), and so is its hidden state; attention is α = softmax(z), and
    the probability of the second class is σ(Σ_t α_t s_t). The text has no markers.

    Args:
        energies: one for each word of the text.
        logits: as many.

    Raises:
        ValueError: if the two are not equally many.

    Example:
        >>> from math import log
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, log(3)], logits=[4, 0])
        >>> trace = model(batch)
        >>> trace.attention.detach()
        tensor([[0.2500, 0.7500]])
        >>> trace.logits.detach()
        tensor([[1.]])
    """
    if len(energies) != len(logits):
        raise ValueError(f"{len(energies)} energies and {len(logits)} logits")
    states = torch.tensor([[0.0, 0.0]] * len(SPECIALS) + [*zip(energies, logits, strict=True)])
    attend = ATTENTIONS.bind(ATTENTIONS.spec("sdp"), 2)
    decode = DECODERS.bind(DECODERS.spec("linear"), 2, 2)
    with torch.no_grad():
        # Energies are divided by the root of the width.
        attend.query.weight.copy_(torch.tensor([[math.sqrt(2), 0.0]]))
        decode.output.weight.copy_(torch.tensor([[0.0, 1.0]]))
        decode.output.bias.zero_()
    embedding = make_embedding(len(states), 2, states)
    tokens = torch.arange(len(SPECIALS), len(states))[None]
    everything = torch.ones_like(tokens, dtype=torch.bool)
    batch = Batch(
        tokens, everything, everything, labels=torch.zeros(1).long(), ids=torch.zeros(1).long()
    )
    return AttentionModel(embedding, Embedding(2), attend, decode).eval(), batch
