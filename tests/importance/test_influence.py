"""Influence on hidden states, against automatic differentiation one state at a time."""

import pytest
import torch
from toys import KINDS, WORD_ENCODERS, make_batch, make_model, rows_of

from attex.importance.influence import influence_on_states
from attex.models.encoder import ENCODERS, Encoder

LENGTHS = [6, 1, 9, 3]
NAMES = [encoder.name for encoder in WORD_ENCODERS]


def make(encoder, *rest):
    """A toy model; states normalised to one length are scaled, as training would."""
    model = make_model(encoder, *rest).eval()
    if encoder == "transformer":
        torch.nn.init.uniform_(model.encoder.norm.weight, 0.3, 1.7)
    return model


def whole(model, batch, **options):
    """All texts together: [B,T,T]."""
    pieces = [*influence_on_states(model, batch, **options)]
    assert [span.start for span, _ in pieces] == [0, *(span.stop for span, _ in pieces[:-1])]
    return torch.cat([values for _, values in pieces])


def one_at_a_time(model, batch, of_state):
    """g_{h_p}(x_i) by autograd, state by state; of_state gives the scalars of a state to derive."""
    found = torch.full((*batch.tokens.shape, batch.tokens.shape[1]), float("nan")).double()
    for text in range(len(batch)):
        counted = batch.scorable[text].nonzero()[:, 0]
        for p in counted.tolist():
            embedded = model.embed(batch).detach().requires_grad_()
            scalars = of_state(model.encode(embedded, batch)[text, p])
            slopes = [torch.autograd.grad(s, embedded, retain_graph=True)[0][text] for s in scalars]
            norms = torch.stack(slopes).double().pow(2).sum(dim=(0, 2)).sqrt()[counted]
            found[text, p, counted] = norms / norms.sum()
    return found


