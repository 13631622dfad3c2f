"""Gradient and leave-one-out of models whose answers can be worked out by hand."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from toys import END, START, make_batch, make_model

import attex
from attex.data.batch import Batch
from attex.models.attention import ATTENTIONS
from attex.models.classifier import AttentionModel
from attex.models.decoder import DECODERS
from attex.models.encoder import Encoder


class Identity(Encoder):
    """h_t = e_t."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        return embedded.masked_fill(~mask[..., None], 0.0)


def linear_attention_model(classes: int = 2) -> AttentionModel:
    """logits = W Σ_t α_t e_t + b with α = softmax(w · e_t / √d), in float64."""
    torch.manual_seed(3)
    decode = DECODERS.bind(DECODERS.spec("linear"), 4, classes)
    attend = ATTENTIONS.bind(ATTENTIONS.spec("sdp"), 4)
    embedding = nn.Embedding(50, 4, padding_idx=0)
    model = AttentionModel(embedding, Identity(4), attend, decode).double().eval()
    for parameter in model.attention.parameters():
        nn.init.normal_(parameter, std=2.0)
    return model


def by_hand(model: AttentionModel, tokens: list[int]) -> tuple[np.ndarray, ...]:
    """Embeddings, weights, attention and bias of one text, markers aside, in NumPy."""
    embeddings = model.embedding.weight.detach().numpy()[tokens]
    energies = embeddings @ model.attention.query.weight.detach().numpy()[0] / math.sqrt(4)
    weights = np.exp(energies - energies.max())
    output = model.decoder.output
    return (
        embeddings,
        weights / weights.sum(),
        output.weight.detach().numpy(),
        output.bias.detach().numpy(),
    )


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def softmax(z: np.ndarray) -> np.ndarray:
    return np.exp(z - z.max()) / np.exp(z - z.max()).sum()


def words(batch: Batch, row: int) -> list[int]:
    return batch.tokens[row][batch.scorable[row]].tolist()


def test_gradient_of_a_linear_model_is_slope_times_weight_times_token_logit() -> None:
    model, batch = linear_attention_model(), make_batch([5, 8])
    scores = attex.importance.gradient(model, batch)
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        p = sigmoid(w @ (alpha @ e) + b)[0]
        expected = np.abs(p * (1 - p) * alpha * (e @ w[0]))
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-9)


def test_gradient_through_the_attention_adds_its_own_slope() -> None:
    model, batch = linear_attention_model(), make_batch([5, 8])
    scores = attex.importance.gradient(model, batch, detach_attention=False)
    query = model.attention.query.weight.detach().numpy()[0] / math.sqrt(4)
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        p = sigmoid(w @ (alpha @ e) + b)[0]
        s = e @ w[0]
        slope = alpha[:, None] * (w[0] + (s - alpha @ s)[:, None] * query)
        expected = np.abs(p * (1 - p) * (e * slope).sum(axis=1))
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-9)


@pytest.mark.parametrize("target", ["predicted", "gold"])
@pytest.mark.parametrize("classes", [2, 3])
def test_input_times_gradient_is_of_a_logit_through_the_attention(target: str, classes: int) -> None:
    model, batch = linear_attention_model(classes), make_batch([5, 8])
    scores = attex.importance.input_x_gradient(model, batch, target=target)
    query = model.attention.query.weight.detach().numpy()[0] / math.sqrt(4)
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        gold = batch.labels[row].item()
        chosen = gold if target == "gold" else int(np.argmax(w @ (alpha @ e) + b))
        own = w[chosen if classes > 2 else 0]
        slope = alpha[:, None] * (own + (e @ own - alpha @ e @ own)[:, None] * query)
        expected = np.abs((e * slope).sum(axis=1))
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-9)


