"""Measures of paths on pretrained models: words in pieces, markers, and what has no rule."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from pretrained_folders import write_folder
from pretrained_toys import batch_of, classifier, encoder_under_attention
from test_paths import captums_integrated_gradients

from attex.foundations.errors import UserError
from attex.importance import deep_lift, gradient_shap, integrated_gradients
from attex.importance.attribution import Whole, completeness
from attex.importance.baseline import baseline
from attex.importance.measure import MEASURES, by_word, check_measure, only_scorable
from attex.models.classifier import AttentionModel

TEXTS = ("the unbelievable film was not very good", "badly", "was was was a films films")
Make = Callable[..., AttentionModel]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("bert"), labels=("x", "y", "z"))


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_integrated_gradients_are_captums_added_up_by_word(folder: Path, make: Make) -> None:
    model, batch = make(folder, 3), batch_of(folder, TEXTS)
    whole = Whole.of(model, batch, "probability")
    theirs = captums_integrated_gradients(model, batch, whole, steps=6)
    expected = by_word(theirs.sum(dim=-1).double(), batch).abs()
    ours = integrated_gradients(model, batch, steps=6)
    assert torch.equal(ours.isfinite(), batch.scored)
    torch.testing.assert_close(ours[batch.scored], expected[batch.scored], atol=1e-5, rtol=1e-4)
    tight = integrated_gradients(model, batch, steps=6, budget=1)
    torch.testing.assert_close(tight, ours, atol=1e-6, rtol=1e-4, equal_nan=True)


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_paths_are_complete_and_begin_at_padding(folder: Path, make: Make) -> None:
    model, batch = make(folder, 3), batch_of(folder, TEXTS)
    start = baseline(model, batch)
    padding = model.embedding.weight[model.embedding.padding_idx]
    assert (start[batch.scorable] == padding).all()
    assert torch.equal(start[~batch.scorable], model.embed(batch)[~batch.scorable])
    assert completeness(model, batch).max() < 1e-3
    assert torch.equal(gradient_shap(model, batch, samples=2).isfinite(), batch.scored)


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_deep_lift_has_no_rule_for_them(folder: Path, make: Make) -> None:
    model, batch = make(folder, 3), batch_of(folder, TEXTS)
    with pytest.raises(UserError, match=r"deep_lift cannot be computed .* no rule for its Pretrained"):
        check_measure(MEASURES.spec("deep_lift"), model)
    with pytest.raises(UserError, match="no rule for its Pretrained"):
        deep_lift(model, batch)


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_deep_lift_with_own_slopes_is_a_gradient_times_the_way_from_padding(
    folder: Path, make: Make
) -> None:
    model, batch = make(folder, 3), batch_of(folder, TEXTS)
    measure = MEASURES.spec({"type": "deep_lift", "slopes": "own"})
    check_measure(measure, model)
    embedded = model.embed(batch).detach().requires_grad_()
    outputs = model.resume(embedded, batch).logits.softmax(dim=1).max(dim=1).values
    (slopes,) = torch.autograd.grad(outputs.sum(), embedded)
    products = (slopes * (embedded - baseline(model, batch))).sum(dim=-1).detach().double()
    expected = only_scorable(by_word(products, batch).abs(), batch)
    found = deep_lift(model, batch, slopes="own")
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-4, equal_nan=True)
