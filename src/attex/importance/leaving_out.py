"""Importance by taking a token, or its hidden state, away."""

from collections.abc import Iterable
from typing import Annotated

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.foundations.memory import Budget, backing_off, budget_on
from attex.foundations.registry import RUNTIME
from attex.importance.makings import Makings, of_one_word
from attex.importance.measure import MEASURES
from attex.importance.word_deletion import without_each_word, without_states_of_each_word
from attex.models.alike import themselves
from attex.models.classifier import AttentionModel
from attex.models.decoder import Readout
from attex.models.encoder import Deletions, Encoded, drop_each

_WORKING_COPIES = 8
"""What a projection makes on its way (sorted, summed up, masked), in copies of its energies."""

_ROUNDING = 1000
"""Units in the last place that a sum over a text may be off by."""


@MEASURES.register("leave_one_out", cite="Jain & Wallace 2019, Alg. 1", version=2, growth=2)
@torch.no_grad()
def leave_one_out(
    model: AttentionModel, batch: Batch, *, budget: Annotated[Budget | None, RUNTIME] = None
) -> Tensor:
    """The change of the output when the token is deleted: TVD(ŷ(x without t), ŷ(x)).

    (model, batch) → [B,T], NaN where a position is not scorable. The sequence closes up where
    the token was. Undefined (NaN) for a text of one token. Tokens whose deletion leaves the same text
    have one score to the bit (equal tokens side by side; all equal tokens where the model does not know
    of an order), and so have those that leave the same states with weight: exactly 0 if these are what
    the output is made of anyway. Where models read pieces, all pieces of a word go at once. `budget` is
    the memory in bytes that a chunk of variants may take (by default what suits the device, halved where
    that is too much); it changes nothing else.

    Example:
        The output is σ(½ · 2 ln 3) = 0.75. Without the first word it is σ(2 ln 3) = 0.9, without
        the second σ(0) = 0.5:

        >>> from math import log
        >>> from attex.importance import leave_one_out
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0, 2 * log(3)])
        >>> leave_one_out(model, batch)
        tensor([[0.1500, 0.2500]], dtype=torch.float64)
    """
    if batch.word is not None:
        return without_each_word(model, batch, budget)
    embedded = model.embed(batch)
    hidden = model.encode(embedded, batch)
    asked = model.ask(batch)
    energies = model.score(hidden, batch, asked)
    attention = model.weigh(energies, batch)
    first = model.alike_without(attention, batch)
    deleted = _to_delete(batch, first)
    texts = Encoded(embedded, hidden, batch.mask, deleted)
    reads = model.reads(batch, asked)
    readout = model.readout(hidden, batch, asked)
    one_word = of_one_word(model, batch, attention, deleted)

    def changes(memory: int) -> Tensor:
        deletions = model.encoder.without_each(texts, reads, memory)
        makings = Makings(model, batch, (energies, readout.values), attention, one_word)
        scores = _changes(model, batch, readout, attention, deletions, makings)
        return makings.tie(scores, _rounding(readout.values))

    return backing_off(changes, budget or budget_on(hidden.device)).gather(1, first)


@MEASURES.register(
    "leave_one_out[hidden]",
    aliases=("leave_one_out_hidden",),
    cite="Meister et al. 2021, eq. 6",
    over="hidden",
    counterpart="leave_one_out",
    growth=2,
)
@torch.no_grad()
def leave_one_out_hidden(
    model: AttentionModel, batch: Batch, *, budget: Annotated[Budget | None, RUNTIME] = None
) -> Tensor:
    """The change of the output when the hidden state is dropped: TVD(ŷ(h without h_t), ŷ(h)).

    (model, batch) → [B,T], NaN where a position is not scorable. The other states stay as they were
    and their energies are projected again. Undefined (NaN) for a text of one token. Exactly 0 for a
    state without weight, unless the others' weights depend on it. Equal tokens have one score to the
    bit where the model does not know of an order. `budget` as for `leave_one_out`.
    """
    if batch.word is not None:
        return without_states_of_each_word(model, batch, budget)
    hidden = model.encode(model.embed(batch), batch)
    # A state of small weight changes the logit by less than float32 can tell.
    asked = model.ask(batch)
    energies = model.score(hidden, batch, asked).double()
    readout = model.readout(hidden, batch, asked).precise()
    attention = model.weigh(energies, batch)
    first = model.alike(attention, batch)
    deleted = _to_delete(batch, first)

    def dropped(memory: int) -> Tensor:
        each = drop_each(deleted, (energies, readout.values), memory // _WORKING_COPIES)
        return _changes(model, batch, readout, attention, each)

    changes = backing_off(dropped, budget or budget_on(hidden.device)).gather(1, first)
    # Rounding would tell states apart that sparse attention leaves tied at 0.
    still = (attention == 0) | of_one_word(model, batch, attention, deleted)[:, None]
    return changes.masked_fill(still & (changes < _rounding(readout.values)), 0.0)


def _to_delete(batch: Batch, first: Tensor) -> Tensor:
    """Mark what is deleted [B,T]: in texts of several tokens, the first of those that are alike."""
    several = batch.scorable.sum(dim=1, keepdim=True) > 1
    return batch.scorable & several & (first == themselves(first))


def _changes(
    model: AttentionModel,
    batch: Batch,
    readout: Readout,
    attention: Tensor,
    deletions: Iterable[Deletions],
    makings: Makings | None = None,
) -> Tensor:
    """Compare the output of each variant with that of its whole text: [B,T], NaN where there is none.

    attention [B,T] are the weights of the whole texts, and `readout` is what the decoder reads of them;
    the variants come with the reads of the attention and of the decoder. `makings` takes note of what
    each is made of.
    """
    whole = readout.decode(attention)
    scores = torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64, device=whole.device)
    for variants in deletions:
        energies, values = variants.reads
        weights = model.weigh_without(attention, energies, variants, batch)
        logits = readout.of(variants.texts, values).decode(weights)
        change = total_variation(logits, whole[variants.texts])
        scores[variants.texts, variants.positions] = change
        if makings is not None:
            makings.note(variants, weights)
    return scores


def _rounding(values: Tensor) -> float:
    """How far rounding may move a sum of such numbers over a text, of about 1."""
    return _ROUNDING * torch.finfo(values.dtype).eps