@pytest.mark.parametrize("target", ["predicted", "gold"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_norm_over_all_words_is_that_of_the_gradient_by_one_hot_vectors(
    target: str, classes: int
) -> None:
    model, batch = make_model("lstm", classes=classes).double(), make_batch([5, 8])
    scores = attex.importance.gradient_norm_one_hot(model, batch, target=target)
    table = model.embedding.weight.detach()
    picked = torch.nn.functional.one_hot(batch.tokens, len(table)).double().requires_grad_()
    logits = model.resume(picked @ table, batch).logits
    chosen = batch.labels if target == "gold" else logits.argmax(dim=1)
    chosen = chosen if classes > 2 else torch.zeros_like(chosen)
    logits.gather(1, chosen[:, None]).sum().backward()
    assert picked.grad is not None
    expected = picked.grad.norm(dim=-1)
    assert torch.allclose(scores[batch.scorable], expected[batch.scorable], rtol=1e-9)
    assert scores[~batch.scorable].isnan().all()


def test_random_scores_are_drawn_anew_for_each_text_and_seed_and_for_nothing_else() -> None:
    batch = make_batch([40, 40])
    same = attex.importance.random(make_model("lstm"), batch)
    of_another = attex.importance.random(make_model("cnn"), batch)
    assert torch.equal(same.nan_to_num(), of_another.nan_to_num())
    first, second = (same[row][batch.scorable[row]] for row in range(2))
    other = attex.importance.random(make_model("lstm"), batch, seed=1)[0][batch.scorable[0]]
    for scores in (first, second, other):
        assert sorted(scores.tolist()) == pytest.approx([(n + 1) / 40 for n in range(40)])
    assert not torch.equal(first, second)
    assert not torch.equal(first, other)


def test_gradient_of_the_gold_loss_is_the_error_times_the_logits_slope() -> None:
    model, batch = linear_attention_model(), make_batch([5, 8])
    scores = attex.importance.gradient(model, batch, target="gold_loss")
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        p = sigmoid(w @ (alpha @ e) + b)[0]
        expected = np.abs((p - batch.labels[row].item()) * alpha * (e @ w[0]))
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-9)


@pytest.mark.parametrize("target", ["output", "gold_loss"])
def test_gradient_with_several_classes_is_of_the_predicted_probability(target: str) -> None:
    model, batch = linear_attention_model(classes=3), make_batch([6, 4])
    scores = attex.importance.gradient(model, batch, target=target)
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        p = softmax(w @ (alpha @ e) + b)
        chosen = p.argmax() if target == "output" else batch.labels[row].item()
        slope = (p[chosen] if target == "output" else 1) * (np.eye(3)[chosen] - p)
        expected = np.abs(alpha * (e @ (w.T @ slope)))
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-7)


def test_gradient_of_a_saturated_output_is_not_tied_to_zero() -> None:
    model, batch = make_model("lstm"), make_batch([9])
    plain = attex.importance.gradient(model, batch)[0, 1:10]
    with torch.no_grad():
        model.decoder.output.bias += 60.0
    saturated = attex.importance.gradient(model, batch)[0, 1:10]
    assert (saturated > 0).all()
    assert saturated.argsort().tolist() == plain.argsort().tolist()


@pytest.mark.parametrize("classes", [2, 3])
def test_leave_one_out_of_a_linear_model_is_the_closed_form(classes: int) -> None:
    model, batch = linear_attention_model(classes), make_batch([5, 8])
    scores = attex.importance.leave_one_out(model, batch)
    for row in range(2):
        e, alpha, w, b = by_hand(model, words(batch, row))
        expected = []
        for t in range(len(alpha)):
            # Without t the other weights grow by 1/(1 − α_t).
            logits = w @ ((alpha @ e - alpha[t] * e[t]) / (1 - alpha[t])) + b
            whole = w @ (alpha @ e) + b
            if classes == 2:
                expected.append(abs(sigmoid(logits) - sigmoid(whole))[0])
            else:
                expected.append(np.abs(softmax(logits) - softmax(whole)).sum() / 2)
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, rtol=1e-7)


@pytest.mark.parametrize("encoder", ["lstm", "average"])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
def test_leave_one_out_is_what_deleting_the_token_by_hand_gives(encoder: str, projection: str) -> None:
    model, batch = make_model(encoder, projection=projection), make_batch([6, 9, 2])
    scores = attex.importance.leave_one_out(model, batch)
    for row, length in enumerate([6, 9, 2]):
        text = words(batch, row)
        whole = torch.sigmoid(model(one_text(text)).logits.double()).item()
        for t in range(length):
            without = torch.sigmoid(model(one_text(text[:t] + text[t + 1 :])).logits.double()).item()
            assert scores[row, t + 1].item() == pytest.approx(abs(without - whole), abs=1e-5)


def test_leave_one_out_does_not_depend_on_the_memory_budget() -> None:
    model, batch = make_model(), make_batch([6, 9, 2])
    plenty = attex.importance.leave_one_out(model, batch)
    tight = attex.importance.leave_one_out(model, batch, budget=1)
    assert torch.allclose(plenty, tight, atol=1e-6, equal_nan=True)


def test_leave_one_out_of_a_single_token_is_undefined() -> None:
    scores = attex.importance.leave_one_out(make_model(), make_batch([1, 3]))
    assert scores[0].isnan().all()
    assert scores[1, 1:4].isfinite().all()


def test_attention_is_the_models_own() -> None:
    model, batch = make_model(), make_batch([4, 6])
    scores = attex.importance.attention(model, batch)
    with torch.no_grad():
        trace = model(batch)
    assert torch.equal(scores[batch.scorable], trace.attention[batch.scorable].double())


def one_text(tokens: list[int]) -> Batch:
    row = torch.tensor([[START, *tokens, END]])
    mask = torch.ones_like(row, dtype=torch.bool)
    scorable = mask.clone()
    scorable[0, [0, -1]] = False
    return Batch(row, mask, scorable, torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long))
