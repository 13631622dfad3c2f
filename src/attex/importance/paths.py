"""Importance by gradients along a path from a text that tells nothing to the text itself."""

from collections.abc import Callable
from typing import Annotated

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.draws import normals, uniforms
from attex.foundations.memory import Budget, backing_off, budget_on, spans
from attex.foundations.progress import steps as told
from attex.foundations.registry import RUNTIME
from attex.importance.attribution import Attribution, Background, Whole, drawn_words
from attex.importance.baseline import baseline as padding_baseline
from attex.importance.explained import Explained, Target
from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel

Steps = Annotated[int, Field(ge=1, le=10_000)]
"""How many points of a path are looked at, or how many samples are drawn, as an option."""
Seed = Annotated[int, Field(ge=0, lt=2**29)]
Noise = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Ends = Callable[[range], tuple[Tensor, Tensor]]
"""Returns where the paths of these numbers begin and end: [n,B,T,d] each."""


def _integrated(
    model: AttentionModel,
    batch: Batch,
    *,
    steps: int = 50,
    target: Target = "probability",
    budget: int | None = None,
) -> Attribution:
    whole = Whole.of(model, batch, target)
    with torch.no_grad():
        start = padding_baseline(model, batch)
        total = whole.value - whole.explained(model.resume(start, batch).logits)
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    places = torch.from_numpy((1 + nodes) / 2).to(start.device).expand(len(batch), -1)
    shares = torch.from_numpy(weights / 2).to(start.device)

    def ends(numbers: range) -> tuple[Tensor, Tensor]:
        many = len(numbers), *start.shape
        return start.expand(many), whole.embedded.expand(many)

    values = along(model, batch, whole.explained, ends, places, shares, budget)
    return Attribution(values, total, whole.attention)


