"""Measures of stacked self-attention, held against their definitions written out."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from test_flow import library_flow
from toys import VOCABULARY, WIDTH, make_batch

from attex.data.batch import Batch
from attex.foundations.errors import UserError
from attex.importance import (
    attention,
    attention_flow,
    attention_norm,
    attention_rollout,
    value_zeroing,
)
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel

LENGTHS = [6, 1, 9]


def stacked(
    layers: int = 3, heads: int = 2, projection: str = "softmax", normalised: str = "before"
) -> AttentionModel:
    """Build a Transformer in float64 whose heads attend to something."""
    encoder = {"type": "transformer", "hidden": 8, "layers": layers, "heads": heads}
    encoder |= {"inner_projection": projection, "normalised": normalised}
    parts = {"embedding_width": WIDTH, "encoder": encoder}
    model = assemble(MODELS.spec(parts), VOCABULARY, 2, seed=1).double().eval()
    torch.manual_seed(2)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.8)
    return model


class Marked(AttentionModel):
    """Reads the state of the first position and no other, as a classifier with a marker does."""

    has_readout = False

    def reading(self, batch: Batch) -> torch.Tensor:
        first = torch.zeros(batch.tokens.shape, dtype=torch.float64)
        first[:, 0] = 1.0
        return first


def marked(model: AttentionModel) -> AttentionModel:
    return Marked(model.embedding, model.encoder, model.attention, model.decoder).eval()


def in_pieces(batch: Batch) -> Batch:
    """Say that words are of two pieces, but for the last if it has no second."""
    place = batch.scorable.long().cumsum(dim=1) - 1
    return replace(batch, word=(place // 2).where(batch.scorable, -1))


class Layer:
    """One text in one layer, every step of it as its definition says."""

    def __init__(self, layer: torch.nn.Module, states: torch.Tensor) -> None:
        self.layer, self.states = layer, states
        self.first = isinstance(layer.before_attention, torch.nn.LayerNorm)
        mixed = layer.queries_keys_values(layer.before_attention(states) if self.first else states)
        size = states.shape[-1] // layer.heads
        self.weights, self.values = [], []
        for head in range(layer.heads):
            query, key, value = (part[:, head * size : (head + 1) * size] for part in mixed.chunk(3, -1))
            energies = torch.stack([torch.stack([q @ k / math.sqrt(size) for k in key]) for q in query])
            real = torch.ones_like(energies, dtype=torch.bool)
            self.weights.append(layer.project(energies, real))
            self.values.append(value)

    def attended(self, values: list[torch.Tensor]) -> torch.Tensor:
        heads = [weights @ value for weights, value in zip(self.weights, values, strict=True)]
        return self.layer.output(torch.cat(heads, dim=-1))

    def leaving(self, zeroed: int | None = None) -> torch.Tensor:
        """Run the layer, with the value of a position really zero if one is named."""
        values = [value.clone() for value in self.values]
        for value in values if zeroed is not None else ():
            value[zeroed] = 0.0
        after = self.states + self.attended(values)
        if self.first:
            return after + self.layer.feed(self.layer.before_feed(after))
        after = self.layer.after_attention(after)
        return self.layer.after_feed(after + self.layer.feed(after))

    def given(self, i: int, j: int) -> torch.Tensor:
        """Σ_h α_ij f(x_j), with f = the head's columns of the output projection after its value."""
        size = self.states.shape[-1] // self.layer.heads
        total = torch.zeros_like(self.states[0])
        for head, (weights, value) in enumerate(zip(self.weights, self.values, strict=True)):
            columns = self.layer.output.weight[:, head * size : (head + 1) * size]
            total = total + weights[i, j] * (columns @ value[j])
        return total

    @property
    def mean(self) -> np.ndarray:
        return torch.stack(self.weights).mean(dim=0).numpy()


