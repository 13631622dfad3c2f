"""What an importance measure is: a non-negative score for every scorable token."""

from collections.abc import Callable

from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.registry import Registry
from attex.models.classifier import AttentionModel

Measure = Callable[[AttentionModel, Batch], Tensor]
"""(model, batch) → scores [B,T] in float64, NaN where a position is not scorable."""

MEASURES: Registry[Tensor] = Registry("measure", "attex.importance")


def only_scorable(scores: Tensor, batch: Batch) -> Tensor:
    """Blank what does not count: float64, NaN off the scorable positions."""
    return scores.double().masked_fill(~batch.scorable, float("nan"))
