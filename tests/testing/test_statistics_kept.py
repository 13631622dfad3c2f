"""Built-in statistics keep every promise of `attex.testing`, and every promise can be broken."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from promises import NAN, breaks, complaint, needs_gpu
from torch import Tensor

from attex.agreement import Agreement, kendall_tau, top_k
from attex.agreement.statistic import STATISTICS
from attex.testing import agreement as statistics
from attex.testing import check_agreement

broken_statistics: list[Any] = []


@pytest.mark.parametrize("name", [entry.name for entry in STATISTICS])
def test_a_built_in_statistic_keeps_its_promises(name: str) -> None:
    check_agreement(name)


def test_options_reach_the_statistic() -> None:
    check_agreement("tau_ap", symmetric=True)
    check_agreement(top_k, k=3, p=0.0)


def breaks_statistic(promise: Callable[..., Any], says: str, marks: Any = ()) -> Any:
    return breaks(broken_statistics, promise, says, marks)


def valued(found: Agreement, value: Tensor) -> Agreement:
    """Keep a built-in's p-value only where the changed value is defined."""
    assert found.p_value is not None
    return Agreement(value, found.p_value.masked_fill(value.isnan(), NAN))


@breaks_statistic(statistics.an_agreement_of_float64, "value is torch.float32 [52] for 52 texts")
def single_precision(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value.float())


@breaks_statistic(statistics.an_agreement_of_float64, "it is a Tensor")
def a_bare_tensor(a: Tensor, b: Tensor, mask: Tensor) -> Any:
    return kendall_tau(a, b, mask).value


@breaks_statistic(statistics.an_agreement_of_float64, "value is a NoneType")
def without_value(a: Tensor, b: Tensor, mask: Tensor) -> Any:
    return replace(kendall_tau(a, b, mask), value=None)  # type: ignore[arg-type]