def apart(model: AttentionModel, batch: Batch, row: int) -> list[Layer]:
    """Lead one text through the layers."""
    length = int(batch.mask[row].sum())
    embedded = model.embed(batch)[row : row + 1, :length]
    states, layers = model.encoder._enter(embedded)[0], []
    for layer in model.encoder.stack:
        layers.append(Layer(layer, states))
        states = layers[-1].leaving()
    return layers


def each_text(
    model: AttentionModel, batch: Batch
) -> list[tuple[list[Layer], np.ndarray, list[np.ndarray]]]:
    """Give of every text its layers, what is read of the last states, and the places of its words."""
    reading, whole = model.reading(batch), []
    for row in range(len(batch)):
        length = int(batch.mask[row].sum())
        numbers = batch.scorable[row].cumsum(0) - 1 if batch.word is None else batch.word[row]
        numbers = numbers.where(batch.scorable[row], -1)[:length].numpy()
        words = [np.flatnonzero(numbers == word) for word in range(numbers.max() + 1)]
        whole.append((apart(model, batch, row), reading[row, :length].numpy(), words))
    return whole


def scored(scores: torch.Tensor, batch: Batch) -> list[np.ndarray]:
    assert torch.equal(scores.isfinite(), batch.scored)
    return [scores[row][batch.scored[row]].numpy() for row in range(len(batch))]


@pytest.fixture(
    params=["our attention", "normalised after each step", "a marker", "a marker, words in pieces"]
)
def read(request: pytest.FixtureRequest) -> tuple[AttentionModel, Batch]:
    batch = make_batch(LENGTHS)
    if request.param == "our attention":
        return stacked(), batch
    if request.param == "normalised after each step":
        return stacked(normalised="after"), batch
    return marked(stacked()), batch if request.param == "a marker" else in_pieces(batch)


Read = tuple[AttentionModel, Batch]


@pytest.mark.parametrize("normalised", ["before", "after"])
@torch.no_grad()
def test_parts_add_up_to_the_layer(normalised: str) -> None:
    model, batch = stacked(normalised=normalised), make_batch(LENGTHS)
    for row in range(len(LENGTHS)):
        length = LENGTHS[row] + 2
        for parts, layer in zip(model.layer_parts(batch), apart(model, batch, row), strict=True):
            size = torch.full((length,), row)
            shares = parts.shares(size, torch.arange(length))[:, :length].flatten(-2)
            attended = (shares @ parts.output.T).sum(dim=1) + layer.layer.output.bias
            torch.testing.assert_close(attended, layer.attended(layer.values))
            left = parts.layer.finish(parts.mixed()[row, :length], parts.inputs[row, :length])
            torch.testing.assert_close(left, layer.leaving())


@torch.no_grad()
def test_attention_of_a_layer_is_what_the_states_read_pay(read: Read) -> None:
    model, batch = read
    for layer, head in ((0, None), (2, 1), (None, 0)):
        scores = scored(attention(model, batch, layer=layer, head=head), batch)
        for found, (layers, reading, words) in zip(scores, each_text(model, batch), strict=True):
            chosen = layers[-1 if layer is None else layer]
            weights = chosen.mean if head is None else chosen.weights[head].numpy()
            expected = [
                sum(reading[i] * weights[i, t] for i in range(len(reading)) for t in w) for w in words
            ]
            np.testing.assert_allclose(found, expected, atol=1e-12)


@torch.no_grad()
def test_rollout_is_a_row_of_the_product(read: Read) -> None:
    model, batch = read
    for found, (layers, reading, words) in zip(
        scored(attention_rollout(model, batch), batch), each_text(model, batch), strict=True
    ):
        product = np.eye(len(reading))
        for layer in layers:
            product = (layer.mean + np.eye(len(reading))) / 2 @ product
        np.testing.assert_allclose(product.sum(axis=1), 1.0)
        np.testing.assert_allclose(found, [(reading @ product)[word].sum() for word in words])


