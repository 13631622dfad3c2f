"""What counterfactual analyses need of a model: every text read once, hidden states left behind."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import ANALYSED, Subject
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.foundations.memory import sharers
from attex.foundations.progress import track
from attex.models.classifier import AttentionModel
from attex.models.decoder import Readout

_PADDED_TOKENS = {"cpu": 32_768, "cuda": 393_216}
"""In a batch; where others use the GPU, too, a part of that."""


@dataclass(frozen=True)
class Reading:
    """Some texts: their numbers in the split, ids [B], mask [B,T], readout and attention [B,T].

    Position 0 is the first word: markers are left out, so that flat scores side by side lie beside it,
    where positions are words. Attention is in float64, and so are the readout's values where its head
    can take that.
    """

    texts: np.ndarray
    ids: Tensor
    mask: Tensor
    readout: Readout
    attention: Tensor

    def beside(self, flat: Tensor, subject: Subject) -> Tensor:
        """Lay flat scores of all texts beside the attention: [B,T], 0 off the mask."""
        values, mask = subject.texts.side_by_side(flat, self.texts)
        return values.where(mask, 0.0).to(self.attention.device)


@torch.no_grad()
def readings(subject: Subject, what: str = "reading", *, by_word: bool = False) -> Iterator[Reading]:
    """Read all analysed texts in few batches, by length; `what` is done with them is told.

    Positions are those of the model: words, or the pieces of words. With `by_word` they are words.
    """
    model = subject.load()
    texts = Batcher(subject.corpus, ANALYSED, subject.device)
    tokens = _PADDED_TOKENS[subject.device.type] // sharers()
    batches = ordered_batches(texts.lengths, tokens, texts.asked)
    sizes = padded_sizes(texts.lengths, batches)
    margin = int(subject.corpus.markers)
    for chosen in track(batches, what, len(batches), sizes):
        batch = texts.batch(chosen)
        if batch.word is not None and by_word:
            yield words_read(model, batch, chosen, int(texts.words[chosen].max()))
            continue
        whole = _read(model, batch, chosen)
        within = slice(margin, batch.tokens.shape[1] - margin)
        yield _at(whole, within if batch.word is None else batch.closing_up(batch.scorable)[0])


def _read(model: AttentionModel, batch: Batch, texts: np.ndarray) -> Reading:
    """Read a batch, all of its positions."""
    hidden, asked = model.encode(model.embed(batch), batch), model.ask(batch)
    attention = model.attend(hidden, batch, asked).double()
    readout = model.readout(hidden, batch, asked).precise()
    return Reading(texts, batch.ids, batch.scorable, readout, attention)


def _at(whole: Reading, places: slice | Tensor) -> Reading:
    """Take some positions of a reading: the same of all texts, or [B,T′]."""

    def taken(values: Tensor) -> Tensor:
        if isinstance(places, slice):
            return values[:, places]
        return values[torch.arange(len(values), device=values.device)[:, None], places]

    readout = replace(whole.readout, values=taken(whole.readout.values))
    return replace(whole, mask=taken(whole.mask), readout=readout, attention=taken(whole.attention))


@torch.no_grad()
def words_read(model: AttentionModel, batch: Batch, texts: np.ndarray, words: int) -> Reading:
    """Read a batch of pieces, and put those of each word together, for texts of up to so many words.

    α_w = Σ α and v_w = Σ α v / α_w, so that no output changes; nor does one where words lose all of
    their weight, or some of it, in proportion. A word without weight has the mean of its values.
    """
    pieces = _read(model, batch, texts)
    values = pieces.readout.values
    weights = pieces.attention.to(values.dtype) * pieces.mask

    def summed(of_pieces: Tensor) -> Tensor:
        index = batch.numbers.view(*batch.numbers.shape, *[1] * (of_pieces.dim() - 2))
        laid = of_pieces.new_zeros(len(batch), words, *of_pieces.shape[2:])
        return laid.scatter_add(1, index.expand_as(of_pieces), of_pieces)

    counted = pieces.mask.to(values.dtype)
    attention, count = summed(weights)[..., None], summed(counted)[..., None]
    means = summed(counted[..., None] * values) / count.clamp(min=1)
    attended = summed(weights[..., None] * values) / attention.where(attention > 0, 1.0)
    readout = replace(pieces.readout, values=attended.where(attention > 0, means))
    return Reading(
        pieces.texts, pieces.ids, count[..., 0] > 0, readout, summed(pieces.attention * pieces.mask)
    )


@torch.no_grad()
def token_logits(part: Reading) -> tuple[Tensor, float] | None:
    """Return the token logits [B,T] and the bias of a binary linear readout, if it is one."""
    values, readout = part.readout.values, part.readout
    if not readout.linear or values.shape[-1] > 2:
        return None
    bias = readout.head(torch.zeros(values.shape[-1], dtype=values.dtype, device=values.device))
    if values.shape[-1] == 1:
        return values[..., 0], float(bias[0])
    return values[..., 1] - values[..., 0], float(bias[1] - bias[0])
