"""What an importance measure promises, and the check that it does."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.devices import choose_device
from attex.foundations.errors import UserError
from attex.importance.measure import MEASURES, Measure, check_measure
from attex.models.classifier import AttentionModel
from attex.testing.conformance import Promise, furthest, hold, named
from attex.testing.models import models_and_texts, small_corpus, take

_NEAR = 1e-5
"""Models compute in float32: how far scores may be apart, as a share of the largest one."""


def check_importance(measure: str | Callable[..., Tensor], **options: Any) -> None:
    """Raise `ConformanceError` if a measure breaks a promise on one of several small models.

    The promises are those of `PROMISES`, in this order. A registered measure that needs layers of
    self-attention is tried on models that have some.

    Args:
        measure: a registered name or a function (model, batch, *, options) → scores [B,T]; of one that
            learns from a corpus, the class.
        **options: the measure's own.

    Raises:
        ConformanceError: an AssertionError that names the promise, the model and the numbers.
        ValueError: if no measure has that name.

    Example:
        >>> from attex.importance import attention
        >>> from attex.testing import check_importance
        >>> check_importance("attention")
        >>> def less_than_nothing(model, batch):
        ...     return -attention(model, batch)
        >>> check_importance(less_than_nothing)
        Traceback (most recent call last):
            ...
        attex.testing.conformance.ConformanceError: measure less_than_nothing: A score is a finite
        number, 0 or larger. Not so with lstm, tanh, softmax, 2 classes, with markers: one is ...
    """
    name, function = named(MEASURES, measure, options)
    learns = inspect.isclass(function)
    bound = function(small_corpus(), **options) if learns else partial(function, **options)
    trials = {
        where: Trial(bound, model, batch)
        for where, model, batch in models_and_texts()
        if _has_needs(model, function, options)
    }
    hold(name, PROMISES, trials)


@dataclass(frozen=True)
class Trial:
    """A measure, and a model and texts to try it on."""

    measure: Measure
    model: AttentionModel
    batch: Batch

    def scores(self, batch: Batch) -> Tensor:
        """Score copies: a measure that changes what it is given spoils no other promise."""
        return self.measure(deepcopy(self.model), batch.clone())

    @cached_property
    def together(self) -> Tensor:
        """The scores [B,T] of all texts at once."""
        return self.scores(self.batch)

    def apart(self, scores: Tensor, rows: list[int], least: float = 0.0) -> Iterator[str]:
        """Say where the scores of these texts are not what they are for all texts together."""
        # As wide as these scores: a negative width cuts padding off.
        wider = scores.shape[1] - self.together.shape[1]
        expected = F.pad(self.together[rows], (0, wider), value=float("nan"))
        largest = self.together.nan_to_num(0.0).abs().max().item()
        place = furthest(scores, expected, _NEAR * max(largest, least))
        if place is not None:
            row, token = place
            yield (
                f"position {token} of text {rows[row]} scores {scores[place].item():.9g} instead of "
                f"{expected[place].item():.9g}"
            )


def one_float64_score_per_token(trial: Trial) -> Iterator[str]:
    """Scores are a float64 tensor of the shape of the tokens, [B,T]."""
    scores, shape = trial.together, trial.batch.tokens.shape
    if not isinstance(scores, Tensor):
        yield f"they are a {type(scores).__name__}"
    elif scores.dtype != torch.float64 or scores.shape != shape:
        yield f"they are {scores.dtype} {[*scores.shape]}, and the tokens {[*shape]}"


def scores_carry_no_graph(trial: Trial) -> Iterator[str]:
    """Scores are detached from the graph that computed them."""
    if trial.together.requires_grad:
        yield "they require a gradient"


def the_batch_is_left_alone(trial: Trial) -> Iterator[str]:
    """The tensors of the batch are left as they were."""
    given = trial.batch.clone()
    trial.measure(deepcopy(trial.model), given)
    for name, before in trial.batch.tensors().items():
        after = given.tensors()[name]
        if not torch.equal(before, after):
            yield f"{(before != after).sum().item()} of the {name} changed"


def the_model_is_left_alone(trial: Trial) -> Iterator[str]:
    """Parameters, buffers, gradients and training mode of the model are left as they were."""
    model = deepcopy(trial.model)
    for training in (False, True):
        model.train(training)
        for number, parameter in enumerate(model.parameters()):
            parameter.grad = torch.ones_like(parameter) if number % 2 else None
        before = _state(model)
        trial.measure(model, trial.batch.clone())
        after = _state(model)
        for name in before | after:
            if not _equal(before.get(name), after.get(name)):
                yield f"{name} changed, called with model.training = {training}"


def grad_mode_does_not_matter(trial: Trial) -> Iterator[str]:
    """Scores are the same under torch.no_grad() and without it, and the mode is left as it was."""
    for enabled in (False, True):
        with torch.set_grad_enabled(enabled):
            scores = trial.scores(trial.batch)
            left = torch.is_grad_enabled()
        if left != enabled:
            yield f"called with torch.is_grad_enabled() = {enabled}, it leaves {left}"
        yield from trial.apart(scores, [*range(len(trial.batch))])


def twice_the_same(trial: Trial) -> Iterator[str]:
    """A second call gives the same to the bit."""
    first, second = (trial.measure(trial.model, trial.batch) for _ in range(2))
    place = furthest(second, first, 0.0)
    if place is not None:
        yield f"{first[place].item():.17g} became {second[place].item():.17g}"


def padding_and_markers_have_no_score(trial: Trial) -> Iterator[str]:
    """A score is NaN where a position is not scorable."""
    given = (~trial.batch.scored & ~trial.together.isnan()).nonzero().tolist()
    for text, token in given:
        yield f"position {token} of text {text} scores {trial.together[text, token].item():.9g}"


def texts_are_defined_as_a_whole(trial: Trial) -> Iterator[str]:
    """Of the scorable tokens of a text all have a score, or none has."""
    for text, (scores, scored) in enumerate(zip(trial.together, trial.batch.scored, strict=True)):
        missing, tokens = int(scores[scored].isnan().sum()), int(scored.sum())
        if 0 < missing < tokens:
            yield f"{missing} of the {tokens} tokens of text {text} have none"


def some_text_is_defined(trial: Trial) -> Iterator[str]:
    """There is a text that has scores."""
    if trial.together.isnan().all():
        yield f"all {len(trial.batch)} have none"


def scores_are_finite_and_not_negative(trial: Trial) -> Iterator[str]:
    """A score is a finite number, 0 or larger."""
    for score in trial.together[(trial.together < 0) | trial.together.isinf()].tolist():
        yield f"one is {score:.9g}"


def other_texts_do_not_matter(trial: Trial) -> Iterator[str]:
    """A text alone scores what it scores among others."""
    for row in range(len(trial.batch)):
        alone = take(trial.batch, [row], trial.batch.tokens.shape[1])
        yield from trial.apart(trial.scores(alone), [row])


def order_of_texts_does_not_matter(trial: Trial) -> Iterator[str]:
    """Texts in another order score the same."""
    rows = [*range(len(trial.batch))]
    for order in (rows[::-1], rows[2:] + rows[:2]):
        shuffled = take(trial.batch, order, trial.batch.tokens.shape[1])
        yield from trial.apart(trial.scores(shuffled), order)


def padding_does_not_matter(trial: Trial) -> Iterator[str]:
    """A text with more padding, or with none, scores the same."""
    rows, width = [*range(len(trial.batch))], trial.batch.tokens.shape[1]
    yield from trial.apart(trial.scores(take(trial.batch, rows, width + 6)), rows)
    for row, length in enumerate(trial.batch.mask.sum(dim=1).tolist()):
        yield from trial.apart(trial.scores(take(trial.batch, [row], length)), [row])


def a_gpu_gives_the_same(trial: Trial) -> Iterator[str]:
    """A GPU, where there is one, gives what the CPU gives, and the scores stay there."""
    if torch.cuda.is_available():
        device = choose_device("cuda")
        scores = trial.measure(deepcopy(trial.model).to(device), trial.batch.to(device))
        if not scores.is_cuda:
            yield f"the scores came back on {scores.device}"
        # Recurrences on a GPU are off by a few units of float32, however small the scores.
        yield from trial.apart(scores.cpu(), [*range(len(trial.batch))], least=1.0)


PROMISES: list[Promise[Trial]] = [
    one_float64_score_per_token,
    scores_carry_no_graph,
    the_batch_is_left_alone,
    the_model_is_left_alone,
    grad_mode_does_not_matter,
    twice_the_same,
    padding_and_markers_have_no_score,
    texts_are_defined_as_a_whole,
    some_text_is_defined,
    scores_are_finite_and_not_negative,
    other_texts_do_not_matter,
    order_of_texts_does_not_matter,
    padding_does_not_matter,
    a_gpu_gives_the_same,
]


def _has_needs(
    model: AttentionModel, function: Callable[..., Tensor], options: Mapping[str, Any]
) -> bool:
    """Say whether a model has what a measure needs; of one that is not registered nothing is known."""
    for entry in MEASURES:
        if entry.target is function:
            try:
                check_measure(MEASURES.spec({"type": entry.name} | dict(options)), model)
            except UserError:
                return False
    return True


def _state(model: AttentionModel) -> dict[str, Tensor | bool | None]:
    state: dict[str, Tensor | bool | None] = {}
    for name, module in model.named_modules():
        state[f"{name or 'model'}.training"] = module.training
    for name, buffer in model.named_buffers():
        state[name] = buffer.clone()
    for name, parameter in model.named_parameters():
        state[name] = parameter.detach().clone()
        state[f"{name}.requires_grad"] = parameter.requires_grad
        state[f"{name}.grad"] = None if parameter.grad is None else parameter.grad.clone()
    return state


def _equal(x: Tensor | bool | None, y: Tensor | bool | None) -> bool:
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return torch.equal(x, y)
    return x is y
