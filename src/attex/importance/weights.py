"""Importance read off the attention weights."""

from typing import Annotated

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.registry import LATER
from attex.importance.measure import MEASURES, by_word, only_scorable, tied
from attex.importance.stacked import Head, Layer, one_layer, texts_in_pieces
from attex.models.classifier import AttentionModel


@MEASURES.register("attention", cite="Bahdanau et al. 2015", needs="layers", needs_if=("layer", "head"))
@torch.no_grad()
def attention(
    model: AttentionModel,
    batch: Batch,
    *,
    layer: Annotated[Layer | None, LATER] = None,
    head: Annotated[Head | None, LATER] = None,
) -> Tensor:
    """The attention weights themselves: α_t.

    (model, batch) → [B,T], NaN where a position is not scorable. A classifier that reads a marker has
    the marker's weights in the last layer, the mean of its heads. With `layer` or `head` (from 0;
    the last layer, and the mean of all heads, unless said) it is the self-attention A of that layer, as
    the states that are read for the output pay it: Σ_i r_i A_it. There r is 1 at the marker that a
    classifier reads, or the weights α where our attention reads all states.

    Example:
        Softmax of the energies 0 and ln 3:

        >>> from math import log
        >>> from attex.importance import attention
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, log(3)], logits=[1, 2])
        >>> attention(model, batch)
        tensor([[0.2500, 0.7500]], dtype=torch.float64)
    """
    if layer is None and head is None:
        weights = model(batch).attention
        return only_scorable(by_word(tied(weights, model, weights, batch), batch), batch)

    def paid(texts: Batch, memory: int) -> Tensor:
        chosen = one_layer(model, texts, layer).weights
        of_heads = chosen.mean(dim=1) if head is None else chosen[:, head]
        return torch.einsum("bi,bij->bj", model.reading(texts), of_heads)

    return texts_in_pieces(model, batch, "attention", paid, layer, head)
