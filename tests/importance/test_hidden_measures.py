"""Gradient norms, and measures of hidden states, against closed forms, differences and brute force."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from toys import make_batch, make_model, rows_of

import attex
from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.importance.measure import MEASURES, is_over_states, over_inputs
from attex.models.attentions.scaled_dot import ScaledDot
from attex.models.classifier import AttentionModel, Trace
from attex.models.decoder import Decoder
from attex.models.encoder import Encoder
from attex.models.projections.sparse import LearnedEntmax
from attex.models.reads import Read, unchanged

LENGTHS = [5, 9, 2]
SPARSE = ["sparsemax", "sparsegen", "entmax15", "learned_entmax"]


def exact_model(*kind: str, classes: int = 2, spread: float = 1.5) -> AttentionModel:
    return make_model(*kind, classes=classes, spread=spread).double()


def probability(logits: Tensor) -> Tensor:
    """The sigmoid output, or the probability of the predicted class."""
    if logits.shape[-1] == 1:
        return torch.sigmoid(logits[..., 0])
    return logits.softmax(dim=-1).amax(dim=-1)


def tokens_of(scores: Tensor, batch: Batch, row: int) -> np.ndarray:
    return scores[row][batch.scorable[row]].detach().numpy()


def parts(trace: Trace, model: AttentionModel, batch: Batch, row: int) -> tuple[np.ndarray, ...]:
    """Attention, hidden states, decoder and bias of one text of a model with one logit."""
    alpha, hidden = (tokens_of(values, batch, row) for values in (trace.attention, trace.hidden))
    output = model.decoder.output
    return alpha, hidden, output.weight.detach().numpy()[0], output.bias.item()


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


@pytest.mark.parametrize("encoder", ["lstm", "cnn", "transformer"])
def test_leave_one_out_hidden_under_softmax_is_the_closed_form(encoder: str) -> None:
    model, batch = exact_model(encoder), make_batch(LENGTHS)
    scores, trace = attex.importance.leave_one_out_hidden(model, batch), model(batch)
    for row in range(len(LENGTHS)):
        alpha, hidden, w, b = parts(trace, model, batch, row)
        s = hidden @ w
        z = alpha @ s + b
        # (s̄ − α_t s_t)/(1 − α_t) − s̄ = −α_t/(1 − α_t) · (s_t − s̄)
        change = -alpha / (1 - alpha) * (s - alpha @ s)
        expected = np.abs(sigmoid(z + change) - sigmoid(z))
        np.testing.assert_allclose(tokens_of(scores, batch, row), expected, rtol=1e-8)


@pytest.mark.parametrize("encoder", ["lstm", "transformer"])
def test_gradient_norm_hidden_under_softmax_is_the_closed_form(encoder: str) -> None:
    model, batch = exact_model(encoder, "sdp"), make_batch(LENGTHS)
    scores, trace = attex.importance.gradient_norm_hidden(model, batch), model(batch)
    query = model.attention.query.weight.detach().numpy()[0]
    for row in range(len(LENGTHS)):
        alpha, hidden, w, _ = parts(trace, model, batch, row)
        s = hidden @ w
        # α_t (W + (s_t − s̄) ∂z_t/∂h_t); the slope of the output cancels.
        slope = alpha[:, None] * (w + (s - alpha @ s)[:, None] * query / np.sqrt(len(query)))
        expected = np.linalg.norm(slope, axis=1)
        expected /= expected.sum()
        np.testing.assert_allclose(tokens_of(scores, batch, row), expected, rtol=1e-9)


@pytest.mark.parametrize("projection", SPARSE)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("measure", ["gradient_norm[hidden]", "leave_one_out[hidden]"])
def test_hidden_measures_are_exactly_zero_off_the_support(
    measure: str, classes: int, projection: str
) -> None:
    model = make_model("average", projection=projection, classes=classes, spread=3.0)
    for module in model.modules():
        if isinstance(module, LearnedEntmax):
            nn.init.constant_(module.raw, 1.3)
    # Enough for products over the texts and over their variants to be summed in different orders.
    batch = make_batch([13, 200] * 9)
    scores, attention = MEASURES[measure].target(model, batch), model(batch).attention
    off = batch.scorable & (attention == 0)
    assert off.sum() > 100
    assert (scores[off] == 0).all()
    # Not all of the others: a word that makes up the support with its own copies is not missed.
    assert (scores[batch.scorable & (attention > 0)] > 0).any()


@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("encoder", ["lstm", "transformer"])
def test_leave_one_out_hidden_is_what_dropping_the_state_by_hand_gives(
    encoder: str, classes: int, projection: str
) -> None:
    model = exact_model(encoder, "tanh", projection, classes=classes)
    batch = make_batch(LENGTHS)
    scores, trace = attex.importance.leave_one_out_hidden(model, batch), model(batch)
    for row in range(len(LENGTHS)):
        places = batch.scorable[row].nonzero().squeeze(1).tolist()
        for t in places:
            left = trace.hidden[row, [s for s in places if s != t]][None]
            everywhere = torch.ones(left.shape[:2], dtype=torch.bool)
            weights = model.attention.project(model.attention.score(left), everywhere)
            logits = model.decoder((weights[0] @ left[0])[None])
            expected = total_variation(logits, trace.logits[row][None]).item()
            assert scores[row, t].item() == pytest.approx(expected, rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "entmax15", "uniform"])
@pytest.mark.parametrize("classes", [2, 3])
def test_for_a_position_wise_encoder_the_token_is_its_state(projection: str, classes: int) -> None:
    model, batch = exact_model("average", "tanh", projection, classes=classes), make_batch(LENGTHS)
    tokens = attex.importance.leave_one_out(model, batch)
    states = attex.importance.leave_one_out_hidden(model, batch)
    assert torch.allclose(tokens, states, rtol=1e-9, atol=1e-14, equal_nan=True)


def test_leave_one_out_hidden_tells_small_weights_apart_in_float32() -> None:
    model, batch = make_model("lstm", spread=6.0), make_batch([40])
    scores = attex.importance.leave_one_out_hidden(model, batch)
    exact = attex.importance.leave_one_out_hidden(model.double(), batch)
    found, expected = tokens_of(scores, batch, 0), tokens_of(exact, batch, 0)
    # Far below what a float32 logit can show.
    assert expected.min() < 1e-9
    np.testing.assert_allclose(found, expected, rtol=1e-2)


def test_leave_one_out_hidden_does_not_depend_on_the_memory_budget() -> None:
    model, batch = make_model(), make_batch(LENGTHS)
    plenty = attex.importance.leave_one_out_hidden(model, batch)
    tight = attex.importance.leave_one_out_hidden(model, batch, budget=1)
    assert torch.allclose(plenty, tight, atol=1e-12, equal_nan=True)


def test_leave_one_out_hidden_of_a_single_token_is_undefined() -> None:
    scores = attex.importance.leave_one_out_hidden(make_model(), make_batch([1, 3]))
    assert scores[0].isnan().all()
    assert scores[1, 1:4].isfinite().all()


class AboveMean(ScaledDot):
    """Weight for what lies above the mean, which states without weight have a part in."""

    def project(self, energies: Tensor, scorable: Tensor) -> Tensor:
        mean = (energies * scorable).sum(-1, keepdim=True) / scorable.sum(-1, keepdim=True)
        above = (energies - mean).clamp(min=0) * scorable
        return above / above.sum(-1, keepdim=True)


def test_a_state_without_weight_that_moves_other_weights_is_not_zero() -> None:
    model, batch = make_model("lstm"), make_batch([12])
    model.attention = AboveMean(model.encoder.width)
    scores = attex.importance.leave_one_out_hidden(model, batch)
    off = batch.scorable & (model(batch).attention == 0)
    assert off.any()
    assert (scores[off] > 0).all()


class Squashed(Decoder):
    """logits = V tanh(W c): a head that does more than add a bias."""

    linear = False

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(width, 4, bias=False), nn.Linear(4, 1)

    def read(self) -> Read:
        return Read(self.inner.weight, None, unchanged)

    def head(self, values: Tensor) -> Tensor:
        return self.outer(torch.tanh(values))


def test_leave_one_out_hidden_runs_any_decoder_in_its_own_precision() -> None:
    model, batch = make_model("average", projection="sparsemax"), make_batch(LENGTHS)
    model.decoder = Squashed(model.encoder.width)
    tokens = attex.importance.leave_one_out(model, batch)
    states = attex.importance.leave_one_out_hidden(model, batch)
    assert torch.allclose(tokens, states, atol=1e-6, equal_nan=True)
    off = batch.scorable & (model(batch).attention == 0)
    assert off.any()
    assert (states[off] == 0).all()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("encoder", ["lstm", "cnn", "transformer"])
def test_gradient_norms_are_those_of_autograd_one_text_at_a_time(
    encoder: str, classes: int, order: int
) -> None:
    model, batch = exact_model(encoder, classes=classes, spread=0.5), make_batch(LENGTHS)
    tokens = attex.importance.gradient_norm(model, batch, norm=order)
    states = attex.importance.gradient_norm_hidden(model, batch, norm=order)
    for row, length in enumerate(LENGTHS):
        trace = model(rows_of(batch, [row], length + 2))
        output = probability(trace.logits).squeeze()
        slopes = torch.autograd.grad(output, [trace.embedded, trace.hidden])
        for scores, slope in zip((tokens, states), slopes, strict=True):
            norms = np.linalg.norm(slope[0, 1:-1].numpy(), ord=order, axis=1)
            np.testing.assert_allclose(tokens_of(scores, batch, row), norms / norms.sum(), rtol=1e-6)


def differences(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Central differences of a number by every entry of a tensor."""
    step, slope = 1e-5, torch.zeros_like(at)
    for place in np.ndindex(*at.shape):
        moved = torch.zeros_like(at)
        moved[place] = step
        slope[place] = (function(at + moved) - function(at - moved)) / (2 * step)
    return slope


