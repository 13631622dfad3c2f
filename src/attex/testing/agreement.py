"""What an agreement statistic promises, and the check that it does."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attex.agreement.statistic import STATISTICS, Agreement
from attex.testing.conformance import Promise, furthest, hold, named
from attex.testing.scores import Pairs, pairs_of_every_kind

_NEAR = 1e-12
"""Statistics compute in float64: how far values may be apart where sums are taken in another order."""

_TINY = 2.0**-200
"""What a confident model's gradients can be; in float32 it would be 0."""

_DEPTHS = (1, 2, 5, 1000)
"""From the highest token alone to more than any text has."""


def check_agreement(statistic: str | Callable[..., Agreement], **options: Any) -> None:
    """Raise `ConformanceError` if a statistic breaks a promise on one of many pairs of vectors.

    The promises are those of `PROMISES`, in this order. A statistic that has an option k which is
    not given is tried with several k.

    Args:
        statistic: a registered name or a function (a, b, mask, *, options) → Agreement.
        **options: the statistic's own.

    Raises:
        ConformanceError: an AssertionError that names the promise, the scores and the numbers.
        ValueError: if no statistic has that name.

    Example:
        >>> from attex.agreement import Agreement, kendall_tau
        >>> from attex.testing import check_agreement
        >>> check_agreement("kendall_tau")
        >>> def doubled(a, b, mask):
        ...     return Agreement(2 * kendall_tau(a, b, mask).value)
        >>> check_agreement(doubled)
        Traceback (most recent call last):
            ...
        attex.testing.conformance.ConformanceError: statistic doubled: A value lies in [−1, 1], or is
        NaN. Not so with the options given: ...
    """
    name, function = named(STATISTICS, statistic, options)
    bound = partial(function, **options)
    pairs, names = pairs_of_every_kind()
    depths: dict[str, int | Tensor | None] = {"the options given": None}
    option = inspect.signature(function).parameters.get("k")
    if option is not None and option.kind is option.KEYWORD_ONLY and "k" not in options:
        depths = {f"k = {number}": number for number in _DEPTHS}
        depths["a k for each text"] = 1 + pairs.text % 6
    hold(name, PROMISES, {where: Trial(bound, pairs, names, k) for where, k in depths.items()})


@dataclass(frozen=True)
class Trial:
    """A statistic, and pairs of score vectors to try it on.

    `k` is what the trial adds to the options: nothing, a number, or one for every sample.
    """

    statistic: Callable[..., Agreement]
    pairs: Pairs
    names: list[str]
    k: int | Tensor | None

    def options(self, pairs: Pairs) -> dict[str, Any]:
        """Return the options for these texts."""
        if self.k is None:
            return {}
        return {"k": self.k.to(pairs.text.device)[pairs.text] if isinstance(self.k, Tensor) else self.k}

    def compute(self, pairs: Pairs) -> Agreement:
        """Compare copies: a statistic that changes what it is given spoils no other promise."""
        pairs = pairs.clone()
        return self.statistic(pairs.a, pairs.b, pairs.mask, **self.options(pairs))

    @cached_property
    def answer(self) -> Agreement:
        """The agreement of all samples."""
        return self.compute(self.pairs)

    def changes(self, pairs: Pairs) -> Iterator[str]:
        """Say where other vectors for some of the samples get another answer."""
        expected = _each(self.answer, lambda values: values[pairs.text])
        yield from self.apart(self.compute(pairs), expected, pairs)

    def apart(
        self, actual: Agreement, expected: Agreement, pairs: Pairs, tolerance: float = _NEAR
    ) -> Iterator[str]:
        """Say where two answers for these texts differ."""
        for name, x in _columns(actual).items():
            y = _columns(expected)[name]
            if x is None or y is None:
                if x is not y:
                    yield f"{name} is None for some texts and not for others"
                continue
            place = furthest(x, y, tolerance)
            if place is not None:
                was, now = y[place].item(), x[place].item()
                yield f"{name} is {now:.17g} instead of {was:.17g} {self.of(pairs, place[0])}"

    def of(self, pairs: Pairs, row: int) -> str:
        """Say which sample a row is."""
        return f"of the text '{self.names[int(pairs.text[row])]}'"

    def where(self, wrong: Tensor, values: Tensor, name: str = "value") -> Iterator[str]:
        """Name the samples of which something is wrong: wrong [B], values [B]."""
        for row in wrong.nonzero().flatten().tolist():
            yield f"the {name} {self.of(self.pairs, row)} is {values[row].item():.17g}"


