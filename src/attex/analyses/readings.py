"""What counterfactual analyses need of a model: every text read once, hidden states left behind."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import ANALYSED, Subject
from attex.data.batch import Batcher, ordered_batches, padded_sizes
from attex.data.ragged import pad
from attex.foundations.progress import track
from attex.models.decoder import Readout

_PADDED_TOKENS = {"cpu": 32_768, "cuda": 393_216}


@dataclass(frozen=True)
class Reading:
    """Some texts: their numbers in the split, ids [B], mask [B,T], readout and attention [B,T].

    Position 0 is the first word: markers are left out, so that flat scores padded with `pad` lie
    beside it. Attention is in float64, and so are the readout's values where its head can take that.
    """

    texts: np.ndarray
    ids: Tensor
    mask: Tensor
    readout: Readout
    attention: Tensor

    def beside(self, flat: Tensor, subject: Subject) -> Tensor:
        """Lay flat scores of all texts beside the attention: [B,T], 0 off the mask."""
        values, mask = pad(flat, subject.texts.starts, self.texts)
        return values.where(mask, 0.0).to(self.attention.device)


@torch.no_grad()
def readings(subject: Subject, what: str = "reading") -> Iterator[Reading]:
    """Read all analysed texts in few batches, by length; `what` is done with them is told."""
    model = subject.load()
    texts = Batcher(subject.corpus, ANALYSED, subject.device)
    batches = ordered_batches(texts.lengths, _PADDED_TOKENS[subject.device.type])
    sizes = padded_sizes(texts.lengths, batches)
    for chosen in track(batches, what, len(batches), sizes):
        batch = texts.batch(chosen)
        words = slice(texts.margin, batch.tokens.shape[1] - texts.margin)
        hidden, asked = model.encode(model.embed(batch), batch), model.ask(batch)
        attention = model.attend(hidden, batch, asked)[:, words].double()
        readout = model.readout(hidden, batch, asked)
        readout = replace(readout, values=readout.values[:, words]).precise()
        yield Reading(chosen, batch.ids, batch.scorable[:, words], readout, attention)


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
