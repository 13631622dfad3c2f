"""Run a model over a whole split."""

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import Batcher, ordered_batches
from attex.models.classifier import AttentionModel

EVALUATION_TOKENS = 16_384
"""Padded tokens in a batch when no gradient is needed."""
EVALUATION_TOKENS_ON_GPU = 131_072
"""A GPU needs many to be worth launching."""


class Predictor:
    """Runs one model after the other over the same texts, which are cut into batches once.

    The batches stay on the device: a copy there would first wait for all work that a GPU has to do.
    """

    def __init__(self, texts: Batcher) -> None:
        on_gpu = texts.device.type == "cuda"
        tokens = EVALUATION_TOKENS_ON_GPU if on_gpu else EVALUATION_TOKENS
        order = ordered_batches(texts.lengths, tokens)
        self._batches = list(texts.batches(order))
        self._places = torch.from_numpy(np.concatenate(order))

    @torch.no_grad()
    def __call__(self, model: AttentionModel) -> Tensor:
        """Return the logits [N,O] of all texts, in their own order, on the CPU."""
        model.eval()
        logits = torch.cat([model(batch).logits for batch in self._batches]).cpu()
        return torch.empty_like(logits).index_copy_(0, self._places, logits)


def predict(model: AttentionModel, texts: Batcher) -> Tensor:
    """Return the logits [N,O] of all texts, in their own order, on the CPU."""
    return Predictor(texts)(model)