@pytest.mark.parametrize("projection", ["softmax", "entmax15"])
@torch.no_grad()
def test_gradient_norms_are_those_of_finite_differences(projection: str) -> None:
    model, batch = exact_model("lstm", "tanh", projection, spread=0.5), make_batch([4])

    def output(hidden: Tensor) -> Tensor:
        return probability(model.decode(hidden, model.attend(hidden, batch), batch)).squeeze()

    embedded = model.embed(batch)
    slopes = {
        "gradient_norm": differences(lambda e: output(model.encode(e, batch)), embedded),
        "gradient_norm[hidden]": differences(output, model.encode(embedded, batch)),
    }
    for measure, slope in slopes.items():
        norms = np.linalg.norm(slope[0, 1:-1].numpy(), axis=1)
        scores = MEASURES[measure].target(model, batch)
        np.testing.assert_allclose(tokens_of(scores, batch, 0), norms / norms.sum(), rtol=1e-6)


@pytest.mark.parametrize("measure", ["gradient_norm", "gradient_norm[hidden]"])
def test_gradient_norms_add_up_to_one_and_do_not_mind_a_saturated_output(measure: str) -> None:
    model, batch, score = make_model(), make_batch([9, 4, 1]), MEASURES[measure].target
    plain = score(model, batch)
    assert torch.allclose(plain.nansum(dim=1), torch.ones(3, dtype=torch.float64), atol=1e-12)
    with torch.no_grad():
        model.decoder.output.bias += 2000.0
    assert torch.allclose(score(model, batch), plain, rtol=1e-5, equal_nan=True)


