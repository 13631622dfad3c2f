"""Whether a measure that samples, or goes in steps, has taken enough of them."""

from typing import Any

from torch import Tensor

from attex.agreement.kendall import kendall_tau
from attex.data.batch import Batch
from attex.importance.measure import MEASURES, halved
from attex.models.classifier import AttentionModel


def rank_agreement_at_half(
    measure: Any, model: AttentionModel, batch: Batch, scores: Tensor | None = None
) -> Tensor | None:
    """Compare a measure's scores with those of half the samples: Kendall's τ-b of every text, [B].

    Draws are numbered, so that half of the samples are the first half. 1 means that the other half did
    not change the order of any two words. NaN where τ is undefined; None for a measure that has nothing
    to halve.

    Args:
        measure: the name of a measure, an object with its `type` and options, or a spec.
        model: the model that is asked.
        batch: the texts.
        scores: those with all samples [B,T], where they are known already.

    Example:
        Attention takes no samples:

        >>> from attex.agreement.convergence import rank_agreement_at_half
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 1, 2], logits=[1, 2, 3])
        >>> rank_agreement_at_half("attention", model, batch) is None
        True
    """
    whole = MEASURES.spec(measure)
    half = halved(whole)
    if half is None:
        return None
    known = MEASURES.bind(whole)(model, batch) if scores is None else scores
    fewer = MEASURES.bind(half)(model, batch)
    return kendall_tau(known, fewer, batch.scored).value
