"""What stands in the place of a word that is taken away while the text keeps its length."""

from dataclasses import replace

from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import PAD
from attex.models.classifier import AttentionModel


def baseline(model: AttentionModel, batch: Batch) -> Tensor:
    """Embed the texts with padding in the place of every word: [B,T,d].

    Markers and padding stay as they are. Which token is padding is known to the embedding of the model.
    """
    known = model.embedding.padding_idx
    padding = PAD if known is None else known
    return model.embed(replace(batch, tokens=batch.tokens.masked_fill(batch.scorable, padding)))
