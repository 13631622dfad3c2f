"""Scores that say nothing of the text or of the model, to hold others against."""

from typing import Annotated

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.
import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch, Batcher, ordered_batches
from attex.data.corpus import Corpus
from attex.foundations.draws import mix, permutations
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel

_TOKENS_AT_ONCE = 2**18
"""Padded tokens of training texts that are counted in one go."""

_LONGEST_WORD = 2**16
"""No word has more pieces."""


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


@MEASURES.register("mutual_information", cite="Madsen et al. 2022", asks_model=False, learns=True)
class MutualInformation:
    """How much a word tells of the label: Σ_c P(c) I(word is there; label is c), in nats.

    corpus → (model, batch) → [B,T], NaN where a position is not scorable; the model is not asked, and a
    word has one score wherever it stands. Counted are training texts, by the words in them, however
    often; queries are not. To each class comes one text with all words, so that no count is 0. With two
    classes it is I(word is there; label). Words as the model sees them: all that it does not know are
    one, and a word in pieces is the row of its pieces.

    Example:
        Of two words the first stands in all texts of one class and in no other, the second in all:

        >>> import torch
        >>> from attex.data.corpus import Corpus
        >>> from attex.data.split import Split
        >>> from attex.importance import mutual_information
        >>> from attex.testing import model_by_hand
        >>> words, starts = torch.tensor([4, 5, 5]), torch.tensor([0, 2, 3])
        >>> split = Split(words, starts, torch.tensor([1, 0]), torch.arange(2), ["a", "b"], None)
        >>> lexicon = ["<pad>", "<unk>", "<s>", "</s>", "good", "the"]
        >>> corpus = Corpus(lexicon, 6, ["no", "yes"], {"train": split}, {}, markers=False)
        >>> mutual_information(corpus)(*model_by_hand(energies=[0, 0], logits=[0, 0]))
        tensor([[0.2158, 0.0000]], dtype=torch.float64)
    """

    def __init__(self, corpus: Corpus) -> None:
        texts = Batcher(corpus, "train")
        labels = corpus.splits["train"].labels.numpy()
        pairs = [
            _words_of_texts(texts.batch(chosen), chosen)
            for chosen in ordered_batches(texts.lengths, _TOKENS_AT_ONCE)
        ]
        words, of_text = np.unique(np.concatenate(pairs), axis=0).T
        known, number = np.unique(words, return_inverse=True)
        classes = len(corpus.classes)
        counts = np.zeros((len(known) + 1, classes))
        np.add.at(counts, (number, labels[of_text]), 1.0)
        totals = np.bincount(labels, minlength=classes) + 1.0
        # The last row is of words that no training text has.
        self._information = torch.from_numpy(_information(counts + 1.0, totals))
        self._known = torch.from_numpy(known)

    def __call__(self, model: AttentionModel, batch: Batch) -> Tensor:
        """Look the words up."""
        words, known = _words(batch), self._known.to(batch.tokens.device)
        place = torch.searchsorted(known, words).clamp(max=len(known) - 1)
        row = place.where(known[place] == words, len(known))
        return only_scorable(self._information.to(row.device)[row], batch)


def _words(batch: Batch) -> Tensor:
    """Number the word that every position is of: [B,T]; one that is cut into pieces by all of them."""
    if batch.word is None:
        return batch.tokens
    place = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    begins = place.where(batch.scored, 0).cummax(dim=1).values
    pieces = mix(batch.tokens * _LONGEST_WORD + place - begins + 1) * batch.scorable
    number = batch.word.clamp(min=0)
    return torch.zeros_like(pieces).scatter_add(1, number, pieces).gather(1, number)


def _words_of_texts(batch: Batch, texts: np.ndarray) -> np.ndarray:
    """Pair the words that are scored with the numbers of their texts: [n,2]."""
    row, place = batch.scored.nonzero(as_tuple=True)
    return np.stack([_words(batch)[row, place].numpy(), texts[row.numpy()]], axis=1)


def _information(counts: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Σ_c P(c) I(word; c), from texts of each class with the word [V,C] and of each class [C]."""
    everything = totals.sum()
    having = counts.sum(axis=1, keepdims=True)
    cells = (
        (counts, having, totals),
        (having - counts, having, everything - totals),
        (totals - counts, everything - having, totals),
        (everything - totals - having + counts, everything - having, everything - totals),
    )
    # Where a cell is empty it adds nothing.
    each = [
        scipy.special.xlogy(both / everything, both * everything / np.maximum(word * label, 1.0))
        for both, word, label in cells
    ]
    information: np.ndarray = np.maximum(sum(each) @ (totals / everything), 0.0)
    return information
