"""Run a model over a whole split."""

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import Batcher, ordered_batches
from attex.models.classifier import AttentionModel

EVALUATION_TOKENS = 16_384
"""Padded tokens in a batch when no gradient is needed."""


@torch.no_grad()
def predict(model: AttentionModel, texts: Batcher) -> Tensor:
    """Return the logits [N,O] of all texts, in their own order, on the CPU."""
    model.eval()
    order = ordered_batches(texts.lengths, EVALUATION_TOKENS)
    logits = torch.cat([model(batch).logits for batch in texts.batches(order)]).cpu()
    return torch.empty_like(logits).index_copy_(0, torch.from_numpy(np.concatenate(order)), logits)
