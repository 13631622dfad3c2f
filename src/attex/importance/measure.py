"""What an importance measure is: a non-negative score for every scorable token."""

from collections.abc import Callable

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import Registry, Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

Measure = Callable[[AttentionModel, Batch], Tensor]
"""(model, batch) → scores [B,T] in float64, NaN where a position is not scorable."""

MEASURES: Registry[Tensor] = Registry(
    "measure",
    "attex.importance",
    over="inputs",
    counterpart=None,
    growth=1,
    asks_model=True,
    refined_by=None,
    learns=False,
    signed=None,
    lacks=None,
    needs=None,
    needs_if=(),
)
"""Facts of a measure: `over`, whether it scores "inputs" or "hidden" states; `counterpart`, the
name of the measure over inputs that one over hidden states is the same as otherwise; `growth`, the
power of a text's length that its work grows with, by which it is told how long it takes;
`asks_model`, whether its scores depend on the model at all; and `refined_by`, the name of the option,
a whole number of samples or steps, that brings scores nearer to what they estimate. `learns` says that
it is a class, made of the corpus before it is asked for scores. `signed` is a function with the same
parameters that returns what the scores are absolute values of (`attribution.Attribution`), and `lacks`
one that says of a model why it cannot have the measure with these options, or None. `needs="layers"`
says that it is of models with layers of self-attention only; with `needs_if` only where one of the
options named there is set.
"""


def is_over_states(measure: Spec) -> bool:
    """Say whether a measure scores hidden states in place of inputs."""
    return bool(MEASURES[measure.type].facts["over"] == "hidden")


def over_inputs(measure: Spec) -> Spec | None:
    """Return the same measure over inputs, with the same options, if there is one."""
    name = MEASURES[measure.type].facts["counterpart"]
    return None if name is None else MEASURES.spec(measure.options() | {"type": name})


def made(measure: Spec, corpus: Corpus) -> Measure:
    """Return the measure with its options, made of the corpus if it learns from that."""
    learned = (corpus,) if MEASURES[measure.type].facts["learns"] else ()
    bound: Measure = MEASURES.bind(measure, *learned)
    return bound


def check_measure(measure: Spec, model: AttentionModel) -> None:
    """Raise `UserError` if a model of this shape cannot have the measure; it need have no weights."""
    lacks = MEASURES[measure.type].facts["lacks"]
    reason = None if lacks is None else lacks(model, measure)
    if reason is not None:
        raise UserError(f"importance: {measure.title} cannot be computed for this model: {reason}")
    _check_needs(measure, model)


def halved(measure: Spec) -> Spec | None:
    """Return the same measure with half of its samples or steps; None where there are none to halve."""
    option = MEASURES[measure.type].facts["refined_by"]
    count = 0 if option is None else getattr(measure, option)
    return (
        None
        if count < 2
        else MEASURES.spec(measure.options() | {"type": measure.type, option: count // 2})
    )


def growth(measure: Spec, encoder: Encoder) -> int:
    """Return the power of a text's length that the work grows with, self-attention included."""
    power: int = MEASURES[measure.type].facts["growth"]
    return power + (encoder.weights_per_position > 0)


def _check_needs(measure: Spec, model: AttentionModel) -> None:
    """Raise `UserError` where a measure needs layers of self-attention that the model does not have."""
    options, facts = measure.options(), MEASURES[measure.type].facts
    chosen = [name for name in facts["needs_if"] if options[name] is not None]
    if facts["needs"] is None or (facts["needs_if"] and not chosen):
        return
    both = [model, model.turned()] if model.attends_to_query else [model]
    for read in both:
        check_layers(read, measure.title, options.get("layer"), options.get("head"))


def check_layers(model: AttentionModel, title: str, layer: int | None, head: int | None) -> None:
    """Raise `UserError` unless the model has layers of self-attention, and the one and head chosen."""
    encoder = model.encoder
    if not encoder.layer_count:
        raise UserError(
            f"importance: {title} needs layers of self-attention, which this model's encoder does not"
            " have (transformer and pretrained have)"
        )
    for what, chosen, count in (("layer", layer, encoder.layer_count), ("head", head, encoder.heads)):
        if chosen is not None and chosen >= count:
            raise UserError(
                f"importance: {title}: there is no {what} {chosen}; the model has {count}, from 0 on"
            )


def tied(scores: Tensor, model: AttentionModel, attention: Tensor, batch: Batch) -> Tensor:
    """Give positions that the model treats the same one score: [B,T] → [B,T].

    Rounding depends on the place in the batch, and would tell equal words apart that are ties.
    attention [B,T] are the weights of the texts.
    """
    return scores.gather(1, model.alike(attention, batch))


def by_word(values: Tensor, batch: Batch) -> Tensor:
    """Add up what the pieces of each word have, signs and all: [B,T] → [B,T].

    The sum stands at every piece of the word. Where positions are words, all stays as it is.
    """
    if batch.word is None:
        return values
    number = batch.word.clamp(min=0)
    sums = torch.zeros_like(values).scatter_add(1, number, values * (batch.word >= 0))
    return sums.gather(1, number)


def share_of_zeros(scores: Tensor) -> Tensor:
    """Return which share of a text's scores is exactly 0: [B,T] → [B], NaN for a text without any.

    Scores of 0 are tied: a fit that sets most of them to 0, as the lasso does, has next to no order.

    Example:
        >>> import torch
        >>> from attex.importance.measure import share_of_zeros
        >>> share_of_zeros(torch.tensor([[0.0, 2.0, 0.0, 1.0, float("nan")]]))
        tensor([0.5000], dtype=torch.float64)
    """
    return (scores == 0).sum(dim=1).double() / (~scores.isnan()).sum(dim=1)


def only_scorable(scores: Tensor, batch: Batch) -> Tensor:
    """Blank what does not count: float64, NaN but where a scorable position, or word, has its score.

    Of a word in pieces it stands at the first of them; `by_word` adds up what they have.
    """
    return scores.double().masked_fill(~batch.scored, float("nan"))