def an_agreement_of_float64(trial: Trial) -> Iterator[str]:
    """The answer is an Agreement whose value, and what else it has, is a float64 tensor [B]."""
    if not isinstance(trial.answer, Agreement):
        yield f"it is a {type(trial.answer).__name__}"
        return
    for name, values in _columns(trial.answer).items():
        if values is None and name != "value":
            continue
        if not isinstance(values, Tensor):
            yield f"{name} is a {type(values).__name__}"
        elif values.dtype != torch.float64 or values.shape != (len(trial.pairs),):
            yield f"{name} is {values.dtype} {[*values.shape]} for {len(trial.pairs)} texts"


def the_answer_carries_no_graph(trial: Trial) -> Iterator[str]:
    """The answer is detached from the graph of scores that require a gradient."""
    answer = trial.compute(trial.pairs.scores(lambda scores: scores.clone().requires_grad_()))
    for name, values in _columns(answer).items():
        if values is not None and values.requires_grad:
            yield f"{name} requires a gradient"


def the_input_is_left_alone(trial: Trial) -> Iterator[str]:
    """Scores, mask and k are left as they were."""
    given = trial.pairs.clone()
    options = trial.options(given)
    trial.statistic(given.a, given.b, given.mask, **options)
    before, after = trial.pairs, given
    changes = {"a": (before.a, after.a), "b": (before.b, after.b), "mask": (before.mask, after.mask)}
    if isinstance(trial.k, Tensor):
        changes["k"] = trial.k, options["k"]
    for name, (was, now) in changes.items():
        place = furthest(now.double(), was.double(), 0.0)
        if place is not None:
            yield f"{name} {trial.of(given, place[0])} became {now[place].item()}"


def twice_the_same(trial: Trial) -> Iterator[str]:
    """A second call gives the same to the bit."""
    yield from trial.apart(trial.compute(trial.pairs), trial.answer, trial.pairs, tolerance=0.0)


def values_lie_between_minus_one_and_one(trial: Trial) -> Iterator[str]:
    """A value lies in [−1, 1], or is NaN."""
    value = trial.answer.value
    yield from trial.where(value.abs() > 1 + _NEAR, value)


def p_values_are_probabilities(trial: Trial) -> Iterator[str]:
    """A p-value lies in [0, 1], and is NaN where there is no value."""
    p_value = trial.answer.p_value
    if p_value is not None:
        impossible = (p_value < 0) | (p_value > 1)
        baseless = trial.answer.value.isnan() & ~p_value.isnan()
        yield from trial.where(impossible | baseless, p_value, "p-value")


def depths_are_numbers_of_tokens(trial: Trial) -> Iterator[str]:
    """A depth is a whole number from 1 to n where there is a value, else NaN."""
    depth = trial.answer.depth
    if depth is not None:
        possible = (depth == depth.round()) & (depth >= 1) & (depth <= trial.pairs.mask.sum(dim=1))
        right = depth.isnan().where(trial.answer.value.isnan(), possible)
        yield from trial.where(~right, depth, "depth")


def a_counted_nan_is_undefined(trial: Trial) -> Iterator[str]:
    """The value is NaN where a counted score is."""
    value = trial.answer.value
    yield from trial.where(trial.pairs.broken & ~value.isnan(), value)


def a_text_without_tokens_is_undefined(trial: Trial) -> Iterator[str]:
    """The value is NaN where no token counts."""
    value = trial.answer.value
    yield from trial.where(~trial.pairs.mask.any(dim=1) & ~value.isnan(), value)


def k_is_a_number_or_one_per_text(trial: Trial) -> Iterator[str]:
    """A number k means the same for every text, and counts as n where it is larger."""
    if isinstance(trial.k, int):
        each = trial.pairs.mask.sum(dim=1).clamp(max=trial.k)
        yield from trial.apart(replace(trial, k=each).compute(trial.pairs), trial.answer, trial.pairs)


def other_texts_do_not_matter(trial: Trial) -> Iterator[str]:
    """A text alone gets what it gets among others."""
    for row in range(len(trial.pairs)):
        yield from trial.changes(trial.pairs.rows(slice(row, row + 1)))


