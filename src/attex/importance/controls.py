"""Scores that say nothing of the text, to hold others against."""

from typing import Annotated

import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.draws import permutations
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel


@MEASURES.register("random", cite="Hooker et al. 2019", asks_model=False)
@torch.no_grad()
def random(
    model: AttentionModel, batch: Batch, *, seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
) -> Tensor:
    """A random order: the n tokens of a text have the scores 1/n, 2/n, … 1, shuffled.

    (model, batch) → [B,T], NaN where a position is not scorable. The draw depends on `seed`, the text
    and the position only, and neither on the model nor on the batch.

    Example:
        >>> from attex.importance import random
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 1, 2, 3], logits=[1, 2, 3, 4])
        >>> random(model, batch).sort().values
        tensor([[0.2500, 0.5000, 0.7500, 1.0000]], dtype=torch.float64)
    """
    count = batch.scored.sum(dim=1, keepdim=True)
    ranks = batch.scored.cumsum(dim=1).double() / count.clamp(min=1)
    order = permutations(batch.ids, batch.scored, 1, seed).squeeze(1)
    return only_scorable(ranks.gather(1, order), batch)
