"""Models under an attention that is imposed on them in place of their own."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.draws import permutations
from attex.models.classifier import AttentionModel
from attex.models.encoder import Deletions
from attex.models.projections.dense import imposed, softmax


class ImposedAttention(AttentionModel, ABC):
    """A model whose weights α′ are given; every other step is the base's, its modules shared.

    α′ belongs to the text: it is constant under any change of embeddings or hidden states, so that no
    gradient passes it, and the tokens that are left when one is deleted keep their weights, brought
    back to the same sum. The energies of a trace are still those of the base.
    """

    def __init__(self, base: AttentionModel) -> None:
        super().__init__(base.embedding, base.encoder, base.attention, base.decoder, base.query)
        self.training = base.training

    @abstractmethod
    def impose(self, batch: Batch) -> Tensor:
        """Give the weights of every text: [B,T], a distribution over the scorable positions."""

    def weigh(self, energies: Tensor, batch: Batch) -> Tensor:
        """Impose the weights, whatever the energies."""
        with torch.no_grad():
            return self.impose(batch).to(energies.dtype)

    def weigh_without(
        self, attention: Tensor, energies: Tensor, variants: Deletions, batch: Batch
    ) -> Tensor:
        """Leave the other tokens their weights, in proportion."""
        remaining = variants.remaining(batch.scorable)
        # To the sum of the whole text: rounding has made it 1 ± 1e-7, and a change to 1 would show.
        total = attention.sum(dim=1, keepdim=True)[variants.texts]
        return total * imposed(variants.placed(attention), remaining)

    def weigh_shortened(self, attention: Tensor, energies: Tensor, batch: Batch) -> Tensor:
        """Leave the remaining positions their weights, in proportion."""
        return imposed(attention, batch.scorable)

    def alike_without(self, attention: Tensor, batch: Batch) -> Tensor:
        """Return the first position whose deletion leaves the same: [B,T].

        Of two words the one that is left has all the weight, whichever it had.
        """
        several = batch.scorable.sum(dim=1, keepdim=True) > 2
        return super().alike_without(attention * several, batch)

    def _lasting(self, attention: Tensor) -> Tensor | None:
        """Equal words can have different weights."""
        return attention


class PermutedAttention(ImposedAttention):
    """α′ = the base's own α of the whole text, shuffled over its scorable positions.

    The control of built-in agreement: what τ(α′, g(α′)) is with weights that mean nothing.
    One permutation for each text and `seed`, the same in any batch.
    """

    def __init__(self, base: AttentionModel, seed: int) -> None:
        super().__init__(base)
        self.seed = seed
        # Methods and not the module, which would be listed with all its parameters a second time.
        self._trace, self._alike_in_base = base.forward, base.alike

    def impose(self, batch: Batch) -> Tensor:
        """Shuffle the base's attention."""
        order = permutations(batch.ids, batch.scorable, 1, self.seed).squeeze(1)
        attention = self._trace(batch).attention
        return attention.gather(1, self._alike_in_base(attention, batch)).gather(1, order)


class LogOddsAttention(ImposedAttention):
    """α′_t ∝ exp(|w(x_t)| / temperature): words that alone say much of the class have the weight.

    log_odds [V] is a w for every word of the vocabulary (Jain & Wallace 2019, released code, which
    leaves stop words without any weight; here they are words like others). Unknown words have w = 0.
    """

    strengths: Tensor

    def __init__(self, base: AttentionModel, log_odds: Tensor, temperature: float = 1.0) -> None:
        super().__init__(base)
        self.register_buffer("strengths", log_odds.abs() / temperature, persistent=False)

    def impose(self, batch: Batch) -> Tensor:
        """Look the words up."""
        return softmax(self.strengths[batch.tokens], batch.scorable)

    def _lasting(self, attention: Tensor) -> None:
        """Equal words have equal weights, but for rounding."""
