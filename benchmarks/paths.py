"""Integrated gradients, several texts and nodes in a pass, against Captum's."""

from collections.abc import Iterator
from pathlib import Path

import torch
from captum.attr import IntegratedGradients
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.data.corpus import SPECIALS
from attex.importance import integrated_gradients
from attex.importance.attribution import Whole
from attex.importance.baseline import baseline
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from benchmarks.timing import Result, compare

WORDS, STEPS = 10_000, 50


class FromEmbeddings(nn.Module):
    """The probability of the predicted class, of embeddings of these texts."""

    def __init__(self, model: AttentionModel, batch: Batch, whole: Whole) -> None:
        super().__init__()
        self.model, self.batch, self.whole = model, batch, whole

    def forward(self, embedded: Tensor, texts: Tensor) -> Tensor:
        """Go on from the embeddings."""
        logits = self.model.resume(embedded, self.batch.take(texts)).logits
        return self.whole.explained[texts](logits)


def captums(model: AttentionModel, batch: Batch) -> Tensor:
    """All texts and nodes at once, which is what takes Captum least time."""
    whole = Whole.of(model, batch, "probability")
    values: Tensor = IntegratedGradients(FromEmbeddings(model, batch, whole)).attribute(
        whole.embedded,
        baselines=baseline(model, batch).detach(),
        additional_forward_args=(torch.arange(len(batch)),),
        n_steps=STEPS,
        method="gausslegendre",
    )
    return values.sum(dim=-1).abs()


def texts(count: int, length: int) -> Batch:
    """Draw texts of one length."""
    tokens = torch.randint(len(SPECIALS), WORDS, (count, length))
    real = torch.ones_like(tokens, dtype=torch.bool)
    return Batch(tokens, real, real, torch.zeros(count).long(), torch.arange(count))


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare for two encoders, on sentences and on longer texts."""
    torch.manual_seed(0)
    for encoder in ("lstm", "transformer"):
        model = assemble(MODELS.spec({"encoder": encoder}), WORDS, 2, seed=0).eval()
        for count, length in ((16, 20), (8, 100)):
            batch = texts(count, length)
            ours, theirs = integrated_gradients(model, batch, steps=STEPS), captums(model, batch)
            assert torch.allclose(ours, theirs.double(), atol=1e-4)
            name = f"integrated gradients, {encoder}, {count} texts of {length} tokens, against Captum's"
            yield compare(
                name,
                lambda model=model, batch=batch: integrated_gradients(model, batch, steps=STEPS),
                lambda model=model, batch=batch: captums(model, batch),
                # The passes are the cost, and they are the same: within what a machine varies by.
                at_least=0.9,
            )
