"""Models under imposed attention, against permutation, deletion and autograd by hand."""

import copy

import pytest
import torch
from torch import Tensor
from toys import END, START, WORD_ENCODERS, make_batch, make_model, measures_of, rows_of

from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel
from attex.models.imposed import ImposedAttention, PermutedAttention

LENGTHS = [7, 1, 12, 2, 5]
ENCODER_NAMES = [entry.name for entry in WORD_ENCODERS]


class ByToken(ImposedAttention):
    """Weights that grow with the number of the word."""

    def impose(self, batch: Batch) -> Tensor:
        weights = (batch.tokens * batch.scorable).double()
        return weights / weights.sum(dim=1, keepdim=True)


def one_text(tokens: Tensor) -> Batch:
    row = torch.cat([torch.tensor([START]), tokens, torch.tensor([END])])[None]
    mask = torch.ones_like(row, dtype=torch.bool)
    scorable = mask.clone()
    scorable[0, [0, -1]] = False
    return Batch(row, mask, scorable, torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long))


def decoded(model: AttentionModel, batch: Batch, weights: Tensor) -> Tensor:
    """The logits of one text whose scorable tokens have these weights."""
    hidden = model.encode(model.embed(batch), batch)[0, 1:-1]
    return model.decoder((weights @ hidden)[None])


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_permuted_attention_is_the_bases_own_in_another_order(projection: str) -> None:
    base, batch = make_model(projection=projection), make_batch(LENGTHS, extra_padding=3)
    assert not PermutedAttention(base, seed=4)(batch).attention.requires_grad
    with torch.no_grad():
        own, permuted = base(batch), PermutedAttention(base, seed=4)(batch)
    assert torch.equal(permuted.attention.sort().values, own.attention.sort().values)
    assert (permuted.attention[~batch.scorable] == 0).all()
    assert torch.allclose(permuted.attention.sum(dim=1), torch.ones(len(LENGTHS)))
    assert not torch.equal(permuted.attention, own.attention)
    assert torch.equal(permuted.hidden, own.hidden)
    assert torch.equal(permuted.energies, own.energies)


def test_the_seed_chooses_the_order_and_the_seed_alone() -> None:
    base, batch = make_model(), make_batch([30])
    first, again, other = (PermutedAttention(base, seed)(batch).attention for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("encoder", "measure"),
    [(encoder, measure) for encoder in ENCODER_NAMES for measure in measures_of(encoder)],
)
def test_every_measure_is_the_same_alone_padded_and_in_any_batch(encoder: str, measure: str) -> None:
    model, batch = PermutedAttention(make_model(encoder), seed=4), make_batch(LENGTHS)
    score = MEASURES[measure].target
    together = score(model, batch)
    for row, length in enumerate(LENGTHS):
        for width in (length + 2, length + 9):
            alone = score(model, rows_of(batch, [row], width))[0, : length + 2]
            assert torch.allclose(alone, together[row, : length + 2], atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("encoder", ENCODER_NAMES)
@pytest.mark.parametrize("kind", [ByToken, lambda base: PermutedAttention(base, seed=4)])
@torch.no_grad()
def test_deleting_a_token_leaves_the_others_their_imposed_weights(encoder: str, kind: type) -> None:
    model, batch = kind(make_model(encoder).double()), make_batch(LENGTHS)
    found = {
        name: MEASURES[name].target(model, batch) for name in ("leave_one_out", "leave_one_out[hidden]")
    }
    attention, hidden = model(batch).attention, model(batch).hidden
    for row, length in enumerate(LENGTHS):
        tokens, weights = batch.tokens[row, 1 : length + 1], attention[row, 1 : length + 1]
        whole = decoded(model, one_text(tokens), weights)
        for t in range(length if length > 1 else 0):
            left = torch.arange(length) != t
            renormalised = weights[left] / weights[left].sum()
            logits = {
                "leave_one_out": decoded(model, one_text(tokens[left]), renormalised),
                "leave_one_out[hidden]": model.decoder(
                    (renormalised @ hidden[row, 1 : length + 1][left])[None]
                ),
            }
            for name, scores in found.items():
                expected = total_variation(logits[name], whole).item()
                assert scores[row, t + 1].item() == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("encoder", ENCODER_NAMES)
def test_gradients_hold_the_imposed_weights_constant(encoder: str) -> None:
    base, batch = make_model(encoder).double(), make_batch(LENGTHS)
    model = PermutedAttention(base, seed=4)
    trace = base(batch)
    constant = model(batch).attention.detach()
    logits = base.decode(trace.hidden, constant, batch)
    output = torch.sigmoid(logits).sum()
    by_embedding, by_hidden = torch.autograd.grad(output, [trace.embedded, trace.hidden])
    products = (by_embedding * trace.embedded).sum(dim=-1).abs()
    expected = {
        "gradient": products,
        "gradient_norm": _shares(by_embedding, batch),
        "gradient_norm[hidden]": _shares(by_hidden, batch),
    }
    for name, values in expected.items():
        found = MEASURES[name].target(model, batch)
        assert torch.allclose(found[batch.scorable], values[batch.scorable], rtol=1e-8, atol=1e-15)
    # What α′ stands for under a model with one logit: ‖∂y/∂h_t‖ is α′_t ‖W‖.
    shares = MEASURES["gradient_norm[hidden]"].target(model, batch)
    assert torch.allclose(shares[batch.scorable], constant[batch.scorable], atol=1e-12)


def _shares(slope: Tensor, batch: Batch) -> Tensor:
    norms = slope.norm(dim=-1) * batch.scorable
    return norms / norms.sum(dim=1, keepdim=True)


@pytest.mark.parametrize("encoder", ["lstm", "average"])
def test_dropping_a_state_without_imposed_weight_is_exactly_zero(encoder: str) -> None:
    base = make_model(encoder, projection="sparsemax", spread=3.0)
    model, batch = PermutedAttention(base, seed=4), make_batch([12, 30, 7])
    scores = MEASURES["leave_one_out[hidden]"].target(model, batch)
    off = batch.scorable & (model(batch).attention == 0)
    assert off.sum() > 10
    assert (scores[off] == 0).all()


def test_imposed_weights_do_not_follow_the_embeddings() -> None:
    model, batch = PermutedAttention(make_model(), seed=4), make_batch(LENGTHS)
    embedded = model.embed(batch)
    first, moved = (model.attend(model.encode(e, batch), batch) for e in (embedded, 2 * embedded))
    assert torch.equal(first, moved)


def test_a_wrapper_shares_its_bases_modules_and_lists_each_parameter_once() -> None:
    base = make_model()
    model = PermutedAttention(base, seed=4)
    assert model.state_dict().keys() == base.state_dict().keys()
    assert {id(p) for p in model.parameters()} == {id(p) for p in base.parameters()}
    assert not model.training
    with torch.no_grad():
        base.decoder.output.bias += 1.0
    assert torch.equal(model.decoder.output.bias, base.decoder.output.bias)
    batch = make_batch(LENGTHS)
    assert torch.equal(copy.deepcopy(model)(batch).logits, model(batch).logits)


def test_the_base_keeps_its_own_attention() -> None:
    base, batch = make_model(), make_batch(LENGTHS)
    before = base(batch).attention
    PermutedAttention(base, seed=4)(batch)
    assert torch.equal(base(batch).attention, before)