def order_of_texts_does_not_matter(trial: Trial) -> Iterator[str]:
    """Texts in another order get the same."""
    yield from trial.changes(trial.pairs.rows(trial.pairs.text.flip(0)))


def padding_does_not_matter(trial: Trial) -> Iterator[str]:
    """Texts with more padding get the same."""
    yield from trial.changes(trial.pairs.columns(lambda values: F.pad(values, (0, 7))))


def holes_do_not_matter(trial: Trial) -> Iterator[str]:
    """A mask with holes gives what the counted scores side by side give."""
    closed = (~trial.pairs.mask).long().argsort(dim=1, stable=True)
    yield from trial.changes(trial.pairs.columns(lambda values: values.gather(1, closed)))


def what_is_outside_the_mask_does_not_matter(trial: Trial) -> Iterator[str]:
    """Scores that do not count may be any numbers, infinite or NaN."""
    for filler in (0.0, -1e300, float("inf"), -float("inf"), float("nan")):
        for complaint in trial.changes(trial.pairs.outside(filler)):
            yield f"with {filler} there, {complaint}"


def order_of_tokens_does_not_matter(trial: Trial) -> Iterator[str]:
    """The tokens of two vectors without ties may stand in any order."""
    # Ties may be broken by position, as published code does.
    untied = trial.pairs.rows(trial.pairs.untied)
    yield from trial.changes(untied.columns(lambda values: values.flip(1)))
    odd_first = torch.arange(untied.a.shape[1]).remainder(2).argsort(descending=True, stable=True)
    yield from trial.changes(untied.columns(lambda values: values[:, odd_first]))


def the_type_of_number_does_not_matter(trial: Trial) -> Iterator[str]:
    """Scores may be of any floating-point type or whole numbers: the same scores get the same."""
    whole = trial.pairs.rows(~trial.pairs.broken).scores(lambda scores: 4 * scores)
    expected = trial.compute(whole)
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
        answer = trial.compute(whole.scores(partial(torch.Tensor.to, dtype=dtype)))
        for complaint in trial.apart(answer, expected, whole):
            yield f"in {dtype}, {complaint}"


def a_vector_agrees_with_itself(trial: Trial) -> Iterator[str]:
    """Equal vectors of three tokens or more without ties get 1, however small their scores."""
    several = trial.pairs.mask.sum(dim=1) > 2
    untied = trial.pairs.rows(trial.pairs.untied & several)
    for size in (1.0, _TINY):
        scores = size * untied.a
        value = trial.compute(replace(untied, a=scores, b=scores.clone())).value
        place = furthest(value, torch.ones_like(value), _NEAR)
        if place is not None:
            about = f"{trial.of(untied, place[0])} compared with itself, scores times {size:g}"
            yield f"the value is {value[place].item():.17g} {about}"


def a_gpu_gives_the_same(trial: Trial) -> Iterator[str]:
    """A GPU, where there is one, gives what the CPU gives, and the answer stays there."""
    if torch.cuda.is_available():
        answer = trial.compute(trial.pairs.to("cuda"))
        for name, values in _columns(answer).items():
            if values is not None and not values.is_cuda:
                yield f"{name} came back on {values.device}"
        yield from trial.apart(_each(answer, torch.Tensor.cpu), trial.answer, trial.pairs)


PROMISES: list[Promise[Trial]] = [
    an_agreement_of_float64,
    the_answer_carries_no_graph,
    the_input_is_left_alone,
    twice_the_same,
    values_lie_between_minus_one_and_one,
    p_values_are_probabilities,
    depths_are_numbers_of_tokens,
    a_counted_nan_is_undefined,
    a_text_without_tokens_is_undefined,
    k_is_a_number_or_one_per_text,
    other_texts_do_not_matter,
    order_of_texts_does_not_matter,
    padding_does_not_matter,
    holes_do_not_matter,
    what_is_outside_the_mask_does_not_matter,
    order_of_tokens_does_not_matter,
    the_type_of_number_does_not_matter,
    a_vector_agrees_with_itself,
    a_gpu_gives_the_same,
]


def _columns(agreement: Agreement) -> dict[str, Tensor | None]:
    return {field.name: getattr(agreement, field.name) for field in fields(Agreement)}


def _each(agreement: Agreement, change: Callable[[Tensor], Tensor]) -> Agreement:
    changed = {name: None if x is None else change(x) for name, x in _columns(agreement).items()}
    return Agreement(**changed)  # type: ignore[arg-type]  # the value is always there
