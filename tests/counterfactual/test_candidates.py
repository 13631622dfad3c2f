"""Other attention where a text has a query and only some outputs are candidates for its answer."""

from collections.abc import Iterator

import pytest
import torch
from toys import ASKED, make_batch, make_model, with_query

from attex.counterfactual import adversarial_search, permute
from attex.counterfactual.erasing import Eraser, decision, random_scores
from attex.data.batch import Batch
from attex.foundations.divergences import distribution, output_divergence, total_variation
from attex.foundations.draws import permutations
from attex.models.classifier import AttentionModel
from attex.models.decoder import Readout

LENGTHS, CLASSES = [7, 3, 12, 2, 5], 5
KINDS = [("lstm", "tanh", "query"), ("average", "sdp", "query"), ("cnn", "tanh", "pair")]


@pytest.fixture(params=KINDS, ids="-".join)
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[AttentionModel, Batch, Readout]]:
    encoder, attention, decoder = request.param
    model = make_model(encoder, attention, classes=CLASSES, decoder=decoder, query={}, spread=0.8)
    batch = with_query(make_batch(LENGTHS), ASKED, CLASSES)
    with torch.no_grad():
        yield model, batch, model.readout(model(batch).hidden, batch).precise()


def logits_of(model: AttentionModel, batch: Batch, attention: torch.Tensor) -> torch.Tensor:
    """Decode by the model's own steps, without a readout."""
    hidden = model.encode(model.embed(batch), batch)
    return model.decode(hidden, attention.float(), batch)


def test_permutations_are_decoded_as_the_model_decodes(
    asked: tuple[AttentionModel, Batch, Readout],
) -> None:
    model, batch, readout = asked
    own = model(batch).attention
    found = permute(readout, own, batch.scorable, draws=4, ids=batch.ids)
    order = permutations(batch.ids, batch.scorable, 4, 0)
    whole = model(batch).logits
    for draw in range(4):
        shuffled = logits_of(model, batch, own.gather(1, order[:, draw]))
        assert torch.allclose(found[:, draw], total_variation(shuffled, whole), atol=1e-5)


def test_what_the_search_finds_is_within_its_bound(asked: tuple[AttentionModel, Batch, Readout]) -> None:
    model, batch, readout = asked
    own = model(batch).attention
    jsd, other = adversarial_search(readout, own, batch.scorable, epsilon=0.05, steps=60)
    assert jsd.isfinite().all()
    assert (jsd > 0).any()
    change = total_variation(logits_of(model, batch, other), model(batch).logits)
    assert (change <= 0.05 + 1e-5).all()


def test_erased_tokens_are_erased_as_by_hand(asked: tuple[AttentionModel, Batch, Readout]) -> None:
    model, batch, readout = asked
    own = model(batch).attention
    eraser = Eraser(readout, own, batch.scorable)
    top = own.argmax(dim=1)
    left = own.scatter(1, top[:, None], 0.0)
    logits = logits_of(model, batch, left / left.sum(dim=1, keepdim=True))
    found = eraser.top_against_random(batch.ids)
    whole = model(batch).logits
    assert torch.allclose(found["js_top"], output_divergence(whole, logits), atol=1e-6)
    assert torch.equal(found["flip_top"], (decision(logits) != decision(whole)).double())
    assert all(values.isfinite().all() for values in found.values())
    scores = random_scores(batch.scorable, batch.ids)
    flips = eraser.flipping_prefix(scores)
    for row, length in enumerate(LENGTHS):
        order = (
            scores[row].masked_fill(~batch.scorable[row], -1e300).argsort(descending=True, stable=True)
        )
        smallest, weights = float("nan"), own.clone()
        for count in range(1, length):
            weights[row, order[count - 1]] = 0.0
            shares = weights / weights.sum(dim=1, keepdim=True)
            if decision(logits_of(model, batch, shares))[row] != decision(whole)[row]:
                smallest = count
                break
        assert flips[row].item() == pytest.approx(smallest, nan_ok=True)


def test_the_slope_of_the_decision_is_that_of_small_steps(
    asked: tuple[AttentionModel, Batch, Readout],
) -> None:
    model, batch, readout = asked
    own, step = model(batch).attention.double(), 1e-5
    slope = Eraser(readout, own, batch.scorable).weight_gradient()
    class_ = distribution(readout.decode(own)).argmax(dim=1, keepdim=True)

    def odds(attention: torch.Tensor) -> torch.Tensor:
        p = distribution(readout.decode(attention)).gather(1, class_).squeeze(1)
        return (p / (1 - p)).log()

    several = batch.allowed.sum(dim=1) > 1 if batch.allowed is not None else None
    for position in range(1, 3):
        moved = own.clone()
        moved[:, position] += step
        expected = (odds(moved) - odds(own)) / step
        assert torch.allclose(slope[several, position], expected[several], rtol=1e-3, atol=1e-3)


def test_one_candidate_alone_is_certain_and_nothing_changes_that() -> None:
    model = make_model(classes=CLASSES, decoder="query", query={})
    batch = with_query(make_batch([5, 6]), [3, 2])
    only = torch.nn.functional.one_hot(batch.labels, CLASSES).bool()
    batch = Batch(**vars(batch) | {"allowed": only})
    with torch.no_grad():
        trace = model(batch)
        readout = model.readout(trace.hidden, batch).precise()
    eraser = Eraser(readout, trace.attention, batch.scorable)
    assert (distribution(trace.logits).amax(dim=1) == 1).all()
    assert (permute(readout, trace.attention, batch.scorable, draws=3) == 0).all()
    assert (eraser.top_against_random(batch.ids)["js_top"] == 0).all()
    assert eraser.flipping_prefix(random_scores(batch.scorable, batch.ids)).isnan().all()
    assert eraser.weight_gradient().isfinite().all()
