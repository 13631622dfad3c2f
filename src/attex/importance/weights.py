"""Importance read off the attention weights."""

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel


@MEASURES.register("attention", cite="Bahdanau et al. 2015")
@torch.no_grad()
def attention(model: AttentionModel, batch: Batch) -> Tensor:
    """The attention weights themselves: α_t.

    (model, batch) → [B,T], NaN where a position is not scorable.
    """
    return only_scorable(model(batch).attention, batch)