@pytest.mark.parametrize(("encoder", "attention", "projection"), KINDS)
def test_it_is_the_gradient_of_a_states_magnitude(encoder, attention, projection):
    model, batch = make(encoder, attention, projection), make_batch(LENGTHS)
    expected = one_at_a_time(model, batch, lambda state: [state.norm()])
    assert torch.allclose(whole(model, batch), expected, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("encoder", NAMES)
def test_on_dimensions_it_is_the_norm_of_the_jacobian(encoder):
    model, batch = make(encoder), make_batch([4, 2])
    expected = one_at_a_time(model, batch, list)
    assert torch.allclose(whole(model, batch, on="dimensions"), expected, atol=1e-5, equal_nan=True)


def test_on_dimensions_it_is_the_same_for_any_company_and_budget():
    model, batch = make("transformer"), make_batch(LENGTHS)
    together = whole(model, batch, on="dimensions")
    for budget in (1, 50_000):
        again = whole(model, batch, on="dimensions", budget=budget)
        assert torch.allclose(again, together, atol=1e-6, equal_nan=True)
    alone = whole(model, rows_of(batch, [0], LENGTHS[0] + 2), on="dimensions")
    part = together[:1, : LENGTHS[0] + 2, : LENGTHS[0] + 2]
    assert torch.allclose(alone, part, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("encoder", NAMES)
def test_it_depends_neither_on_the_batch_nor_on_the_budget(encoder):
    model, batch = make(encoder), make_batch(LENGTHS)
    together = whole(model, batch)
    assert torch.allclose(whole(model, batch, budget=1), together, atol=1e-6, equal_nan=True)
    for row, length in enumerate(LENGTHS):
        alone = whole(model, rows_of(batch, [row], length + 2))[0]
        part = together[row, : length + 2, : length + 2]
        assert torch.allclose(alone, part, atol=1e-5, equal_nan=True)
        assert together[row, length + 1 :].isnan().all()


def test_a_position_wise_encoder_has_all_influence_on_the_own_token():
    model, batch = make_model("average").eval(), make_batch(LENGTHS)
    found = whole(model, batch)[batch.scorable]
    own = torch.eye(batch.tokens.shape[1]).expand(len(batch), -1, -1)[batch.scorable].double()
    assert torch.allclose(found.nan_to_num(), own, atol=1e-12)


def test_a_state_that_nothing_moves_is_undefined():
    model, batch = make_model("cnn").eval(), make_batch([5])
    with torch.no_grad():
        for name, parameter in model.encoder.named_parameters():
            parameter.fill_(-1.0 if "bias" in name else 0.0)
    assert whole(model, batch).isnan().all()


@pytest.mark.parametrize("normalised", ["before", "after"])
def test_the_length_of_normalised_states_has_no_influences(normalised):
    model, batch = make_model("transformer", encoding={"normalised": normalised}), make_batch(LENGTHS)
    assert whole(model, batch).isnan().all()
    assert not whole(model, batch, on="dimensions")[batch.scorable].isnan().all()


@pytest.mark.parametrize(
    "options",
    [
        {"layers": 1},
        {"layers": 3, "heads": 4},
        {"heads": 2, "inner_projection": "sparsemax"},
        {"inner_projection": {"type": "entmax", "alpha": 1.3}},
        {"layers": 1, "normalised": "after"},
        {"layers": 3, "heads": 4, "normalised": "after"},
        {"heads": 2, "inner_projection": "sparsemax", "normalised": "after"},
    ],
)
@pytest.mark.parametrize("width", [5, 40])
def test_a_transformer_taken_apart_is_one_derived_whole(options, width):
    torch.manual_seed(0)
    encoder = ENCODERS.bind(ENCODERS.spec({"type": "transformer", "hidden": 16} | options), width).eval()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    mask = torch.arange(9) < torch.tensor([[9], [4], [1], [7]])
    embedded, directions = torch.randn(4, 9, width), torch.randn(4, 9, 16) * mask[..., None]
    directions[:, 2] = 0.0
    ((_, found),) = encoder.influences(embedded, mask, directions, 2**30)
    ((_, expected),) = Encoder.influences(encoder, embedded, mask, directions, 2**30)
    torch.testing.assert_close(found, expected.detach(), rtol=1e-4, atol=1e-5)
    assert (found[:, 2] == 0).all()


@pytest.mark.parametrize(
    "options",
    [{"type": "average"}, {"type": "embedding"}, {"type": "cnn"}, {"type": "cnn", "widths": [1]}],
)
def test_states_within_reach_are_derived_together_as_one_by_one(options):
    torch.manual_seed(0)
    sized = {} if options["type"] == "embedding" else {"hidden": 12}
    encoder = ENCODERS.bind(ENCODERS.spec(options | sized), 12).double().eval()
    mask = torch.arange(25) < torch.tensor([[25], [14], [1]])
    embedded = torch.randn(3, 25, 12, dtype=torch.float64)
    directions = torch.randn(3, 25, 12, dtype=torch.float64) * mask[..., None]
    directions[:, 5] = 0.0
    ((_, found),) = encoder.influences(embedded, mask, directions, 2**30)
    whole_text = torch.autograd.functional.jacobian(lambda e: encoder(e, mask), embedded)
    slopes = torch.einsum("bpm,bpmbid->bpid", directions, whole_text)
    torch.testing.assert_close(found, slopes.norm(dim=-1), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("encoder", NAMES)
def test_beyond_its_reach_a_token_changes_no_state(encoder):
    model, batch = make(encoder), make_batch([20])
    embedded = model.embed(batch).detach()
    moved = embedded.clone()
    moved[:, 10] += 1.0
    with torch.no_grad():
        gap = (model.encode(moved, batch) - model.encode(embedded, batch)).norm(dim=-1)[0]
    reach = model.encoder.reach
    away = (torch.arange(len(gap)) - 10).abs()
    assert (gap[away > (len(gap) if reach is None else reach)] == 0).all()
    assert gap[10] > 0