@MEASURES.register(
    "integrated_gradients",
    cite="Sundararajan et al. 2017",
    refined_by="steps",
    signed=_integrated,
)
def integrated_gradients(
    model: AttentionModel,
    batch: Batch,
    *,
    steps: Steps = 50,
    target: Target = "probability",
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """Integrated gradients: |Σ_d (e_t − b_t) ∫₀¹ ∂F(b + s(e − b))/∂e_t ds|.

    (model, batch) → [B,T], NaN where a position is not scorable. F is the probability of the predicted
    class, or its logit with `target="logit"`, through the attention. The baseline b has the embedding of
    padding in the place of every scorable token; markers and the padding behind a text stay as they are.
    The integral is a sum over `steps` Gauss–Legendre nodes, exact for polynomials of degree 2·steps − 1.
    The values before |·| sum to F(text) − F(baseline): see `attribution.completeness`, and the analysis
    `measures`. `budget` is the memory in bytes that the points of one pass may take.

    Example:
        With even attention the logit is ½ s₁ + ½ s₂, and with padding everywhere 0. Each word has
        its own part of it:

        >>> from attex.importance import integrated_gradients
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, -3])
        >>> integrated_gradients(model, batch, target="logit", steps=4)
        tensor([[0.5000, 1.5000]], dtype=torch.float64)
    """
    attribution = _integrated(model, batch, steps=steps, target=target, budget=budget)
    return attribution.scores(model, batch)


def _expected(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: int = 50,
    background: Background = "padding",
    noise: float = 0.0,
    seed: int = 0,
    target: Target = "probability",
    budget: int | None = None,
) -> Attribution:
    whole = Whole.of(model, batch, target)
    padding = padding_baseline(model, batch).detach()
    one = torch.ones_like(batch.mask[:, :1])
    # Four keys for each seed: places, words, and the two that normal numbers are made of.
    places = uniforms(batch.ids, one, samples, 4 * seed).squeeze(-1)

    def start(number: int) -> Tensor:
        return padding if background == "padding" else drawn_words(model, batch, number, 4 * seed + 1)

    def end(number: int) -> Tensor:
        if not noise:
            return whole.embedded
        width = whole.embedded.shape[-1]
        drawn = normals(batch.ids, batch.scorable, width, 2 * seed + 1, number * width).mT
        return whole.embedded + noise * drawn.to(padding.dtype) * batch.scorable[..., None]

    def ends(numbers: range) -> tuple[Tensor, Tensor]:
        return torch.stack([*map(start, numbers)]), torch.stack([*map(end, numbers)])

    shares = places.new_full((samples,), 1 / samples)
    values = along(model, batch, whole.explained, ends, places, shares, budget)
    with torch.no_grad():
        starts = [start(number) for number in range(1 if background == "padding" else samples)]
        before = torch.stack([whole.explained(model.resume(one, batch).logits) for one in starts])
    return Attribution(values, whole.value - before.mean(dim=0), whole.attention)


@MEASURES.register(
    "gradient_shap",
    cite="Lundberg & Lee 2017; Erion et al. 2021",
    refined_by="samples",
    signed=_expected,
)
def gradient_shap(
    model: AttentionModel,
    batch: Batch,
    *,
    samples: Steps = 50,
    background: Background = "padding",
    noise: Noise = 0.0,
    seed: Seed = 0,
    target: Target = "probability",
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """Expected gradients: |Σ_d E[(e_t + ε_t − b_t) ∂F(b + s(e + ε − b))/∂e_t]|, s uniform in (0, 1).

    (model, batch) → [B,T], NaN where a position is not scorable. The mean of `samples` draws, each of a
    place s on the path, of noise ε on the embeddings of the text (normal, of the standard deviation
    `noise`) and of a baseline b. The `background` that b is drawn from is `padding`, as for
    `integrated_gradients`, to which the mean then comes; or `words`: each scorable token is another
    word of the vocabulary. F, `target` and `budget` as there. Draws depend on `seed`, the text, the
    number of the draw and the position only.

    Example:
        The logit of an even average is linear, so that every draw is exact:

        >>> from attex.importance import gradient_shap
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[1, -3])
        >>> scores = gradient_shap(model, batch, target="logit", samples=200)
        >>> bool((scores[0, 1] / scores[0, 0] - 3).abs() < 0.5)
        True
    """
    attribution = _expected(
        model,
        batch,
        samples=samples,
        background=background,
        noise=noise,
        seed=seed,
        target=target,
        budget=budget,
    )
    return attribution.scores(model, batch)


def along(
    model: AttentionModel,
    batch: Batch,
    explained: Explained,
    ends: Ends,
    places: Tensor,
    shares: Tensor,
    budget: int | None,
) -> Tensor:
    """Add up slopes along paths, times how far they lead: [B,T] in float64.

    Path n of every text is looked at once, at places[:,n] of the way, and counts shares[n]: places
    [B,K], shares [K]. Points of several texts and paths go through the model together.
    """
    texts, device = len(batch), places.device
    bytes_each = model.encoder.gradient_bytes(ends(range(1))[0][0])

    def added_up(memory: int) -> Tensor:
        values = torch.zeros(batch.tokens.shape, dtype=torch.float64, device=device)
        for span in told(spans(texts * places.shape[1], bytes_each, memory)):
            row = torch.arange(span.start, span.stop, device=device)
            path, text = row // texts, row % texts
            first = span.start // texts
            both = ends(range(first, (span.stop - 1) // texts + 1))
            start, end = (each[path - first, text] for each in both)
            ways = end - start
            with torch.enable_grad():
                points = start + places[text, path].to(ways.dtype)[:, None, None] * ways
                points = points.detach().requires_grad_()
                outputs = explained[text](model.resume(points, batch.take(text)).logits)
                (slopes,) = torch.autograd.grad(outputs.sum(), points)
            products = (slopes * ways).sum(dim=-1, dtype=torch.float64) * shares[path, None]
            values.index_add_(0, text, products)
        return values

    return backing_off(added_up, budget or budget_on(device))
