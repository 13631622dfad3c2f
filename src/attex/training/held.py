"""What a model that does not change says of the texts: computed once, and looked up from then on."""

import torch
from torch import Tensor

from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus
from attex.models.classifier import AttentionModel
from attex.training.prediction import evaluation_batches


class HeldOutputs:
    """The logits and the attention of a model on whole splits, by the ids of the texts.

    They lie on the device, flat: a batch has its texts' logits [B,O] and weights [B,T] however it is
    padded. The weights are in float64, in which softmax does not run out of numbers as it does in
    float32: KL needs the logarithm of each.
    """

    @torch.no_grad()
    def __init__(
        self, model: AttentionModel, corpus: Corpus, splits: set[str], device: torch.device
    ) -> None:
        ids, logits, lengths, weights = [], [], [], []
        model.eval()
        for split in sorted(splits):
            texts = Batcher(corpus, split, device)
            for batch in texts.batches(evaluation_batches(texts)):
                trace = model(batch)
                ids.append(batch.ids)
                logits.append(trace.logits)
                lengths.append(batch.scorable.sum(dim=1))
                weights.append(model.weigh(trace.energies.double(), batch)[batch.scorable])
        self._ids, order = torch.cat(ids).sort()
        self._logits = torch.cat(logits)[order]
        ends = torch.cat(lengths).cumsum(0)
        self._starts = (ends - torch.cat(lengths))[order]
        self.weights = torch.cat(weights)
        """Of all scorable tokens of all texts, flat."""

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Look texts of the splits up: logits [B,O] and attention [B,T], 0 where nothing is scored."""
        text = torch.searchsorted(self._ids, batch.ids)
        rank = (batch.scorable.cumsum(dim=1) - 1).clamp(min=0)
        weights = self.weights[self._starts[text][:, None] + rank]
        return self._logits[text], weights.where(batch.scorable, 0.0)
