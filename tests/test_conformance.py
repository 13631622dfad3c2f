"""Built-ins keep every promise of `attex.testing`, and every promise can be broken."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attex.agreement import Agreement, kendall_tau, top_k
from attex.agreement.statistic import STATISTICS
from attex.data.batch import Batch
from attex.importance import attention, gradient
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel
from attex.testing import ConformanceError, check_agreement, check_importance
from attex.testing import agreement as statistics
from attex.testing import importance as measures
from attex.testing.conformance import furthest

PAGE = Path(__file__).parent.parent / "docs" / "plug-ins.md"
NAN = float("nan")

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")
broken_measures: list[Any] = []
broken_statistics: list[Any] = []


def breaks(cases: list[Any], promise: Callable[..., Any], says: str, marks: Any = ()) -> Any:
    """Collect a component that breaks a promise, and what the message then says."""

    def add(component: Any) -> Any:
        cases.append(pytest.param(component, promise, says, id=component.__name__, marks=marks))
        return component

    return add


# --- measures


@pytest.mark.parametrize("name", [entry.name for entry in MEASURES])
def test_a_built_in_measure_keeps_its_promises(name: str) -> None:
    check_importance(name)


@pytest.mark.parametrize("options", [{"detach_attention": False}, {"target": "gold_loss"}])
def test_options_reach_the_measure(options: dict[str, Any]) -> None:
    check_importance("gradient", **options)
    check_importance(gradient, **options)


def changed(change: Callable[[Tensor, AttentionModel, Batch], Tensor]) -> Callable[..., Tensor]:
    """Make a measure of a change to the attention weights."""

    def measure(model: AttentionModel, batch: Batch) -> Tensor:
        return change(attention(model, batch), model, batch)

    measure.__name__ = change.__name__
    return measure


def breaks_measure(promise: Callable[..., Any], says: str, marks: Any = ()) -> Any:
    return lambda change: breaks(broken_measures, promise, says, marks)(changed(change))


@breaks_measure(measures.one_float64_score_per_token, "they are torch.float32 [5, 14]")
def in_single_precision(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.float()


@breaks_measure(measures.one_float64_score_per_token, "torch.float64 [5], and the tokens [5, 14]")
def one_score_per_text(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.nansum(dim=1)


@breaks_measure(measures.one_float64_score_per_token, "they are a list")
def a_list(scores: Tensor, model: AttentionModel, batch: Batch) -> Any:
    return scores.tolist()


@breaks_measure(measures.one_float64_score_per_token, "it raised ZeroDivisionError: division by zero")
def an_error(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores * (1 / 0)


@breaks_measure(measures.scores_carry_no_graph, "they require a gradient")
def with_its_graph(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return only_scorable(model(batch).attention, batch)


@breaks_measure(measures.the_batch_is_left_alone, "43 of the tokens changed")
def that_masks_tokens_in_place(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    batch.tokens[~batch.scorable] = 1
    return scores


@breaks_measure(measures.the_model_is_left_alone, "embedding.weight changed")
def that_turns_a_weight(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    model.embedding.weight.data[4] += 1.0
    return scores


@breaks_measure(
    measures.the_model_is_left_alone, "model.training changed, called with model.training = False"
)
def that_forgets_training_mode(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    model.train()
    return scores


@breaks_measure(
    measures.the_model_is_left_alone, "model.training changed, called with model.training = True"
)
def that_forgets_evaluation_mode(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    model.eval()
    return scores


@breaks_measure(measures.the_model_is_left_alone, ".grad changed")
def that_clears_gradients(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    model.zero_grad()
    return scores


@breaks_measure(measures.the_model_is_left_alone, ".grad changed")
def that_leaves_gradients(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    with torch.enable_grad():
        model(batch).logits.sum().backward()
    return scores


@breaks_measure(measures.the_model_is_left_alone, "embedding.weight.requires_grad changed")
def that_freezes_the_model(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    model.requires_grad_(False)
    return scores


@breaks_measure(measures.grad_mode_does_not_matter, "it raised RuntimeError: element 0 of tensors")
def that_needs_grad_mode(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    embedded = model.embed(batch).detach().requires_grad_()
    hidden = model.encode(embedded, batch)
    logits = model.decode(hidden, model.attend(hidden, batch), batch)
    (slope,) = torch.autograd.grad(logits.sum(), embedded)
    return only_scorable(slope.norm(dim=-1), batch)


@breaks_measure(measures.grad_mode_does_not_matter, "instead of")
def another_under_no_grad(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores if torch.is_grad_enabled() else scores / 2


@breaks_measure(measures.grad_mode_does_not_matter, "is_grad_enabled() = True, it leaves False")
def that_leaves_gradients_off(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    torch.set_grad_enabled(False)
    return scores


@breaks_measure(measures.twice_the_same, "became")
def at_random(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    # So little that only a comparison to the bit sees it.
    return scores * (1 + 1e-9 * torch.rand_like(scores))


@breaks_measure(measures.padding_and_markers_have_no_score, "position 0 of text 0 scores 0")
def zero_instead_of_nan(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.where(batch.scorable, 0.0)


@breaks_measure(measures.texts_are_defined_as_a_whole, "1 of the 7 tokens of text 0 have none")
def nan_inside(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.index_fill(1, torch.tensor([2]), NAN)


@breaks_measure(measures.some_text_is_defined, "all 5 have none")
def nothing_at_all(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return torch.full_like(scores, NAN)


@breaks_measure(measures.scores_are_finite_and_not_negative, "one is -0.")
def negative(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return -scores


@breaks_measure(measures.scores_are_finite_and_not_negative, "one is inf")
def infinite(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.masked_fill(scores == scores.nan_to_num(0.0).amax(dim=1, keepdim=True), float("inf"))


@breaks_measure(measures.other_texts_do_not_matter, "of text 0 scores 0.")
def shared_among_the_batch(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores / scores.nansum()


@breaks_measure(measures.other_texts_do_not_matter, "of text 1 scores")
def by_place_in_the_batch(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores * torch.arange(1, 1 + len(batch))[:, None]


@breaks_measure(measures.order_of_texts_does_not_matter, "instead of")
def only_in_order(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores if (batch.ids.diff() > 0).all() else scores / 2


@breaks_measure(measures.padding_does_not_matter, "instead of")
def shared_with_padding(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores / batch.tokens.shape[1]


@breaks_measure(measures.padding_does_not_matter, "position 14 of text 0 scores 1 instead of nan")
def a_score_for_far_padding(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.where(torch.arange(scores.shape[1]) < 14, 1.0)


@breaks_measure(measures.a_gpu_gives_the_same, "instead of", needs_gpu)
def another_on_a_gpu(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores + 1e-3 * scores.is_cuda


@breaks_measure(measures.a_gpu_gives_the_same, "the scores came back on cpu", needs_gpu)
def always_on_the_cpu(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
    return scores.cpu()


@pytest.mark.parametrize(("measure", "promise", "says"), broken_measures)
def test_a_measure_that_breaks_a_promise_is_caught(
    measure: Callable[..., Tensor], promise: Callable[..., Any], says: str
) -> None:
    # One of them turns gradients off for good.
    with torch.enable_grad():
        message = complaint(check_importance, measure, promise)
    assert message.startswith(f"measure {measure.__name__}: {inspect.getdoc(promise)} Not so with ")
    assert says in message


def test_a_text_may_be_undefined_as_a_whole() -> None:
    def several(scores: Tensor, model: AttentionModel, batch: Batch) -> Tensor:
        return scores.masked_fill(batch.scorable.sum(dim=1, keepdim=True) < 2, NAN)

    check_importance(changed(several))


# --- statistics


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


# --- both


def complaint(check: Callable[..., None], component: Any, promise: Callable[..., Any]) -> str:
    """Return the message of a check that fails by this promise and no other."""
    with pytest.raises(ConformanceError) as caught:
        check(component)
    assert caught.value.promise == promise.__name__, caught.value
    return str(caught.value)


@pytest.mark.parametrize(
    ("promises", "cases"),
    [(measures.PROMISES, broken_measures), (statistics.PROMISES, broken_statistics)],
    ids=["measures", "statistics"],
)
def test_every_promise_has_something_that_breaks_it(promises: list[Any], cases: list[Any]) -> None:
    assert {case.values[1] for case in cases} == set(promises)
    assert len(promises) == len({promise.__doc__ for promise in promises})


def test_a_name_that_is_not_registered_is_said() -> None:
    with pytest.raises(ValueError, match=r"no measure 'atention'; did you mean 'attention'\?"):
        check_importance("atention")
    with pytest.raises(ValueError, match="no statistic 'kendall'"):
        check_agreement("kendall")


def test_options_are_part_of_the_name() -> None:
    def scaled(a: Tensor, b: Tensor, mask: Tensor, *, by: float) -> Agreement:
        return Agreement(by * kendall_tau(a, b, mask).value)

    check_agreement(scaled, by=1.0)
    with pytest.raises(ConformanceError, match=re.escape("statistic scaled(by=2.0): A value lies in")):
        check_agreement(scaled, by=2.0)


def test_checks_leave_the_callers_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    check_importance("attention")
    check_agreement("kendall_tau")
    assert torch.equal(torch.get_rng_state(), before)


def test_nan_is_far_from_every_number() -> None:
    row = torch.tensor([[1.0, NAN, 3.0]])
    assert furthest(row, row.clone(), 0.0) is None
    assert furthest(row, torch.tensor([[1.5, NAN, 3.0]]), 1.0) is None
    assert furthest(row, torch.tensor([[9.0, 2.0, 3.0]]), 1.0) == (0, 1)


# --- the page for authors


def blocks() -> list[tuple[str, str]]:
    """Return language and text of every fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_what_the_page_shows_works(tmp_path: Path) -> None:
    commands = []
    for language, text in blocks():
        if language in ("python", "jsonnet"):
            first, _, _ = text.partition("\n")
            (tmp_path / first.lstrip("#/ ")).write_text(text, encoding="utf-8")
        elif language == "sh":
            commands += text.splitlines()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in commands:
        found = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert found.returncode == 0, (command, found.stdout, found.stderr)
    assert len(commands) == 2
    (table,) = tmp_path.glob("outputs/own/*/tables/agreement.csv")
    rows = table.read_text(encoding="utf-8").splitlines()
    assert any("weighted_norm(order=1.0)" in row and "cosine" in row for row in rows)


def test_the_page_names_every_promise() -> None:
    words = " ".join(PAGE.read_text(encoding="utf-8").split())
    for promise in (*measures.PROMISES, *statistics.PROMISES):
        assert f"- {inspect.getdoc(promise)}" in words


def test_the_message_on_the_page_is_what_is_said() -> None:
    (shown,) = (text for language, text in blocks() if language == "text")

    def weighted_norm(model: AttentionModel, batch: Batch) -> Tensor:
        scores = attention(model, batch)
        return scores / scores.nansum()

    said = complaint(check_importance, weighted_norm, measures.other_texts_do_not_matter)
    # The numbers are those of one machine.
    (until, _), (expected, _) = (text.split("position") for text in (" ".join(shown.split()), said))
    assert until == expected