@torch.no_grad()
def test_the_norm_is_of_what_the_heads_give_together(read: Read) -> None:
    model, batch = read
    for layer in (None, 0, 2) if not model.has_readout else (0, 2):
        scores = scored(attention_norm(model, batch, layer=layer), batch)
        for found, (layers, reading, words) in zip(scores, each_text(model, batch), strict=True):
            chosen = layers[-1 if layer is None else layer]
            norms = [
                sum(r * chosen.given(i, j).norm().item() for i, r in enumerate(reading))
                for j in range(len(reading))
            ]
            np.testing.assert_allclose(found, [sum(norms[j] for j in word) for word in words])


@torch.no_grad()
def test_the_norm_of_our_attention_is_that_of_weighed_states() -> None:
    model, batch = stacked(), make_batch(LENGTHS)
    trace = model(batch)
    norms = (trace.attention[..., None] * trace.hidden).norm(dim=-1)
    torch.testing.assert_close(attention_norm(model, batch)[batch.scorable], norms[batch.scorable])


def turns(layer: Layer) -> np.ndarray:
    """C, with one pass through the layer for every value that is zeroed."""
    own, length = layer.leaving().numpy(), len(layer.states)
    matrix = np.zeros((length, length))
    for t in range(length):
        without = layer.leaving(zeroed=t).numpy()
        for i in range(length):
            cosine = own[i] @ without[i] / np.linalg.norm(own[i]) / np.linalg.norm(without[i])
            matrix[i, t] = 1 - cosine
    return matrix / matrix.sum(axis=1, keepdims=True)


@torch.no_grad()
def test_value_zeroing_is_running_the_layer_with_a_value_of_zero(read: Read) -> None:
    model, batch = read
    last, first, all_of_them = (
        scored(value_zeroing(model, batch, layer=layer, rollout=rollout), batch)
        for layer, rollout in ((None, False), (0, False), (None, True))
    )
    for row, (layers, reading, words) in enumerate(each_text(model, batch)):
        below = [turns(layer) for layer in layers]
        whole = reading @ below[2] @ below[1] @ below[0]
        for found, expected in (
            (last[row], reading @ below[-1]),
            (first[row], reading @ below[0]),
            (all_of_them[row], whole),
        ):
            np.testing.assert_allclose(found, [expected[word].sum() for word in words], atol=1e-10)


@torch.no_grad()
def test_a_value_without_weight_turns_nothing() -> None:
    model, batch = marked(stacked(layers=1, projection="sparsemax")), make_batch(LENGTHS)
    (parts,) = model.layer_parts(batch)
    idle = (parts.weights[:, :, 0] == 0).all(dim=1) & batch.scorable
    assert idle.any()
    assert (value_zeroing(model, batch)[idle] == 0).all()


@torch.no_grad()
def test_flow_is_the_maximum_that_a_library_finds(read: Read) -> None:
    model, batch = read
    for found, (layers, reading, words) in zip(
        scored(attention_flow(model, batch), batch), each_text(model, batch), strict=True
    ):
        weights = [layer.mean for layer in layers]
        expected = [library_flow(weights, reading, word) for word in words]
        np.testing.assert_allclose(found, expected, atol=1e-7)
        # A maximum is at the least what rollout, one way to flow, brings there.
    assert (attention_flow(model, batch) >= attention_rollout(model, batch) - 1e-7)[batch.scored].all()


@pytest.mark.parametrize(
    "measure",
    [attention_rollout, attention_flow, attention_norm, value_zeroing],
    ids=lambda m: m.__name__,
)
def test_a_small_budget_changes_no_score(measure: object, read: Read) -> None:
    model, batch = read
    assert callable(measure)
    whole, cut = measure(model, batch), measure(model, batch, budget=1)
    torch.testing.assert_close(cut, whole, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_what_a_model_does_not_have_is_said_in_a_line() -> None:
    model, batch = stacked(layers=2, heads=2), make_batch([3])
    with pytest.raises(UserError, match="there is no layer 2; the model has 2, from 0 on"):
        value_zeroing(model, batch, layer=2)
    with pytest.raises(UserError, match="there is no head 5; the model has 2, from 0 on"):
        attention(model, batch, head=5)
