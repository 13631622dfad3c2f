"""What an output is made of: texts that are made of the same have one output, whatever rounding does."""

from functools import cached_property

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.draws import mix
from attex.models.alike import first_equal, themselves
from attex.models.classifier import AttentionModel
from attex.models.encoder import Deletions

_ONE_WORD = 0
"""The number of all that is made of the one word that the whole text is made of."""

_EXACT_BITS = 53
"""Whole numbers of so many bits are exact in float64, and so are sums that stay below."""


class Makings:
    """Numbers the states that have weight, of whole texts and of their variants with a position gone.

    Two of one text with the same number have the same output in exact arithmetic: they are made of the
    same states of the whole text, and of those alone. Of the whole texts are `states`, their energies
    [B,T] and values [B,T,r], and attention [B,T]; one_word [B] as `of_one_word` has it.
    """

    def __init__(
        self,
        model: AttentionModel,
        batch: Batch,
        states: tuple[Tensor, Tensor],
        attention: Tensor,
        one_word: Tensor,
    ) -> None:
        self._tokens, self._attention, self._one_word = batch.tokens, attention, one_word
        # The states of a position-wise encoder need not be compared: no deletion changes any.
        self._states = None if model.encoder.position_wise else states
        self._left = batch.scorable.sum(dim=1) - 1
        self._numbers: Tensor | None = None

    def note(self, variants: Deletions, weights: Tensor) -> None:
        """Number variants by the weights [R,…] of what is left of them."""
        texts = variants.texts
        # Signs are added several times as fast as true and false.
        weighted = weights.sign()
        # Where all that is left has weight, no other variant is made of the same.
        chosen = (weighted.sum(dim=1) < self._left[texts]) | self._one_word[texts]
        if self._states is not None and chosen.any():
            chosen &= _same_states(variants, weighted == 0, self._states)
        if not chosen.any():
            return
        if self._numbers is None:
            # Below 0 is a variant like no other.
            self._numbers = (-1 - themselves(self._tokens)).double()
        places = variants.placed(self._places) if variants.closed else self._places[:1]
        numbers = (weighted.double() * places).sum(dim=1)
        if self._one_word.any():
            word = _heaviest(self._tokens, self._attention)[texts]
            still = ((weighted == 0) | (variants.placed(self._tokens) == word)).all(dim=1)
            numbers = numbers.masked_fill(self._one_word[texts] & still, _ONE_WORD)
        own = self._numbers[texts, variants.positions]
        self._numbers[texts, variants.positions] = numbers.where(chosen, own)

    def tie(self, changes: Tensor, rounding: float) -> Tensor:
        """Give variants of one text that are made of the same one change, and 0 if the whole is: [B,T].

        What differs by more than `rounding` is left: weights may depend on states that have none.
        """
        if self._numbers is None:
            return changes
        whole = (self._attention.sign().double() * self._places).sum(dim=1)
        whole = whole.masked_fill(self._one_word, _ONE_WORD)
        common = changes.gather(1, first_equal(self._numbers))
        common = common.masked_fill(self._numbers == whole[:, None], 0.0)
        return common.where((common - changes).abs() <= rounding, changes)

    @cached_property
    def _places(self) -> Tensor:
        """Numbers [B,T] for positions, such that no two sets of them are likely to have one sum."""
        spare = self._tokens.shape[1].bit_length()
        # Counted from 1, since 0 stays 0 when mixed: weight at the first position would not show.
        numbers = mix(themselves(self._tokens) + 1) & ((1 << (_EXACT_BITS - spare)) - 1)
        return numbers.double()


def of_one_word(model: AttentionModel, batch: Batch, attention: Tensor, deleted: Tensor) -> Tensor:
    """Mark texts [B] that are one state to the decoder: all weight is on one word, however often.

    That can be where a state depends on its own word only. Where `deleted` [B,T] has one position of a
    text there is nothing to be tied with, and it is not marked.
    """
    if not model.encoder.position_wise:
        return torch.zeros_like(deleted[:, 0])
    on_it = (attention == 0) | (batch.tokens == _heaviest(batch.tokens, attention))
    return on_it.all(dim=1) & (deleted.sum(dim=1) > 1)


def _same_states(variants: Deletions, idle: Tensor, whole: tuple[Tensor, Tensor]) -> Tensor:
    """Mark variants [R] whose weighted states are read as they are in the whole text."""
    energies, values = (variants.placed(state) for state in whole)
    same = (variants.reads[0] == energies) & (variants.reads[1] == values).all(dim=-1)
    return (same | idle).all(dim=1)


def _heaviest(tokens: Tensor, attention: Tensor) -> Tensor:
    """Return the word of most weight in every text: [B,1]."""
    return tokens.gather(1, attention.argmax(dim=1, keepdim=True))
