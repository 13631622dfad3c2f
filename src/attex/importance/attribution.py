"""What is shared out among the words of a text, where scores are absolute values of shares."""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import SPECIALS
from attex.foundations.draws import numbers
from attex.importance.explained import Explained, Target
from attex.importance.measure import MEASURES, by_word, only_scorable
from attex.models.classifier import AttentionModel

Background = Literal["padding", "words"]
"""What a text is held against, as an option: padding, or words drawn from the vocabulary."""


@dataclass(frozen=True)
class Attribution:
    """Signed values [B,T] of positions, in float64, 0 where nothing is to be explained.

    total [B] is what they share out: F(text) − F(baseline), F being the number that is explained. They
    sum to it, but for what few steps or samples miss. attention [B,T] are the weights of the texts.
    """

    values: Tensor
    total: Tensor
    attention: Tensor

    @property
    def gap(self) -> Tensor:
        """How far the values are from summing to the total: [B]."""
        return (self.values.sum(dim=1) - self.total).abs()

    def scores(self, model: AttentionModel, batch: Batch) -> Tensor:
        """Add up what the pieces of a word have, and drop the sign: [B,T], NaN where not scorable."""
        values = by_word(self._shared_alike(model.alike(self.attention, batch)), batch)
        return only_scorable(values.abs(), batch)

    def _shared_alike(self, first: Tensor) -> Tensor:
        """Give positions that the model treats the same the mean of what they have: [B,T].

        Rounding would tell them apart, and so would draws.
        """
        sums, counts = (
            torch.zeros_like(self.values).scatter_add(1, first, each)
            for each in (self.values, torch.ones_like(self.values))
        )
        return (sums / counts.clamp(min=1)).gather(1, first)


@dataclass(frozen=True)
class Whole:
    """The texts as they are: embedded [B,T,d], attention [B,T], what is explained, and its value [B]."""

    embedded: Tensor
    attention: Tensor
    explained: Explained
    value: Tensor

    @classmethod
    def of(cls, model: AttentionModel, batch: Batch, target: Target) -> "Whole":
        """Read the texts."""
        with torch.no_grad():
            trace = model(batch)
            explained = Explained.of(trace.logits, target)
            return cls(trace.embedded, trace.attention, explained, explained(trace.logits))


def completeness(
    model: AttentionModel, batch: Batch, measure: str = "integrated_gradients", **options: object
) -> Tensor:
    """Return how far a measure's signed scores are from summing to what they explain: [B].

    |Σ_t a_t − (F(text) − F(baseline))|, over all positions. 0 is complete.

    Args:
        model: the model that is asked.
        batch: the texts.
        measure: the name of a measure whose scores are absolute values of such shares.
        **options: the measure's own.

    Raises:
        ValueError: if the scores of the measure are no such shares.

    Example:
        Two nodes are exact for a polynomial of degree three; the logit of an even average is linear:

        >>> from attex.importance.attribution import completeness
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, -3])
        >>> bool(completeness(model, batch, target="logit", steps=2) < 1e-6)
        True
    """
    signed = MEASURES[measure].facts["signed"]
    if signed is None:
        raise ValueError(f"the scores of '{measure}' do not share a difference of outputs out")
    attribution: Attribution = signed(model, batch, **options)
    return attribution.gap


@torch.no_grad()
def drawn_words(model: AttentionModel, batch: Batch, draw: int, seed: int) -> Tensor:
    """Embed words drawn from the vocabulary in the place of all scorable tokens: [B,T,d].

    Each is as likely as any other. They depend on the seed, the text, the number of the draw and the
    position only; markers and padding stay as they are.
    """
    known = model.embedding.num_embeddings - len(SPECIALS)
    drawn = numbers(batch.ids, batch.scorable, 1, seed, draw).squeeze(1).remainder(known)
    tokens = (drawn + len(SPECIALS)).where(batch.scorable, batch.tokens)
    return model.embed(replace(batch, tokens=tokens))
