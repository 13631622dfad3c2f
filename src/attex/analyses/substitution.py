"""Texts with some of their words overwritten by others."""

from dataclasses import replace

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import SPECIALS
from attex.foundations.draws import highest_first, numbers

_SEED = 0


def strongest_words(log_odds: Tensor, count: int) -> Tensor:
    """Return the words that speak most for either of two classes, the strongest first: [V] → [2,count].

    log_odds are for the second class; tied words come in the order of the vocabulary.
    """
    words = log_odds[len(SPECIALS) :]
    ranked = [side.argsort(stable=True)[:count] for side in (words, -words)]
    return torch.stack(ranked) + len(SPECIALS)


def overwritten(batch: Batch, weights: Tensor, words: Tensor) -> Batch:
    """Overwrite the scorable positions of largest weight: weights [B,T] ≥ 0, words [B,k] → a batch.

    The first word goes to the largest weight, and so on; a text of n < k tokens takes n words. Tied
    weights, as the zeros of sparse attention, are ordered by a draw of the text's own, so that weights
    which are all the same choose k positions at random.
    """
    drawn = numbers(batch.ids, batch.scorable, 1, _SEED).squeeze(1).argsort(dim=1)
    places = highest_first(weights, batch.scorable, drawn)[:, : words.shape[1]]
    kept = batch.tokens.gather(1, places)
    written = words[:, : places.shape[1]].where(batch.scorable.gather(1, places), kept)
    return replace(batch, tokens=batch.tokens.scatter(1, places, written))
