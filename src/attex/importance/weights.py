"""Importance read off the attention weights."""

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.importance.measure import MEASURES, by_word, only_scorable, tied
from attex.models.classifier import AttentionModel


@MEASURES.register("attention", cite="Bahdanau et al. 2015")
@torch.no_grad()
def attention(model: AttentionModel, batch: Batch) -> Tensor:
    """The attention weights themselves: α_t.

    (model, batch) → [B,T], NaN where a position is not scorable.

    Example:
        Softmax of the energies 0 and ln 3:

        >>> from math import log
        >>> from attex.importance import attention
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, log(3)], logits=[1, 2])
        >>> attention(model, batch)
        tensor([[0.2500, 0.7500]], dtype=torch.float64)
    """
    weights = model(batch).attention
    return only_scorable(by_word(tied(weights, model, weights, batch), batch), batch)
