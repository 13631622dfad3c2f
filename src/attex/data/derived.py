"""Corpora made from another corpus and what was computed on it."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor

from attex.data.batch import ordered_batches
from attex.data.corpus import UNKNOWN, Corpus
from attex.data.ragged import pad
from attex.data.split import Split
from attex.foundations.draws import highest_first, permutations

_SEED = 2022
_TOKENS_AT_ONCE = 65_536


def masked(corpus: Corpus, scores: Mapping[str, Tensor], share: float) -> Corpus:
    """Replace the top ⌈share·n⌉ of every text's n tokens by `<unk>` (Hooker et al. 2019, ROAR).

    scores has the importance of every token of every split, flat, in the order of the corpus and in
    float64. Ties are broken by a draw of the text's own; NaN counts as lowest. A token that is masked
    already counts as highest, so that texts can be masked step by step, by new scores each time, with
    ⌈share·n⌉ tokens masked after each step. Names, labels, ids and truth stay, and so do the facts but
    for a new one, `masked`: the share, and the number of masked tokens in each split.
    """
    marks = {name: _top(part, scores[name], share) for name, part in corpus.splits.items()}
    splits = {
        name: replace(part, words=part.words.masked_fill(marks[name], UNKNOWN))
        for name, part in corpus.splits.items()
    }
    tokens = {name: int(mark.sum()) for name, mark in marks.items()}
    facts = corpus.facts | {"masked": {"share": share, "tokens": tokens}}
    return replace(corpus, splits=splits, facts=facts)


def shortened(texts: Split, gone: Tensor) -> Split:
    """Delete the tokens that are marked, flat [tokens]; a text of nothing else stays as it is.

    Names, labels and ids stay; marks of other kinds go with their tokens.
    """
    starts = texts.starts.tolist()
    kept = ~gone
    for first, last in pairwise(starts):
        if not kept[first:last].any():
            kept[first:last] = True
    counts = torch.cat([torch.zeros(1, dtype=torch.int64), kept.cumsum(0)])
    return replace(
        texts,
        words=texts.words[kept],
        starts=counts[texts.starts],
        truth=None if texts.truth is None else texts.truth[kept],
        impermissible=None if texts.impermissible is None else texts.impermissible[kept],
    )


def _top(texts: Split, scores: Tensor, share: float) -> Tensor:
    """Mark the top tokens of all texts, flat."""
    if scores.shape != texts.words.shape:
        raise ValueError(f"{len(scores)} scores for {len(texts.words)} tokens")
    # Infinities become finite, so that what is masked already lies above everything.
    keys = scores.nan_to_num(nan=torch.finfo(scores.dtype).min)
    keys = keys.masked_fill(texts.words == UNKNOWN, torch.inf)
    # Less a hair: 0.2 · 5 must not round up to 2.
    counts = (texts.lengths.double() * share - 1e-9).ceil()
    marks = torch.zeros_like(texts.words, dtype=torch.bool)
    for chosen in ordered_batches(texts.lengths.numpy(), _TOKENS_AT_ONCE):
        side_by_side, mask = pad(keys, texts.starts, chosen)
        rows = torch.from_numpy(chosen)
        shuffled = permutations(texts.ids[rows], mask, 1, _SEED)[:, 0]
        order = highest_first(side_by_side, mask, shuffled)
        top = torch.arange(mask.shape[1]) < counts[rows, None]
        marks[(texts.starts[rows, None] + order)[top]] = True
    return marks
