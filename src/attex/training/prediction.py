"""Run a model over a whole split."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import Batch, Batcher, ordered_batches
from attex.foundations.memory import sharers
from attex.models.classifier import AttentionModel, Trace

EVALUATION_TOKENS = 16_384
"""Padded tokens in a batch when no gradient is needed."""
EVALUATION_TOKENS_ON_GPU = 131_072
"""A GPU needs many to be worth launching, and fewer where others keep it busy."""

_FEW = 4
"""Processes that a GPU surely has room for at full size: an LSTM of 256 units takes some 3 GB then."""

Score = Callable[[Trace, Batch], Tensor]
"""Something about every text, read off one forward pass: [B]."""
Run = Callable[[Batch], Trace]
"""A model, or what stands for it: one forward pass."""
NO_SCORES: Mapping[str, Score] = MappingProxyType({})


def evaluation_batches(texts: Batcher) -> list[np.ndarray]:
    """Cut all texts into the batches in which a model is run over them without gradients."""
    tokens = EVALUATION_TOKENS
    if texts.device.type == "cuda":
        tokens = EVALUATION_TOKENS_ON_GPU // max(1, sharers() // _FEW)
    return ordered_batches(texts.lengths, tokens, texts.asked)


class Predictor:
    """Runs one model after the other over the same texts, which are cut into batches once.

    The batches stay on the device: a copy there would first wait for all work that a GPU has to do.
    """

    def __init__(self, texts: Batcher) -> None:
        order = evaluation_batches(texts)
        self._batches = list(texts.batches(order))
        self._places = torch.from_numpy(np.concatenate(order))

    @torch.no_grad()
    def __call__(
        self,
        model: AttentionModel,
        scores: Mapping[str, Score] = NO_SCORES,
        run: Run | None = None,
    ) -> tuple[Tensor, dict[str, float]]:
        """Return the logits [N,O] of all texts, in their own order, on the CPU, and the means of scores.

        The model is set to evaluation mode, and run as it is, or by `run` where that is given.
        A score that is undefined (NaN) for some texts has the mean of the others, and their number
        under its name and ` undefined`.
        """
        model.eval()
        forward: Run = model if run is None else run
        outputs: list[Tensor] = []
        values: dict[str, list[Tensor]] = {name: [] for name in scores}
        for batch in self._batches:
            trace = forward(batch)
            outputs.append(trace.logits)
            for name, score in scores.items():
                values[name].append(score(trace, batch))
        logits = torch.cat(outputs).cpu()
        means = _means({name: torch.cat(each).cpu() for name, each in values.items()})
        return torch.empty_like(logits).index_copy_(0, self._places, logits), means


def _means(values: Mapping[str, Tensor]) -> dict[str, float]:
    means: dict[str, float] = {}
    for name, each in values.items():
        means[name] = each.nanmean().item()
        undefined = int(each.isnan().sum())
        if undefined:
            means[f"{name} undefined"] = undefined
    return means


def predict(model: AttentionModel, texts: Batcher) -> Tensor:
    """Return the logits [N,O] of all texts, in their own order, on the CPU."""
    return Predictor(texts)(model)[0]
