"""Models under the attention of another model, which guides them."""

from collections.abc import Callable

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.draws import mix
from attex.models.classifier import AttentionModel
from attex.models.imposed import ImposedAttention
from attex.models.projections.dense import imposed


def in_second_half(ids: Tensor) -> Tensor:
    """Say of every text whether it is in the second of two halves, by a hash of its id: [B] → [B]."""
    return mix(ids).bitwise_and(1).bool()


class GuidedAttention(ImposedAttention):
    """α′ = the attention that the guide pays to the text (Wiegreffe & Pinter 2019, §3.3)."""

    def __init__(self, base: AttentionModel, guide: AttentionModel) -> None:
        super().__init__(base)
        # A method and not the module, which would be listed, and trained, with the model's own.
        self._guide = guide.forward

    def impose(self, batch: Batch) -> Tensor:
        """Ask the guide."""
        return self._guide(batch).attention


class CrossFitAttention(ImposedAttention):
    """α′ = the attention of a guide that was not trained on the text.

    Of two guides each was trained on one half of the training texts; a text is shown to the guide of the
    half that it is not in. Texts of other splits belong to a half, too, and neither guide knows them.
    """

    def __init__(self, base: AttentionModel, first: AttentionModel, second: AttentionModel) -> None:
        super().__init__(base)
        self._of_first, self._of_second = first.forward, second.forward

    def impose(self, batch: Batch) -> Tensor:
        """Ask both, and take the one that does not know the text."""
        first, second = (guide(batch).attention for guide in (self._of_first, self._of_second))
        return first.where(in_second_half(batch.ids)[:, None], second)


class HeldAttention(ImposedAttention):
    """α′ = what another imposed attention gives, looked up where that was computed before."""

    def __init__(self, base: ImposedAttention, held: Callable[[Batch], Tensor]) -> None:
        super().__init__(base)
        self._held = held

    def impose(self, batch: Batch) -> Tensor:
        """Look the texts up."""
        return self._held(batch)


class WordAttention(ImposedAttention):
    """α′_t ∝ a weight of the word x_t, whatever stands around it.

    word_weights [V] are saved with the weights of the model: they were made of training texts.
    """

    word_weights: Tensor

    def __init__(self, base: AttentionModel) -> None:
        super().__init__(base)
        vectors = base.embedding.weight
        self.register_buffer("word_weights", vectors.new_ones(len(vectors)))

    def impose(self, batch: Batch) -> Tensor:
        """Look the words up."""
        return imposed(self.word_weights[batch.tokens], batch.scorable)

    def _lasting(self, attention: Tensor) -> None:
        """Equal words have equal weights, but for rounding."""


@torch.no_grad()
def mean_of_words(words: Tensor, weights: Tensor, size: int) -> Tensor:
    """Average weights by word: words [N], weights [N] → [V]; a word not among them has the mean of all.

    Example:
        >>> import torch
        >>> from attex.models.guided import mean_of_words
        >>> mean_of_words(torch.tensor([0, 0, 2]), torch.tensor([0.2, 0.4, 0.9]), size=3)
        tensor([0.3000, 0.5000, 0.9000])
    """
    sums = weights.new_zeros(size).index_add_(0, words, weights)
    counts = weights.new_zeros(size).index_add_(0, words, torch.ones_like(weights))
    return (sums / counts.clamp(min=1)).where(counts > 0, weights.mean())
