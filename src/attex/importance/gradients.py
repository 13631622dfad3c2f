"""Importance by gradients of the output with respect to the embeddings."""

from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel


@MEASURES.register("gradient", cite="Jain & Wallace 2019, Alg. 1")
def gradient(
    model: AttentionModel,
    batch: Batch,
    *,
    detach_attention: bool = True,
    target: Literal["output", "gold_loss"] = "output",
) -> Tensor:
    """Gradient times input: g_t = |e_t · ∂y/∂e_t|.

    (model, batch) → [B,T], NaN where a position is not scorable. y is the sigmoid output, or the
    probability of the predicted class among several. With `detach_attention` the weights are held
    fixed: what a small change of the word does while the same attention is paid (Jain & Wallace).
    `target="gold_loss"` takes the loss at the gold label, and `detach_attention=False` lets the
    gradient pass the attention, as Neely & Schouten's released code does.
    """
    with torch.enable_grad():
        embedded = model.embed(batch).detach().requires_grad_()
        hidden = model.encode(embedded, batch)
        attention = model.attend(hidden, batch)
        logits = model.decode(hidden, attention.detach() if detach_attention else attention, batch)
        direction, size = _output_slope(logits, batch.labels, target)
        (slope,) = torch.autograd.grad(logits, embedded, grad_outputs=direction)
    products = (slope * embedded).sum(dim=-1).detach().double()
    return only_scorable((products * size[:, None]).abs(), batch)


def _output_slope(
    logits: Tensor, labels: Tensor, target: Literal["output", "gold_loss"]
) -> tuple[Tensor, Tensor]:
    """Split ∂y/∂logits into a direction [B,O] of ordinary size and a float64 factor [B].

    A saturated output has a slope that float32 rounds to 0, which would tie all tokens of the
    text; so the gradient is taken along the direction, and the factor joins in float64.
    """
    with torch.no_grad():
        outputs = distribution(logits)
        binary = logits.shape[-1] == 1
        if binary:
            direction = torch.ones_like(logits)
            other = outputs.gather(1, (1 - labels)[:, None]).squeeze(1)
            size = outputs.prod(dim=1) if target == "output" else other
            return direction, size
        chosen = labels if target == "gold_loss" else logits.argmax(dim=1)
        one_hot = torch.nn.functional.one_hot(chosen, logits.shape[1]).to(outputs.dtype)
        # e_c − p, with 1 − p_c as the sum of the others so that it survives p_c → 1.
        rest = outputs * (1 - one_hot)
        remaining = rest.sum(dim=1, keepdim=True)
        direction = one_hot - rest / remaining.clamp(min=torch.finfo(outputs.dtype).tiny)
        own = outputs.gather(1, chosen[:, None]).squeeze(1)
        size = remaining.squeeze(1) * (own if target == "output" else 1.0)
        return direction.to(logits.dtype), size