@breaks_statistic(statistics.an_agreement_of_float64, "p_value is torch.float64 [1] for 52 texts")
def one_p_value_for_all(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    found = kendall_tau(a, b, mask)
    assert found.p_value is not None
    return Agreement(found.value, found.p_value[:1])


@breaks_statistic(statistics.the_answer_carries_no_graph, "value requires a gradient")
def differentiable(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(torch.cosine_similarity(a.where(mask, 0.0), b.where(mask, 0.0)))


@breaks_statistic(statistics.the_input_is_left_alone, "' became 0.0")
def that_clears_in_place(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return kendall_tau(a.detach().masked_fill_(~mask, 0.0), b, mask)


@breaks_statistic(statistics.the_input_is_left_alone, "k of the text")
def that_cuts_k_in_place(a: Tensor, b: Tensor, mask: Tensor, *, k: int | Tensor) -> Agreement:
    n = mask.sum(dim=1)
    return top_k(a, b, mask, k=k.clamp_(max=n) if isinstance(k, Tensor) else k)


@breaks_statistic(statistics.twice_the_same, "value is")
def noisy(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    found = kendall_tau(a, b, mask)
    return valued(found, found.value * (1 - 1e-14 * torch.rand(len(a), dtype=torch.float64)))


@breaks_statistic(statistics.values_lie_between_minus_one_and_one, "1.5")
def too_large(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    found = kendall_tau(a, b, mask)
    return valued(found, 1.5 * found.value)


@breaks_statistic(statistics.p_values_are_probabilities, "the p-value of the text 'random, n = 16' is")
def twice_the_p_value(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    found = kendall_tau(a, b, mask)
    assert found.p_value is not None
    return Agreement(found.value, 1 + found.p_value)


@breaks_statistic(statistics.p_values_are_probabilities, "of the text 'random, n = 1' is 1")
def a_p_value_for_nothing(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value, torch.ones(len(a), dtype=torch.float64))


@breaks_statistic(statistics.depths_are_numbers_of_tokens, "'random, n = 4' is 5")
def deeper_than_the_text(a: Tensor, b: Tensor, mask: Tensor, *, k: int | Tensor) -> Agreement:
    found = top_k(a, b, mask, k=k)
    assert found.depth is not None
    deep = torch.ones_like(found.value) * k
    return Agreement(found.value, depth=deep.masked_fill(found.value.isnan(), NAN))


@breaks_statistic(statistics.depths_are_numbers_of_tokens, "'random, n = 1' is 0")
def deep_where_undefined(a: Tensor, b: Tensor, mask: Tensor, *, k: int | Tensor) -> Agreement:
    found = top_k(a, b, mask, k=k)
    assert found.depth is not None
    return Agreement(found.value, depth=found.depth.nan_to_num(0.0))


@breaks_statistic(statistics.a_counted_nan_is_undefined, "'a counted NaN in b, n = 13' is")
def blind_to_nan(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return kendall_tau(a.nan_to_num(0.0), b.nan_to_num(0.0), mask)


@breaks_statistic(statistics.a_text_without_tokens_is_undefined, "'random, n = 0' is 0")
def zero_for_nothing(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value.where(mask.any(dim=1), 0.0))


@breaks_statistic(statistics.other_texts_do_not_matter, "value is 0 instead of")
def less_the_mean(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    value = kendall_tau(a, b, mask).value
    return Agreement((value - value.nanmean()) / 2)


@breaks_statistic(statistics.other_texts_do_not_matter, "p_value is None for some texts")
def with_p_values_for_many_texts_only(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    found = kendall_tau(a, b, mask)
    return found if len(a) > 1 else Agreement(found.value)


@breaks_statistic(statistics.order_of_texts_does_not_matter, "value is")
def by_the_first_text(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    n = mask.sum(dim=1)
    return Agreement(kendall_tau(a, b, mask).value * (1.0 if n[0] == n.max() else 0.5))


@breaks_statistic(statistics.padding_does_not_matter, "value is")
def over_the_width(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value / a.shape[1])


@breaks_statistic(statistics.holes_do_not_matter, "with holes")
def of_the_first_n(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    first = torch.arange(a.shape[1]) < mask.sum(dim=1, keepdim=True)
    value = kendall_tau(a, b, first).value
    return Agreement(value.masked_fill(kendall_tau(a, b, mask).value.isnan(), NAN))


@breaks_statistic(statistics.what_is_outside_the_mask_does_not_matter, "with inf there, value is nan")
def times_the_mask(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    # 0 · inf is NaN, and so is 0 · NaN.
    return cosine(a * mask, b * mask)


@breaks_statistic(statistics.order_of_tokens_does_not_matter, "value is")
def of_early_tokens_mostly(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    weight = 1 / mask.cumsum(dim=1).clamp(min=1)
    return cosine(weight * a.where(mask, 0.0), weight * b.where(mask, 0.0))


@breaks_statistic(statistics.the_type_of_number_does_not_matter, "in torch.float32, value is")
def as_precise_as_its_input(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    a, b = (x.detach().where(mask, 0.0) for x in (a, b))
    return Agreement(((a * b).sum(dim=1) / (a.norm(dim=1) * b.norm(dim=1))).double())


@breaks_statistic(statistics.the_type_of_number_does_not_matter, "it raised RuntimeError")
def of_floats_only(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    largest = torch.linalg.vector_norm(a.where(mask, 0).detach(), ord=float("inf"), dim=1)
    return Agreement(kendall_tau(a, b, mask).value.where(largest < float("inf"), NAN))


@breaks_statistic(statistics.a_vector_agrees_with_itself, "compared with itself, scores times 1")
def half_as_much(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value / 2)


@breaks_statistic(statistics.a_vector_agrees_with_itself, "the value is nan of the text")
def of_rounded_scores(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return kendall_tau(a.float(), b.float(), mask)


@breaks_statistic(statistics.k_is_a_number_or_one_per_text, "value is")
def undefined_where_short(a: Tensor, b: Tensor, mask: Tensor, *, k: int | Tensor) -> Agreement:
    found = top_k(a, b, mask, k=k)
    assert found.depth is not None
    short = mask.sum(dim=1) < k if isinstance(k, int) else torch.zeros(len(a), dtype=torch.bool)
    return Agreement(found.value.masked_fill(short, NAN), depth=found.depth.masked_fill(short, NAN))


@breaks_statistic(statistics.an_agreement_of_float64, "Not so with a k for each text: it raised")
def with_one_k_for_all(a: Tensor, b: Tensor, mask: Tensor, *, k: int = 3) -> Agreement:
    return top_k(a, b, mask, k=int(k))


@breaks_statistic(statistics.a_gpu_gives_the_same, "value is", needs_gpu)
def halved_on_a_gpu(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value * (0.5 if a.is_cuda else 1.0))


@breaks_statistic(statistics.a_gpu_gives_the_same, "value came back on cpu", needs_gpu)
def answered_on_the_cpu(a: Tensor, b: Tensor, mask: Tensor) -> Agreement:
    return Agreement(kendall_tau(a, b, mask).value.cpu())


def cosine(a: Tensor, b: Tensor) -> Agreement:
    a, b = a.detach().double(), b.detach().double()
    return Agreement((a * b).sum(dim=1) / (a.norm(dim=1) * b.norm(dim=1)))


@pytest.mark.parametrize(("statistic", "promise", "says"), broken_statistics)
def test_a_statistic_that_breaks_a_promise_is_caught(
    statistic: Callable[..., Agreement], promise: Callable[..., Any], says: str
) -> None:
    message = complaint(check_agreement, statistic, promise)
    assert message.startswith(f"statistic {statistic.__name__}: {inspect.getdoc(promise)} Not so with ")
    assert says in message


def test_every_promise_has_something_that_breaks_it() -> None:
    assert {case.values[1] for case in broken_statistics} == set(statistics.PROMISES)
    assert len(statistics.PROMISES) == len({promise.__doc__ for promise in statistics.PROMISES})
