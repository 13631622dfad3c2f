"""Texts in pieces less each of their words, in batches under a budget of memory."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.foundations.draws import mix
from attex.foundations.memory import backing_off, budget_on, spans
from attex.foundations.progress import steps
from attex.importance.measure import by_word
from attex.models.alike import first_of_run, themselves
from attex.models.classifier import AttentionModel, Trace

_WORKING_COPIES = 8
"""What a projection makes on its way (sorted, summed up, masked), in copies of its energies."""
_ROUNDING = 1000
"""Units in the last place that a sum over a text may be off by."""
_WIDTH_STEP = 8
"""Shortened texts whose lengths are as close as this are worked on together."""


@torch.no_grad()
def without_each_word(model: AttentionModel, batch: Batch, budget: int | None) -> Tensor:
    """Return TVD(ŷ(x without the word), ŷ(x)) at the first piece of each word: [B,T], else NaN.

    All pieces of the word go, and the text closes up: what is left is how the text without the word
    would have been cut. Words whose deletion leaves the same text have one score to the bit. Undefined
    for a text of one word.
    """
    trace: Trace = model(batch)
    first = _first_alike(batch)
    texts, places = (_to_delete(batch) & (first == themselves(first))).nonzero(as_tuple=True)

    def changes(memory: int) -> Tensor:
        scores = torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64, device=texts.device)
        for rows in steps([*_by_length(batch, model, trace.embedded, texts, places, memory)]):
            text, place = texts[rows], places[rows]
            whole = batch.take(text)
            kept = whole.mask & (_word(whole) != _word(batch)[text, place][:, None])
            logits = _outputs(model, whole, kept, trace.attention[text])
            scores[text, place] = total_variation(logits, trace.logits[text])
        return scores

    return backing_off(changes, budget or budget_on(trace.logits.device)).gather(1, first)


@torch.no_grad()
def without_states_of_each_word(model: AttentionModel, batch: Batch, budget: int | None) -> Tensor:
    """Return TVD(ŷ(h without the word's states), ŷ(h)) at the first piece of each word: [B,T], else NaN.

    The states of all pieces of the word are dropped; the others stay as they were, and their energies
    are projected again. Exactly 0 for a word without weight, unless the others' weights depend on it.
    """
    hidden = model.encode(model.embed(batch), batch)
    # A state of small weight changes the logit by less than float32 can tell.
    energies = model.score(hidden, batch).double()
    readout = model.readout(hidden, batch).precise()
    attention = model.weigh(energies, batch)
    whole = readout.decode(attention)
    rounding = _ROUNDING * torch.finfo(readout.values.dtype).eps
    texts, places = _to_delete(batch).nonzero(as_tuple=True)

    def changes(memory: int) -> Tensor:
        scores = torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64, device=texts.device)
        each = readout.values[0].numel() * readout.values.element_size()
        each += energies[0].numel() * energies.element_size() * _WORKING_COPIES
        for span in steps(spans(len(texts), each, memory)):
            text, place = texts[span], places[span]
            left = batch.take(text)
            gone = _word(left) == _word(batch)[text, place][:, None]
            left = replace(left, scorable=left.scorable & ~gone)
            weights = model.weigh_shortened(attention[text], energies[text], left)
            logits = readout.of(text, readout.values[text]).decode(weights)
            change = total_variation(logits, whole[text])
            # Rounding would tell words apart that sparse attention leaves tied at 0.
            idle = ((attention[text] == 0) | ~gone).all(dim=1) & (change < rounding)
            scores[text, place] = change.masked_fill(idle, 0.0)
        return scores

    return backing_off(changes, budget or budget_on(hidden.device))


def _word(batch: Batch) -> Tensor:
    assert batch.word is not None
    return batch.word


def _to_delete(batch: Batch) -> Tensor:
    """Mark the first piece of every word [B,T], of texts that have several."""
    return batch.scored & (batch.scored.sum(dim=1, keepdim=True) > 1)


def _outputs(model: AttentionModel, batch: Batch, kept: Tensor, attention: Tensor) -> Tensor:
    """Return the logits [R,O] of texts of which a part is kept; attention [R,T] is of the whole."""
    shortened = batch.keeping(kept)
    if not model.has_readout:
        logits: Tensor = model(shortened).logits
        return logits
    order, _ = batch.closing_up(kept)
    hidden = model.encode(model.embed(shortened), shortened)
    energies = model.score(hidden, shortened)
    weights = model.weigh_shortened(attention.gather(1, order), energies, shortened)
    return model.decode(hidden, weights, shortened)


def _by_length(
    batch: Batch, model: AttentionModel, embedded: Tensor, texts: Tensor, places: Tensor, budget: int
) -> Iterator[Tensor]:
    """Cut the deletions into pieces of texts of like length, each under the budget: rows [r] each."""
    lengths = batch.mask.sum(dim=1)[texts]
    order = lengths.argsort(stable=True)
    ordered = lengths[order].cpu().numpy()
    start = 0
    while start < len(ordered):
        # The piece ends where texts are longer by a step, so that little of it is padding.
        widest = int(ordered[start]) + _WIDTH_STEP
        each = model.encoder.bytes_for(embedded[:, : min(widest, embedded.shape[1])])
        end = min(int(np.searchsorted(ordered, widest)), start + max(1, budget // each))
        yield order[start:end]
        start = end


def _first_alike(batch: Batch) -> Tensor:
    """Return for each position the first whose word's deletion leaves the same text: [B,T].

    Of words side by side that are the same, piece by piece, it does not matter which is gone.
    """
    place = themselves(batch.scored)
    within = place - (place * batch.scored).cummax(dim=1).values
    # A number of all pieces of a word, in their order: no two words are likely to share one.
    signs = mix(mix(batch.tokens) + within + 1) * batch.scorable
    segment = 0 if batch.segment is None else batch.segment
    of_word = by_word(signs, batch) * 2 + segment
    order = (~batch.scored).long().argsort(dim=1, stable=True)
    run = first_of_run(batch.scored.gather(1, order), of_word.gather(1, order))
    return torch.empty_like(order).scatter(1, order, order.gather(1, run))
