"""Words switched off, against Captum's kernel SHAP and feature ablation."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.importance import kernel_shap, occlusion
from attex.models.classifier import AttentionModel
from benchmarks.deletion import make, texts
from benchmarks.timing import Result, compare

SAMPLES = 200
ROWS = 64
"""Copies that Captum runs at a time, where it runs many."""


def explained(model: AttentionModel, batch: Batch) -> Callable[[Tensor], Tensor]:
    """Return what Captum asks: the probability of the predicted class, of embeddings of these texts."""
    chosen = distribution(model(batch).logits).argmax(dim=1)

    def output(embedded: Tensor) -> Tensor:
        row = torch.arange(len(embedded)) % len(batch)
        outputs = distribution(model.resume(embedded, batch.take(row)).logits)
        return outputs.gather(1, chosen[row][:, None]).squeeze(1)

    return output


def words_of(embedded: Tensor) -> Tensor:
    """Number the words for Captum; both markers are one more, which it takes away, too."""
    place = torch.arange(embedded.shape[1]) - 1
    place[0] = place[-1] = embedded.shape[1] - 2
    return place[None, :, None].expand(1, -1, embedded.shape[2])


@torch.no_grad()
def captum_shap(model: AttentionModel, batch: Batch, at_a_time: int) -> None:
    """Kernel SHAP of one text after the other, as Captum does it."""
    from captum.attr import KernelShap

    for row in range(len(batch)):
        one = batch.take(torch.tensor([row]))
        embedded = model.embed(one)
        KernelShap(explained(model, one)).attribute(
            embedded,
            feature_mask=words_of(embedded),
            n_samples=SAMPLES,
            perturbations_per_eval=at_a_time,
            return_input_shape=False,
        )


@torch.no_grad()
def captum_ablation(model: AttentionModel, batch: Batch) -> Tensor:
    """Replace every word of all texts, many at a time: [B,T,d]."""
    from captum.attr import FeatureAblation

    embedded = model.embed(batch)
    changes: Tensor = FeatureAblation(explained(model, batch)).attribute(
        embedded,
        feature_mask=words_of(embedded),
        perturbations_per_eval=max(1, ROWS // len(batch)),
    )
    return changes


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare at the length of SST."""
    warnings.filterwarnings("ignore", module="captum")
    for encoder in ("lstm", "transformer", "average"):
        model, batch = make(encoder), texts(4, 20)
        for at_a_time, at_least in ((1, 3.0), (ROWS, 1.0)):
            yield compare(
                f"kernel SHAP, {encoder}, 20 words, against Captum with {at_a_time} at a time",
                lambda m=model, b=batch: kernel_shap(m, b, samples=SAMPLES),
                lambda m=model, b=batch, k=at_a_time: captum_shap(m, b, k),
                at_least,
            )
        model, batch = make(encoder), texts(16, 20)
        theirs = captum_ablation(model, batch)[:, 1:-1, 0].abs()
        assert torch.allclose(occlusion(model, batch)[:, 1:-1], theirs.double(), atol=1e-6)
        yield compare(
            f"occlusion, {encoder}, 20 words, against Captum with {ROWS} at a time",
            lambda m=model, b=batch: occlusion(m, b),
            lambda m=model, b=batch: captum_ablation(m, b),
            1.0,
            times=8,
        )
