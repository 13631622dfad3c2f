"""Importance by switching words off, one or many at a time, while the text keeps its length."""

from collections.abc import Callable
from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import Budget, backing_off, budget_on, spans
from attex.foundations.progress import steps
from attex.foundations.registry import RUNTIME
from attex.importance.attribution import Attribution, Whole
from attex.importance.baseline import baseline
from attex.importance.coalitions import by_size, coins, shapley
from attex.importance.explained import Target
from attex.importance.least_squares import fit_ridge, fit_shapley
from attex.importance.makings import of_one_word
from attex.importance.masking import Masking
from attex.importance.measure import MEASURES, only_scorable
from attex.models.alike import themselves
from attex.models.classifier import AttentionModel

Samples = Annotated[int, Field(ge=2, le=2**20)]
"""How many coalitions are tried of a text, as an option."""

Masks = Literal["sizes", "coins"]
"""Whether copies are drawn by the number of words off, or word by word, as an option."""

Seed = Annotated[int, Field(ge=0, lt=2**31)]

_ROUNDING = 10
"""Units in the last place that the output of a copy may be off by."""

_BYTES_OF_A_SWITCH = 96
"""Bytes that a word of a coalition takes while it is drawn and fitted: several 64-bit numbers."""

_PART_FOR_SWITCHES = 4
"""One part of so many of the memory is for coalitions; the rest is left to the copies of the texts."""


