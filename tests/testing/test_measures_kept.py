"""Built-in measures keep every promise of `attex.testing`, and every promise can be broken."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from promises import NAN, breaks, complaint, needs_gpu
from torch import Tensor
from toys import few

from attex.data.batch import Batch
from attex.importance import attention, gradient
from attex.importance.measure import MEASURES, only_scorable
from attex.models.classifier import AttentionModel
from attex.testing import check_importance
from attex.testing import importance as measures

broken_measures: list[Any] = []


@pytest.mark.parametrize("name", [entry.name for entry in MEASURES])
def test_a_built_in_measure_keeps_its_promises(name: str) -> None:
    check_importance(name, **few(name))


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


def test_every_promise_has_something_that_breaks_it() -> None:
    assert {case.values[1] for case in broken_measures} == set(measures.PROMISES)
    assert len(measures.PROMISES) == len({promise.__doc__ for promise in measures.PROMISES})