class Rectified(Encoder):
    """h_t = ReLU(e_t)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        return torch.relu(embedded).masked_fill(~mask[..., None], 0.0)


def test_a_gradient_of_zero_everywhere_is_undefined_for_that_text_alone() -> None:
    model, batch = make_model(), make_batch([3, 4])
    width = model.embedding.embedding_dim
    other = make_model("average")
    model = AttentionModel(model.embedding, Rectified(width), ScaledDot(width), other.decoder)
    model.decoder.output = nn.Linear(width, 1)
    with torch.no_grad():
        model.embedding.weight.abs_()
        model.embedding.weight[batch.tokens[0]] *= -1
    assert not set(batch.tokens[0, 1:4].tolist()) & set(batch.tokens[1, 1:5].tolist())
    scores = attex.importance.gradient_norm(model, batch)
    assert scores[0].isnan().all()
    assert scores[1, 1:5].isfinite().all()


def test_measures_of_hidden_states_are_published_under_names_that_python_can_say() -> None:
    assert {"gradient_norm_hidden", "leave_one_out_hidden"} <= set(dir(attex.importance))
    assert all(name.isidentifier() for name in dir(attex.importance))
    assert MEASURES.spec("leave_one_out_hidden").title == "leave_one_out[hidden]"


def test_what_is_over_states_has_the_same_over_inputs() -> None:
    over_states = [entry for entry in MEASURES if is_over_states(MEASURES.spec(entry.name))]
    assert {entry.name for entry in over_states} == {"gradient_norm[hidden]", "leave_one_out[hidden]"}
    for entry in over_states:
        counterpart = over_inputs(MEASURES.spec(entry.name))
        assert counterpart is not None
        assert not is_over_states(counterpart)
        assert f"{counterpart.type}_hidden" in entry.aliases
    assert over_inputs(MEASURES.spec("gradient_norm")) is None


def test_the_same_over_inputs_keeps_its_options() -> None:
    given = MEASURES.spec({"type": "gradient_norm[hidden]", "norm": 1})
    counterpart = over_inputs(given)
    assert counterpart is not None
    assert counterpart.title == "gradient_norm(norm=1)"