@MEASURES.register("occlusion", cite="Zeiler & Fergus 2014; Li et al. 2016", growth=2)
@torch.no_grad()
def occlusion(
    model: AttentionModel,
    batch: Batch,
    *,
    target: Target = "probability",
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """The change when the word is replaced by padding: |F(x) − F(x with t off)|.

    (model, batch) → [B,T], NaN where a position is not scorable. F is the probability of the predicted
    class, or its `logit`. The text keeps its length, where `leave_one_out` closes it up, so that a text
    of one word has a score, too; and that measure looks at all classes, which of two makes no
    difference. All pieces of a word are off together. `budget` is the memory in bytes that copies of
    texts may take side by side.

    Example:
        The output is σ(½ · 2 ln 3) = 0.75. Padding has the logit 0: in place of the first word it
        changes nothing, and in place of the second the output becomes σ(0) = 0.5:

        >>> from math import log
        >>> from attex.importance import occlusion
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0, 2 * log(3)])
        >>> occlusion(model, batch)
        tensor([[0.0000, 0.2500]], dtype=torch.float64)
    """
    memory = budget or budget_on(batch.tokens.device)
    masking = Masking(model, batch, target, memory)
    attention = model(batch).attention if model.encoder.position_wise else None
    first = _alike(model, attention, batch)
    replaced = batch.scored & (first == themselves(first))
    texts, positions = replaced.nonzero(as_tuple=True)
    numbers = masking.number(texts, positions)

    def changes(memory: int) -> Tensor:
        scores = torch.full(batch.tokens.shape, torch.nan, dtype=torch.float64, device=texts.device)
        share = memory // _PART_FOR_SWITCHES
        for span in steps(spans(len(texts), masking.words.shape[1], share)):
            some = texts[span]
            on = masking.words[some].scatter(1, numbers[span, None], False)
            values = masking.values(some, on, memory - share)
            scores[some, positions[span]] = (masking.whole[some] - values).abs()
        return scores

    found = backing_off(changes, memory).gather(1, first)
    if attention is None:
        return found
    # Rounding would tell words apart that sparse attention leaves tied at 0.
    still = (attention == 0) | of_one_word(model, batch, attention, replaced)[:, None]
    rounding = _ROUNDING * torch.finfo(attention.dtype).eps * masking.whole.abs().clamp(min=1.0)
    return found.masked_fill(still & (found < rounding[:, None]), 0.0)


@MEASURES.register("lime", cite="Ribeiro et al. 2016", refined_by="samples")
@torch.no_grad()
def lime(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: Samples = 1000,
    masks: Masks = "sizes",
    kernel_width: Annotated[float, Field(ge=0.05, le=1e3)] = 0.25,
    ridge: Annotated[float, Field(gt=0.0, le=1e6)] = 1.0,
    target: Target = "probability",
    seed: Seed = 0,
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """The word's slope in a linear model of what the output is near the text: |β_t|.

    (model, batch) → [B,T], NaN where a position is not scorable. Of each text `samples` copies z are
    drawn with some words on (z_t = 1) and the others replaced by padding, and β minimises
    Σ_z w(z) (F(z) − β₀ − Σ_t β_t z_t)² + `ridge` Σ_t β_t². A copy counts by its nearness,
    w(z) = exp(−d²/2σ²), where d = 1 − √(share of words on) is the cosine distance to the text and σ the
    `kernel_width`. F is the probability of the predicted class, or its `logit`. The fit is ridge
    regression and not the lasso, which on probabilities sets nearly all slopes to 0
    (`importance.measure.share_of_zeros` tells).

    By default the number of words off is drawn first, every one as likely, and the first copy is the
    text itself, as in Ribeiro et al.'s code for texts, whose kernel has the width 0.25. With
    `masks="coins"` every word is on with probability ½, as in Captum, whose kernel has the width 1.
    Words that the model treats the same have the mean of their slopes. Draws depend on (`seed`, text,
    draw, word). `budget` as for `occlusion`.

    Example:
        Attention is ½ each whatever is off, and padding has the logit 0: the logit is ½ · 1 of the
        first word and ½ · −3 of the second. Without a ridge the fit is exact:

        >>> from attex.importance import lime
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, -3])
        >>> lime(model, batch, target="logit", ridge=1e-9)
        tensor([[0.5000, 1.5000]], dtype=torch.float64)
    """
    slopes = lime_slopes(
        model,
        batch,
        samples=samples,
        masks=masks,
        kernel_width=kernel_width,
        ridge=ridge,
        target=target,
        seed=seed,
        budget=budget,
    )
    return only_scorable(slopes.abs(), batch)


@torch.no_grad()
def _shared_out(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: int = 1000,
    target: Target = "probability",
    seed: int = 0,
    budget: int | None = None,
) -> Attribution:
    values = shapley_values(model, batch, samples=samples, target=target, seed=seed, budget=budget)
    whole = Whole.of(model, batch, target)
    # Asked apart from the fit, which is held against it.
    nothing = whole.explained(model.resume(baseline(model, batch), batch).logits)
    # A word in pieces has its value once.
    return Attribution(values.where(batch.scored, 0.0), whole.value - nothing, whole.attention)


@MEASURES.register("kernel_shap", cite="Lundberg & Lee 2017", refined_by="samples", signed=_shared_out)
@torch.no_grad()
def kernel_shap(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: Samples = 1000,
    target: Target = "probability",
    seed: Seed = 0,
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """The word's Shapley value, its mean contribution to all coalitions of other words: |φ_t|.

    (model, batch) → [B,T], NaN where a position is not scorable. φ minimises
    Σ_z w(z) (F(z) − F(∅) − Σ_t φ_t z_t)², and Σ_t φ_t = F(x) − F(∅) exactly. Each z is the text x with
    some words on (z_t = 1) and the others replaced by padding, in ∅ all; w is the Shapley kernel,
    (n − 1) / (C(n,k) k (n − k)) of k words on among n. F is the probability of the predicted class, or
    its `logit`.

    `samples` is the most coalitions that are tried of a text beside x and ∅. Where it reaches 2ⁿ − 2 all
    are, and the values are exact. Else the smallest and largest coalitions are all tried as far as
    samples reach, and the rest are drawn by the kernel, each with its complement. Of more than
    `samples`/2 words these do not fix φ: of all that fit alike, it is the one nearest to equal shares.
    Near that number the fit follows noise: four samples a word are few. The values sum to the whole
    however many there are (`attribution.completeness`), so that this tells nothing of how near they are.
    Words that the model treats the same have the mean of their values. Draws depend on (`seed`, text,
    draw, word). `budget` as for `occlusion`.

    Example:
        Padding has weight, and the logit 0. With the first word alone the output is σ(½ · 2 ln 3) =
        0.75, with the second alone 0.25, and with both or none 0.5. So each changes the output by 0.25
        whether it comes first or second:

        >>> from math import log
        >>> from attex.importance import kernel_shap
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[2 * log(3), -2 * log(3)])
        >>> kernel_shap(model, batch)
        tensor([[0.2500, 0.2500]], dtype=torch.float64)
    """
    values = shapley_values(model, batch, samples=samples, target=target, seed=seed, budget=budget)
    return only_scorable(values.abs(), batch)


@torch.no_grad()
def lime_slopes(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: int = 1000,
    masks: Masks = "sizes",
    kernel_width: float = 0.25,
    ridge: float = 1.0,
    target: Target = "probability",
    seed: int = 0,
    budget: int | None = None,
) -> Tensor:
    """Return the slopes β that `lime` takes the sizes of: [B,T], a word's at all its pieces."""
    draw = by_size if masks == "sizes" else coins

    def fit(masking: Masking, texts: Tensor, memory: int) -> Tensor:
        on = draw(batch.ids[texts], masking.words[texts], samples, seed)
        # From the text itself: where no copy differs from it, all slopes are 0 to the bit.
        values = _values(masking, texts, on, memory) - masking.whole[texts, None]
        distance = 1 - (on.sum(dim=2) / masking.counts[texts, None].clamp(min=1)).double().sqrt()
        return fit_ridge(on, values, torch.exp(-(distance**2) / (2 * kernel_width**2)), ridge)

    return _by_position(model, batch, target, samples, budget, fit)


@torch.no_grad()
def shapley_values(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: int = 1000,
    target: Target = "probability",
    seed: int = 0,
    budget: int | None = None,
) -> Tensor:
    """Return the values φ that `kernel_shap` takes the sizes of: [B,T], a word's at all its pieces."""

    def fit(masking: Masking, texts: Tensor, memory: int) -> Tensor:
        words = masking.words[texts]
        on, weights = shapley(batch.ids[texts], words, samples, seed)
        chosen = weights > 0
        values = torch.zeros_like(weights)
        values[chosen] = masking.values(texts[chosen.nonzero()[:, 0]], on[chosen], memory)
        nothing = masking.values(texts, torch.zeros_like(words), memory)
        return fit_shapley(on, values, weights, words, nothing, masking.whole[texts])

    return _by_position(model, batch, target, samples, budget, fit)


Fit = Callable[[Masking, Tensor, int], Tensor]
"""(masking, texts [b], bytes of memory) → a number for every word [b,W], with its sign."""


def _by_position(
    model: AttentionModel, batch: Batch, target: Target, samples: int, budget: int | None, fit: Fit
) -> Tensor:
    """Fit some texts at a time, and return what their words have, at every piece: [B,T]."""
    memory = budget or budget_on(batch.tokens.device)
    masking = Masking(model, batch, target, memory)
    texts = torch.arange(len(batch), device=batch.tokens.device)
    bytes_each = samples * masking.words.shape[1] * _BYTES_OF_A_SWITCH

    def fitted(memory: int) -> Tensor:
        share = memory // _PART_FOR_SWITCHES
        some = spans(len(texts), bytes_each, share)
        return torch.cat([fit(masking, texts[span], memory - share) for span in steps(some)])

    found = masking.by_position(backing_off(fitted, memory))
    attention = model(batch).attention if model.encoder.position_wise else None
    return _mean_of_alike(found, _alike(model, attention, batch))


def _values(masking: Masking, texts: Tensor, on: Tensor, memory: int) -> Tensor:
    """Return what is explained of copies: texts [b], on [b,S,W] → [b,S].

    Of texts so short that coalitions must repeat, each is tried once.
    """
    draws = on.shape[1]
    bits = min(draws.bit_length() - 1, on.shape[2])
    codes = (on[..., :bits].long() << torch.arange(bits, device=on.device)).sum(dim=2)
    place = torch.arange(len(texts), device=on.device)[:, None]
    short = (masking.counts[texts] <= bits)[:, None]
    # Codes of short texts repeat; other copies have a number of their own.
    number = torch.arange(draws, device=on.device)
    keys = (place * draws + codes.where(short, number)).flatten()
    distinct, which = torch.unique(keys, return_inverse=True)
    rows = torch.full_like(distinct, len(keys)).scatter_reduce(
        0, which, torch.arange(len(keys), device=on.device), "amin"
    )
    values = masking.values(texts[rows // draws], on.flatten(0, 1)[rows], memory)
    return values[which].view(len(texts), draws)


def _alike(model: AttentionModel, attention: Tensor | None, batch: Batch) -> Tensor:
    """Return for each position the first that the model treats the same, where positions are words.

    attention [B,T] are the weights of the texts; None where states depend on other words, too, so that
    no two positions are the same.
    """
    if attention is None or batch.word is not None:
        return themselves(batch.scorable)
    return model.alike(attention, batch)


def _mean_of_alike(values: Tensor, first: Tensor) -> Tensor:
    """Give positions that stand for each other the mean of their values: [B,T], [B,T] → [B,T]."""
    sums = torch.zeros_like(values).scatter_add(1, first, values)
    counts = torch.zeros_like(values).scatter_add(1, first, torch.ones_like(values))
    return (sums / counts).gather(1, first)
