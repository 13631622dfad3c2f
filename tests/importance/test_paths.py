"""Integrated and expected gradients against closed forms, against Captum, and as words in pieces."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from toys import ASKED, captum, make_batch, make_model, rows_of, with_query

from attex.data.batch import Batch
from attex.foundations.draws import uniforms
from attex.importance import gradient_shap, integrated_gradients
from attex.importance.attribution import Whole, completeness, drawn_words
from attex.importance.baseline import baseline
from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel

LENGTHS = [6, 3, 9]
KINDS = [
    ("lstm", "tanh", "softmax", 2, "linear"),
    ("gru", "sdp", "entmax15", 3, "linear"),
    ("cnn", "tanh", "softmax", 3, "linear"),
    ("transformer", "tanh", "softmax", 2, "linear"),
    ("average", "linear", "sparsemax", 2, "linear"),
    ("embedding", "tanh", "softmax", 4, "query"),
    ("lstm", "tanh", "softmax", 3, "pair"),
]


def made(kind: tuple[str, str, str, int, str]) -> tuple[AttentionModel, Batch]:
    encoder, attention, projection, classes, decoder = kind
    query = {"query": {}, "pair": {"shared": True}}.get(decoder)
    model = make_model(encoder, attention, projection, classes, decoder=decoder, query=query)
    batch = make_batch(LENGTHS)
    return model, batch if query is None else with_query(batch, ASKED[: len(LENGTHS)], classes)


class FromEmbeddings(nn.Module):
    """The explained number as Captum asks for it: of embeddings, and of which texts they are."""

    def __init__(self, model: AttentionModel, batch: Batch, whole: Whole) -> None:
        super().__init__()
        self.model, self.batch, self.whole = model, batch, whole

    def forward(self, embedded: Tensor, texts: Tensor) -> Tensor:
        logits = self.model.resume(embedded, self.batch.take(texts)).logits
        return self.whole.explained[texts](logits)


def captums_integrated_gradients(
    model: AttentionModel, batch: Batch, whole: Whole, steps: int
) -> Tensor:
    """Let Captum integrate over the same nodes: [B,T,d]."""
    method = captum().IntegratedGradients(FromEmbeddings(model, batch, whole))
    found: Tensor = method.attribute(
        whole.embedded,
        baselines=baseline(model, batch).detach(),
        additional_forward_args=(torch.arange(len(batch)),),
        n_steps=steps,
        method="gausslegendre",
    )
    return found


def scored(scores: Tensor, batch: Batch) -> Tensor:
    return scores[batch.scorable]


@pytest.mark.parametrize("target", ["probability", "logit"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_integrated_gradients_are_captums(kind: tuple[str, str, str, int, str], target: str) -> None:
    model, batch = made(kind)
    whole = Whole.of(model, batch, target)
    theirs = captums_integrated_gradients(model, batch, whole, steps=8)
    ours = integrated_gradients(model, batch, steps=8, target=target)
    expected = theirs.sum(dim=-1).abs().double()
    torch.testing.assert_close(scored(ours, batch), scored(expected, batch), atol=1e-5, rtol=1e-4)


def even_average(classes: int = 2) -> tuple[AttentionModel, Batch]:
    """logits = W Σ_t e_t / n + b: linear in every embedding."""
    return make_model("embedding", "linear", "uniform", classes), make_batch(LENGTHS)


@pytest.mark.parametrize("classes", [2, 3])
def test_integrated_gradients_of_a_linear_model_are_input_times_weight(classes: int) -> None:
    model, batch = even_average(classes)
    scores = integrated_gradients(model, batch, steps=1, target="logit")
    logits = model(batch).logits
    for row, length in enumerate(LENGTHS):
        weight = model.decoder.output.weight[logits[row].argmax() if classes > 2 else 0]
        words = model.embedding.weight[batch.tokens[row][batch.scorable[row]]]
        expected = (words @ weight / length).abs().detach().double()
        torch.testing.assert_close(scores[row][batch.scorable[row]], expected, atol=1e-6, rtol=1e-5)


def test_the_baseline_leaves_markers_and_padding_as_they_are() -> None:
    model, batch = make_model(), make_batch(LENGTHS)
    start = baseline(model, batch)
    assert (start[batch.scorable] == 0).all()
    assert torch.equal(start[~batch.scorable], model.embed(batch)[~batch.scorable])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_enough_steps_are_complete(kind: tuple[str, str, str, int, str]) -> None:
    model, batch = made(kind)
    kinks = kind[0] == "cnn" or kind[2] == "sparsemax" or kind[4] == "pair"
    assert completeness(model, batch, steps=200).max() < (3e-3 if kinks else 1e-5)
    with pytest.raises(ValueError, match="'attention' do not share"):
        completeness(model, batch, "attention")


@pytest.mark.parametrize("name", ["integrated_gradients", "gradient_shap", "deep_lift"])
def test_the_memory_at_hand_changes_nothing(name: str) -> None:
    model, batch = make_model("cnn"), make_batch(LENGTHS)
    score = MEASURES[name].target
    few = {} if name == "deep_lift" else {MEASURES[name].facts["refined_by"]: 5}
    plenty, tight = score(model, batch, **few), score(model, batch, **few, budget=1)
    torch.testing.assert_close(plenty, tight, atol=1e-6, rtol=1e-5, equal_nan=True)


def test_expected_gradients_are_captums_given_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = 6
    model, batch = make_model("lstm", classes=3), make_batch([7, 7, 7])
    whole = Whole.of(model, batch, "probability")
    places = uniforms(batch.ids, batch.mask[:, :1], samples, 4 * 5).squeeze(-1)
    # Captum asks for all places at once, those of a text side by side.
    monkeypatch.setattr(np.random, "uniform", lambda low, high, size: places.flatten().numpy())
    theirs = (
        captum()
        .GradientShap(FromEmbeddings(model, batch, whole))
        .attribute(
            whole.embedded,
            # They all have the same markers, and no padding.
            baselines=baseline(model, batch).detach()[:1],
            additional_forward_args=(torch.arange(len(batch)),),
            n_samples=samples,
        )
    )
    ours = gradient_shap(model, batch, samples=samples, seed=5)
    expected = theirs.sum(dim=-1).abs().double()
    torch.testing.assert_close(scored(ours, batch), scored(expected, batch), atol=1e-6, rtol=1e-4)


def test_expected_gradients_come_to_integrated_ones() -> None:
    model, batch = make_model("average"), make_batch(LENGTHS)
    exact = scored(integrated_gradients(model, batch, steps=100), batch)
    errors = [
        (scored(gradient_shap(model, batch, samples=samples), batch) - exact).abs().max() / exact.max()
        for samples in (20, 2_000)
    ]
    assert errors[1] < 0.05
    assert errors[1] < errors[0] / 3


def test_expected_gradients_of_a_linear_model_are_the_distance_from_the_mean_baseline() -> None:
    model, batch = even_average()
    options = {"samples": 7, "background": "words", "target": "logit", "seed": 2}
    found = MEASURES["gradient_shap"].facts["signed"](model, batch, **options)
    starts = torch.stack([drawn_words(model, batch, number, 4 * 2 + 1) for number in range(7)])
    away = (model.embed(batch) - starts.mean(dim=0)) @ model.decoder.output.weight[0]
    side = torch.where(model(batch).logits > 0, 1, -1)
    expected = (side * away / batch.scorable.sum(dim=1, keepdim=True)).detach().double()
    torch.testing.assert_close(
        scored(found.values, batch), scored(expected, batch), atol=1e-6, rtol=1e-4
    )
    assert found.gap.max() < 1e-5
    # The model does not know of an order: the same word has one score, the mean of what each was given.
    scores = gradient_shap(model, batch, **options)
    twice = batch.tokens[0] == batch.tokens[0][batch.scorable[0]].mode().values
    assert twice.sum() == 2
    torch.testing.assert_close(scores[0, twice], found.values[0, twice].mean().abs().expand(2))


def test_noise_is_drawn_for_each_text_on_its_own_and_has_its_size() -> None:
    model, batch = even_average()
    plain, noisy = (
        gradient_shap(model, batch, samples=1, noise=noise, target="logit") for noise in (0.0, 0.1)
    )
    assert not torch.allclose(scored(plain, batch), scored(noisy, batch))
    alone = gradient_shap(model, rows_of(batch, [2], 15), samples=1, noise=0.1, target="logit")
    torch.testing.assert_close(alone[0, :11], noisy[2, :11], atol=1e-6, rtol=1e-5, equal_nan=True)
    many = gradient_shap(model, batch, samples=500, noise=0.1, target="logit")
    torch.testing.assert_close(scored(many, batch), scored(plain, batch), atol=0.05, rtol=0)


@pytest.mark.parametrize("name", ["integrated_gradients", "gradient_shap", "deep_lift"])
def test_a_word_has_the_sum_of_its_pieces_before_the_sign_is_dropped(name: str) -> None:
    model, whole = make_model("lstm"), make_batch([6, 4])
    word = torch.full_like(whole.tokens, -1)
    word[0, 1:7] = torch.tensor([0, 0, 1, 2, 2, 2])
    word[1, 1:5] = torch.tensor([0, 1, 1, 2])
    pieces = replace(whole, word=word)
    values = MEASURES[name].facts["signed"](model, whole).values
    scores = MEASURES[name].target(model, pieces)
    assert torch.equal(scores.isfinite(), pieces.scored)
    for row in range(2):
        for number in range(3):
            places = (word[row] == number).nonzero()[:, 0]
            expected = values[row, places].sum().abs()
            torch.testing.assert_close(scores[row, places[0]], expected, atol=1e-7, rtol=1e-5)
