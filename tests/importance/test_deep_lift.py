"""DeepLIFT: Captum's where that has rules, what single numbers give where not, and always complete."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from scalar_graph import Number, constant, gru, linear, lstm, sigmoid, softmax
from torch import Tensor, nn
from toys import ASKED, WORD_ENCODERS, captum, make_batch, make_model, with_query

import attex
from attex.data.batch import Batch
from attex.foundations.errors import UserError
from attex.importance import deep_lift, deep_lift_shap
from attex.importance.attribution import completeness, drawn_words
from attex.importance.baseline import baseline
from attex.importance.measure import MEASURES, check_measure
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.encoder import ENCODERS, Encoder

LENGTHS = [6, 3, 9]


class OfModules(nn.Module):
    """The model with even attention, as Captum has rules for it: each function a module of its own."""

    def __init__(self, model: AttentionModel, batch: Batch, ends: nn.Module | None) -> None:
        super().__init__()
        self.model, self.batch = model, batch
        self.bend = nn.ReLU() if ends is None else ends
        self.output = nn.Sigmoid()

    def forward(self, embedded: Tensor) -> Tensor:
        encoder: Any = self.model.encoder
        mask = self.batch.mask.repeat(len(embedded) // len(self.batch), 1)
        scorable = self.batch.scorable.repeat(len(embedded) // len(self.batch), 1)
        averages = isinstance(self.bend, nn.Tanh)
        inner = encoder.project(embedded) if averages else encoder.filtered(embedded, mask)
        weights = (scorable / scorable.sum(dim=1, keepdim=True)).float()
        hidden = self.bend(inner) * mask[..., None]
        return self.output(self.model.decoder.output((weights[:, :, None] * hidden).sum(dim=1)))


def of_modules(encoder: str) -> tuple[AttentionModel, Batch, OfModules]:
    model, batch = make_model(encoder, "linear", "uniform"), make_batch(LENGTHS)
    return model, batch, OfModules(model, batch, nn.Tanh() if encoder == "average" else None)


def signs(model: AttentionModel, batch: Batch) -> Tensor:
    """Of the class that is predicted, where Captum explains the second."""
    return torch.where(model(batch).logits > 0, 1.0, -1.0).double()


@pytest.mark.parametrize("encoder", ["average", "cnn"])
def test_it_is_captums_where_every_step_is_a_module_with_a_rule(encoder: str) -> None:
    model, batch, modules = of_modules(encoder)
    inputs, start = model.embed(batch).detach(), baseline(model, batch).detach()
    theirs = captum().DeepLift(modules).attribute(inputs, start).sum(dim=-1).detach().double()
    ours = MEASURES["deep_lift"].facts["signed"](model, batch)
    expected = theirs * signs(model, batch)
    torch.testing.assert_close(ours.values, expected, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("encoder", ["average", "cnn"])
def test_with_several_baselines_it_is_captums_too(encoder: str) -> None:
    model, batch, _ = of_modules(encoder)
    batch = batch.take(torch.tensor([2]))
    modules = OfModules(model, batch, nn.Tanh() if encoder == "average" else None)
    starts = torch.cat([drawn_words(model, batch, number, 3) for number in range(5)])
    theirs = captum().DeepLiftShap(modules).attribute(model.embed(batch).detach(), starts).sum(dim=-1)
    ours = MEASURES["deep_lift_shap"].facts["signed"](model, batch, samples=5, seed=3)
    expected = theirs.detach().double() * signs(model, batch)
    torch.testing.assert_close(ours.values, expected, atol=1e-6, rtol=1e-4)
    assert ours.gap.max() < 1e-6


class Logits(nn.Module):
    """The whole model from embeddings on, of one text: none of its functions is a module of its own."""

    def __init__(self, model: AttentionModel, batch: Batch) -> None:
        super().__init__()
        self.model, self.batch = model, batch

    def forward(self, embedded: Tensor) -> Tensor:
        again = torch.zeros(len(embedded), dtype=torch.long)
        return self.model.resume(embedded, self.batch.take(again)).logits


@pytest.mark.parametrize("encoder", ["average", "cnn", "lstm", "gru"])
def test_with_own_slopes_it_is_captums_of_a_model_without_such_modules(encoder: str) -> None:
    for length in LENGTHS:
        model, batch = make_model(encoder), make_batch([length])
        whole = Logits(model, batch)
        inputs, start = model.embed(batch).detach(), baseline(model, batch).detach()
        theirs = captum().DeepLift(whole).attribute(inputs, start).sum(dim=-1).detach().double()
        ours = MEASURES["deep_lift"].facts["signed"](model, batch, slopes="own", target="logit")
        expected = theirs * signs(model, batch)
        torch.testing.assert_close(ours.values, expected, atol=1e-6, rtol=1e-4)
        risen = (whole(inputs) - whole(start)).abs().squeeze().double()
        torch.testing.assert_close(ours.total.abs().double().squeeze(), risen, atol=1e-6, rtol=1e-4)


def test_with_own_slopes_several_baselines_are_averaged() -> None:
    model, batch = make_model("lstm"), make_batch([6])
    starts = torch.cat([drawn_words(model, batch, number, 3) for number in range(5)])
    inputs = model.embed(batch).detach()
    theirs = captum().DeepLiftShap(Logits(model, batch)).attribute(inputs, starts).sum(dim=-1)
    options = {"samples": 5, "seed": 3, "slopes": "own", "target": "logit"}
    ours = MEASURES["deep_lift_shap"].facts["signed"](model, batch, **options)
    expected = theirs.detach().double() * signs(model, batch)
    torch.testing.assert_close(ours.values, expected, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("encoder", ["average", "lstm"])
def test_captums_is_not_complete_where_weights_are_multiplied_with_states(encoder: str) -> None:
    model, batch = make_model(encoder), make_batch([6])
    whole = Logits(model, batch)
    inputs, start = model.embed(batch).detach(), baseline(model, batch).detach()
    theirs = captum().DeepLift(whole).attribute(inputs, start).sum()
    risen = (whole(inputs) - whole(start)).sum()
    assert (theirs - risen).abs() > 0.03 * risen.abs()
    assert completeness(model, batch, "deep_lift", target="logit").max() < 1e-5


@pytest.mark.parametrize("encoder", ["lstm", "gru", "average"])
def test_it_is_what_single_numbers_give(encoder: str) -> None:
    parts = {"embedding_width": 2, "encoder": {"type": encoder, "hidden": 2}}
    model = assemble(MODELS.spec(parts), 50, 2, seed=1).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=1.0, generator=torch.Generator().manual_seed(parameter.numel()))
    batch = make_batch([3])
    rows = zip(model.embed(batch)[0].tolist(), baseline(model, batch)[0].tolist(), strict=True)
    tokens = [[Number(x, b) for x, b in zip(text, base, strict=True)] for text, base in rows]
    output = by_hand(model, encoder, tokens)
    multipliers = output.multipliers()
    side = signs(model, batch).item()
    expected = [
        side * sum(multipliers.get(id(n), 0.0) * (n.text - n.base) for n in token) for token in tokens
    ]
    found = MEASURES["deep_lift"].facts["signed"](model, batch)
    torch.testing.assert_close(
        found.values[0], torch.tensor(expected, dtype=torch.float64), atol=2e-6, rtol=1e-4
    )


def by_hand(model: Any, encoder: str, tokens: list[list[Number]]) -> Number:
    """The output of a model with tanh attention and softmax, of tokens between two markers."""
    arrays = {name: value.detach().double().numpy() for name, value in model.named_parameters()}
    if encoder == "average":
        weight, bias = arrays["encoder.project.weight"], arrays["encoder.project.bias"]
        hidden = [[n.through(math.tanh) for n in linear(weight, token, bias)] for token in tokens]
    else:
        run = lstm if encoder == "lstm" else gru
        ahead, back = run(model.encoder.ahead, tokens), run(model.encoder.back, tokens[::-1])[::-1]
        hidden = [a + b for a, b in zip(ahead, back, strict=True)]
    hidden = hidden[1:-1]
    inner, bias = arrays["attention.inner.weight"], arrays["attention.inner.bias"]
    outer = arrays["attention.outer.weight"]
    energies = [
        linear(outer, [n.through(math.tanh) for n in linear(inner, h, bias)], [0.0])[0] for h in hidden
    ]
    attention = softmax(energies)
    context = [
        sum((a * h[k] for a, h in zip(attention, hidden, strict=True)), constant(0.0))
        for k in range(len(hidden[0]))
    ]
    weight, bias = arrays["decoder.output.weight"], arrays["decoder.output.bias"]
    return linear(weight, context, bias)[0].through(sigmoid)


@pytest.mark.parametrize("decoder", ["linear", "query", "pair"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
@pytest.mark.parametrize("encoder", [entry.name for entry in WORD_ENCODERS])
def test_contributions_sum_to_what_the_output_rises_by(
    encoder: str, projection: str, decoder: str
) -> None:
    query = {"query": {}, "pair": {"shared": True}}.get(decoder)
    classes = 2 if query is None else 4
    model = make_model(encoder, "tanh", projection, classes, decoder=decoder, query=query)
    batch = make_batch([5, 3])
    if query is not None:
        batch = with_query(batch, ASKED[:2], classes)
    for target in ("probability", "logit"):
        assert completeness(model, batch, "deep_lift", target=target).max() < 1e-4
    assert completeness(model, batch, "deep_lift_shap", samples=1).max() < 1e-4


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_they_do_where_a_transformer_normalises_after_each_step(projection: str) -> None:
    model = make_model("transformer", "sdp", projection, encoding={"normalised": "after"})
    batch = make_batch([5, 3])
    assert completeness(model, batch, "deep_lift").max() < 1e-4
    assert completeness(model, batch, "deep_lift_shap", samples=1).max() < 1e-4


def test_with_padding_as_background_several_baselines_are_one() -> None:
    model, batch = make_model("gru"), make_batch(LENGTHS)
    one, several = deep_lift(model, batch), deep_lift_shap(model, batch, background="padding")
    assert torch.equal(one.nan_to_num(), several.nan_to_num())


def test_a_part_without_a_rule_is_refused_before_training(
    passing_registrations: None, tmp_path: Path
) -> None:
    @ENCODERS.register("doubled")
    class Doubled(Encoder):
        """h_t = 2 e_t."""

        def __init__(self, embedding_width: int) -> None:
            super().__init__()
            self.width = embedding_width

        def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
            return 2 * embedded * mask[..., None]

    model = make_model("doubled")
    for score in (deep_lift, deep_lift_shap):
        with pytest.raises(UserError, match="DeepLIFT has no rule for its Doubled"):
            score(model, make_batch(LENGTHS))
    check_measure(MEASURES.spec("integrated_gradients"), model)
    check_measure(MEASURES.spec({"type": "deep_lift", "slopes": "own"}), model)
    experiment: dict[str, Any] = {
        "data": {"type": "planted", "sizes": [20, 10, 10]},
        "model": {"embedding_width": 4, "encoder": "doubled"},
    }
    said = "deep_lift cannot be computed for this model: DeepLIFT has no rule for its Doubled"
    with pytest.raises(UserError, match=f"importance: {said}"):
        attex.run(experiment | {"importance": ["attention", "deep_lift"]}, output_dir=tmp_path)
    masked = {"masked": {"measure": "deep_lift", "share": 0.5}}
    with pytest.raises(UserError, match=f"masked.model: importance: {said}"):
        attex.run(experiment | masked, output_dir=tmp_path)
    assert not [*tmp_path.glob(".cache/2/training/*")]
