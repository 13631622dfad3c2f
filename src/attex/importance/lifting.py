"""Importance by differences from a baseline, passed back step by step: DeepLIFT."""

from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.errors import UserError
from attex.foundations.memory import Budget, backing_off, budget_on, spans
from attex.foundations.progress import steps as told
from attex.foundations.registry import LATER, RUNTIME
from attex.importance.attribution import Attribution, Background, Whole, drawn_words
from attex.importance.baseline import baseline as padding_baseline
from attex.importance.explained import Target
from attex.importance.measure import MEASURES
from attex.importance.paths import Seed, Steps, along
from attex.importance.rescale import Both
from attex.importance.rescaled_parts import outputs, without_a_rule
from attex.models.classifier import AttentionModel

Slopes = Literal["mean", "own"]
"""What is multiplied on the way back, as an option: mean slopes from the baseline, or the text's own."""

_COPIES = 4
"""Times the memory of an ordinary gradient: text and baseline, and a slope for each step."""


def _lacks(model: AttentionModel, measure: Any) -> str | None:
    return _refusal(model, measure.slopes)


def _refusal(model: AttentionModel, slopes: Slopes) -> str | None:
    reason = without_a_rule(model) if slopes == "mean" else None
    return reason and f"{reason}; with slopes 'own' it needs none"


def _lifted(
    model: AttentionModel,
    batch: Batch,
    *,
    slopes: Slopes = "mean",
    target: Target = "probability",
    budget: int | None = None,
) -> Attribution:
    return _mean_lifted(model, batch, 1, "padding", 0, slopes, target, budget)


