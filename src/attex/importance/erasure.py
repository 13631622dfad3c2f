"""Importance by taking a token away."""

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.foundations.memory import Budget, budget_on
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel


@MEASURES.register("leave_one_out", cite="Jain & Wallace 2019, Alg. 1")
@torch.no_grad()
def leave_one_out(model: AttentionModel, batch: Batch, *, budget: Budget | None = None) -> Tensor:
    """The change of the output when the token is deleted: TVD(ŷ(x without t), ŷ(x)).

    (model, batch) → [B,T], NaN where a position is not scorable. The sequence closes up where
    the token was. Undefined (NaN) for a text of one token. `budget` is the memory in bytes that
    a chunk of variants may take (by default what suits the device); it changes nothing else.
    """
    embedded = model.embed(batch)
    hidden = model.encode(embedded, batch)
    whole = model.decode(hidden, model.attend(hidden, batch), batch)
    several = batch.scorable.sum(dim=1, keepdim=True) > 1
    deleted = batch.scorable & several
    scores = torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64, device=whole.device)
    reads = (model.attention.read(), model.decoder.read())
    memory = budget or budget_on(whole.device)
    for variants in model.encoder.without_each(embedded, hidden, batch.mask, deleted, reads, memory):
        energies, values = variants.reads
        weights = model.attention.project(energies, variants.remaining(batch.scorable))
        logits = model.decoder.readout(values).decode(weights)
        change = total_variation(logits, whole[variants.texts])
        scores[variants.texts, variants.positions] = change
    return only_scorable(scores, batch)
