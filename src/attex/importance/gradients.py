"""Importance by gradients of the output with respect to the embeddings or the hidden states."""

from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.importance.measure import MEASURES, by_word, only_scorable, tied
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
    fixed: what a small change of the word does while the same attention is paid (Jain & Wallace). A
    pretrained classifier's weights lie in its layers and are not held: there it changes nothing.
    `target="gold_loss"` takes the loss at the gold label, and `detach_attention=False` lets the
    gradient pass the attention, as Neely & Schouten's released code does.

    Example:
        Attention is ½ each, and the output y = σ(½ · 2 ln 3) = ¾. So the second word has
        |s · ∂y/∂s| = 2 ln 3 · ½ · y(1 − y) = 0.206, and the first, with s = 0, nothing:

        >>> from math import log
        >>> from attex.importance import gradient
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0, 2 * log(3)])
        >>> gradient(model, batch)
        tensor([[0.0000, 0.2060]], dtype=torch.float64)
    """
    with torch.enable_grad():
        embedded = model.embed(batch).detach().requires_grad_()
        trace = model.resume(embedded, batch, hold_attention=detach_attention)
        direction, size = _output_slope(trace.logits, batch.labels, target)
        (slope,) = torch.autograd.grad(trace.logits, embedded, grad_outputs=direction)
    products = (slope * embedded).sum(dim=-1).detach().double()
    products = by_word(products * size[:, None], batch)
    scores = tied(products.abs(), model, trace.attention, batch)
    return only_scorable(scores, batch)


@MEASURES.register("input_x_gradient", cite="Shrikumar et al. 2016; Madsen et al. 2022")
def input_x_gradient(
    model: AttentionModel, batch: Batch, *, target: Literal["predicted", "gold"] = "predicted"
) -> Tensor:
    """Input times gradient of a logit: |e_t · ∂z_c/∂e_t|, through the attention.

    (model, batch) → [B,T], NaN where a position is not scorable. z_c is the logit of the predicted
    class, or of the `gold` label, as in Madsen et al.'s code, where scores can tell the label; of two
    classes there is one logit, and both are the same. `gradient` is of the output instead, and with the
    attention held fixed.

    Example:
        The logit is Σ_t α_t s_t, and ∂/∂s_t = α_t = ½. Energies are 0, and so is what they add:

        >>> from attex.importance import input_x_gradient
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, -3])
        >>> input_x_gradient(model, batch)
        tensor([[0.5000, 1.5000]], dtype=torch.float64)
    """
    embedded, slope, attention = _logit_slope(model, batch, target)
    products = by_word((slope * embedded).sum(dim=-1).double(), batch)
    return only_scorable(tied(products.abs(), model, attention, batch), batch)


@MEASURES.register(
    "gradient_norm[one-hot]",
    aliases=("gradient_norm_one_hot",),
    cite="Madsen et al. 2022, released code",
)
def gradient_norm_one_hot(
    model: AttentionModel, batch: Batch, *, target: Literal["predicted", "gold"] = "predicted"
) -> Tensor:
    """The norm of a logit's gradient over all words: g_t = ‖E · ∂z_c/∂e_t‖₂, through the attention.

    (model, batch) → [B,T], NaN where a position is not scorable. E [V,D] has the embeddings of all
    words, and e_t = Eᵀx_t, where x_t is 1 at the word of position t and 0 at others. So this is the
    gradient with respect to x_t, which counts what any word would do there. It is √(sᵀ EᵀE s) with
    s = ∂z_c/∂e_t: nothing of the size of the vocabulary is made for a position. z_c is as for
    `input_x_gradient`; a word of several pieces has the sum of their norms.
    """
    _, slope, attention = _logit_slope(model, batch, target)
    words = model.embedding.weight.detach().double()
    slope = slope.double()
    squares = (slope @ (words.T @ words) * slope).sum(dim=-1)
    # It is a sum of squares, which rounding may take below 0.
    norms = by_word(squares.clamp(min=0.0).sqrt(), batch)
    return only_scorable(tied(norms, model, attention, batch), batch)


@MEASURES.register("gradient_norm", cite="Meister et al. 2021, eq. 4 and fn. 4")
def gradient_norm(model: AttentionModel, batch: Batch, *, norm: Literal[1, 2] = 2) -> Tensor:
    """The token's share of the gradient: g_t = ‖∂y/∂e_t‖ / Σ_s ‖∂y/∂e_s‖, through the attention.

    (model, batch) → [B,T], NaN where a position is not scorable; the sum is over the scorable ones.
    y is as for `gradient`. Undefined (NaN) for a text whose gradient is 0 everywhere. `norm` is the
    order of the norm.
    """
    with torch.enable_grad():
        embedded = model.embed(batch).detach().requires_grad_()
        trace = model.resume(embedded, batch)
        norms = _norms(batch, trace.logits, embedded, norm)
    return _shares(tied(norms, model, trace.attention, batch), batch)


@MEASURES.register(
    "gradient_norm[hidden]",
    aliases=("gradient_norm_hidden",),
    cite="Meister et al. 2021, eq. 4",
    over="hidden",
    counterpart="gradient_norm",
)
def gradient_norm_hidden(model: AttentionModel, batch: Batch, *, norm: Literal[1, 2] = 2) -> Tensor:
    """The hidden state's share: g_t = ‖∂y/∂h_t‖ / Σ_s ‖∂y/∂h_s‖, through the attention's energies.

    (model, batch) → [B,T], NaN where a position is not scorable. As `gradient_norm`, with the states
    in place of the embeddings.
    """
    with torch.no_grad():
        hidden = model.encode(model.embed(batch), batch)
    with torch.enable_grad():
        hidden, asked = hidden.detach().requires_grad_(), model.ask(batch)
        attention = model.attend(hidden, batch, asked)
        logits = model.decode(hidden, attention, batch, asked)
        norms = _norms(batch, logits, hidden, norm)
    return _shares(tied(norms, model, attention, batch), batch)


def _logit_slope(
    model: AttentionModel, batch: Batch, target: Literal["predicted", "gold"]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return embeddings [B,T,D], the slope of a class's logit there [B,T,D], and the attention [B,T]."""
    with torch.enable_grad():
        embedded = model.embed(batch).detach().requires_grad_()
        trace = model.resume(embedded, batch)
        logits = trace.logits
        chosen = batch.labels if target == "gold" else logits.argmax(dim=1)
        chosen = chosen if logits.shape[1] > 1 else torch.zeros_like(chosen)
        (slope,) = torch.autograd.grad(logits.gather(1, chosen[:, None]).sum(), embedded)
    return embedded.detach(), slope, trace.attention


def _norms(batch: Batch, logits: Tensor, inputs: Tensor, norm: int) -> Tensor:
    """Return ‖∂y/∂inputs‖ [B,T], but for a factor of each text.

    The factor cancels in the shares; with it a saturated output would have none.
    """
    direction, _ = _output_slope(logits, batch.labels, "output")
    (slope,) = torch.autograd.grad(logits, inputs, grad_outputs=direction)
    norms: Tensor = torch.linalg.vector_norm(slope.double(), norm, dim=-1)
    return norms


def _shares(norms: Tensor, batch: Batch) -> Tensor:
    """Divide norms [B,T] by their sum over the scorable positions: [B,T]."""
    norms = norms * batch.scorable
    return only_scorable(by_word(norms / norms.sum(dim=1, keepdim=True), batch), batch)


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