@MEASURES.register("deep_lift", cite="Shrikumar et al. 2017", signed=_lifted, lacks=_lacks)
def deep_lift(
    model: AttentionModel,
    batch: Batch,
    *,
    slopes: Annotated[Slopes, LATER] = "mean",
    target: Target = "probability",
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """DeepLIFT by the rescale rule: |Σ_d m_t (e_t − b_t)|, m_t being products of mean slopes.

    (model, batch) → [B,T], NaN where a position is not scorable. In the place of every slope of a
    gradient stands the mean slope of the step on the line between what it is given of the baseline b and
    of the text: (f(x) − f(b))/(x − b) of a function of one number, the other factor's mean in a product,
    as of gates and states or of weights and values, and the mean Jacobian of softmax and the like. So
    the values before |·| sum to F(text) − F(baseline). b, F and `target` as for `integrated_gradients`.

    Captum's DeepLift has rules for modules such as `nn.Tanh` and takes plain gradients through all
    else: products, attention, the gates of an LSTM. Through those its values do not sum to what the
    output rose by; where there is none, the two are equal. With `slopes="own"` every step keeps its own
    slope, and the score is |Σ_d (e_t − b_t) ∂F/∂e_t|: what Captum's gives of a model none of whose steps
    is such a module. A part that is not attex's own has no rule here: with mean slopes such a model is
    refused before it is trained. `budget` as for `leave_one_out`.

    Example:
        With even attention and energies of 0 the logit is ½ s₁ + ½ s₂; the output rises by σ(1) − ½
        from that of padding, to which the second word adds three times what the first does:

        >>> from attex.importance import deep_lift
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0.5, 1.5])
        >>> deep_lift(model, batch)
        tensor([[0.0578, 0.1733]], dtype=torch.float64)
    """
    attribution = _lifted(model, batch, slopes=slopes, target=target, budget=budget)
    return attribution.scores(model, batch)


def _lifted_from_several(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: int = 10,
    background: Background = "words",
    seed: int = 0,
    slopes: Slopes = "mean",
    target: Target = "probability",
    budget: int | None = None,
) -> Attribution:
    return _mean_lifted(model, batch, samples, background, seed, slopes, target, budget)


@MEASURES.register(
    "deep_lift_shap",
    cite="Lundberg & Lee 2017",
    refined_by="samples",
    signed=_lifted_from_several,
    lacks=_lacks,
)
def deep_lift_shap(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: Steps = 10,
    background: Background = "words",
    seed: Seed = 0,
    slopes: Annotated[Slopes, LATER] = "mean",
    target: Target = "probability",
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """DeepLIFT, its signed values averaged over several baselines: |E_b Σ_d m_t(b) (e_t − b_t)|.

    (model, batch) → [B,T], NaN where a position is not scorable. There are `samples` baselines: texts
    of the same length, each of whose scorable tokens is a word drawn from the vocabulary. With
    `background="padding"` all of them are the one of `deep_lift`, and so are the scores; that is what
    Neely et al. (2022) ran. Draws depend on `seed`, the text, the number of the draw and the position
    only. All else as for `deep_lift`.

    Example:
        >>> from attex.importance import deep_lift, deep_lift_shap
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0.5, 1.5])
        >>> deep_lift_shap(model, batch, background="padding")
        tensor([[0.0578, 0.1733]], dtype=torch.float64)
    """
    attribution = _lifted_from_several(
        model,
        batch,
        samples=samples,
        background=background,
        seed=seed,
        slopes=slopes,
        target=target,
        budget=budget,
    )
    return attribution.scores(model, batch)


def _mean_lifted(
    model: AttentionModel,
    batch: Batch,
    samples: int,
    background: Background,
    seed: int,
    slopes: Slopes,
    target: Target,
    budget: int | None,
) -> Attribution:
    reason = _refusal(model, slopes)
    if reason is not None:
        raise UserError(reason)
    whole = Whole.of(model, batch, target)
    if background == "padding":
        starts = [padding_baseline(model, batch).detach()]
    else:
        starts = [drawn_words(model, batch, number, seed) for number in range(samples)]
    if slopes == "own":
        return _with_own_slopes(model, batch, whole, starts, budget)
    values = torch.zeros(batch.tokens.shape, dtype=torch.float64, device=batch.tokens.device)
    before = torch.zeros_like(whole.value)
    for start in told(starts):
        lifted, base = _lifted_from(model, batch, whole, start, budget)
        values += lifted / len(starts)
        before += base / len(starts)
    return Attribution(values, whole.value - before, whole.attention)


def _with_own_slopes(
    model: AttentionModel, batch: Batch, whole: Whole, starts: list[Tensor], budget: int | None
) -> Attribution:
    """Multiply the text's own slopes, which are the same for all baselines, by the mean way to it."""
    middle = torch.stack(starts).mean(dim=0)
    ends = middle[None], whole.embedded[None]
    once = torch.ones(1, dtype=torch.float64, device=middle.device)
    at_the_end = once.expand(len(batch), 1)
    values = along(model, batch, whole.explained, lambda _: ends, at_the_end, once, budget)
    with torch.no_grad():
        before = torch.stack([whole.explained(model.resume(one, batch).logits) for one in starts])
    return Attribution(values, whole.value - before.mean(dim=0), whole.attention)


def _lifted_from(
    model: AttentionModel, batch: Batch, whole: Whole, start: Tensor, budget: int | None
) -> tuple[Tensor, Tensor]:
    """Return contributions [B,T] to what rises from one baseline on, and where that begins [B]."""
    bytes_each = _COPIES * model.encoder.gradient_bytes(start)

    def pieces(memory: int) -> list[tuple[Tensor, Tensor]]:
        found = []
        for span in spans(len(batch), bytes_each, memory):
            text = torch.arange(span.start, span.stop, device=start.device)
            with torch.enable_grad():
                embedded = whole.embedded[span].detach().requires_grad_()
                both = Both(embedded, start[span])
                rising = outputs(model, both, batch.take(text), whole.explained[span])
                (slopes,) = torch.autograd.grad(rising.text.sum(), embedded)
            products = slopes.double() * both.change.double()
            found.append((products.sum(dim=-1), rising.base.detach()))
        return found

    lifted, base = zip(*backing_off(pieces, budget or budget_on(start.device)), strict=True)
    return torch.cat(lifted), torch.cat(base)
