"""What a model says of a text does not depend on the company the text is in."""

import pytest
import torch
from toys import KINDS, cheap, make_batch, make_model, measures_of, rows_of, with_measures

from attex.models.classifier import AttentionModel

LENGTHS = [7, 1, 12, 2, 5]


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
@pytest.mark.parametrize("classes", [2, 3])
def test_predictions_and_attention_are_the_same_alone_padded_and_in_any_batch(
    kind: tuple[str, str, str], classes: int
) -> None:
    model = make_model(*kind, classes=classes)
    batch = make_batch(LENGTHS)
    together = model(batch)
    for row, length in enumerate(LENGTHS):
        for width in (length + 2, length + 9):
            alone = model(rows_of(batch, [row], width))
            assert torch.allclose(alone.logits[0], together.logits[row], atol=1e-5)
            n = length + 2
            assert torch.allclose(alone.attention[0, :n], together.attention[row, :n], atol=1e-5)
    shuffled = [3, 0, 4, 2, 1]
    again = model(rows_of(batch, shuffled, max(LENGTHS) + 5))
    assert torch.allclose(again.logits, together.logits[shuffled], atol=1e-5)


@pytest.mark.parametrize(("kind", "measure"), with_measures(KINDS), ids=str)
def test_every_measure_is_the_same_alone_padded_and_in_any_batch(
    kind: tuple[str, str, str], measure: str
) -> None:
    check_alone_and_together(make_model(*kind), measure)


@pytest.mark.parametrize("measure", measures_of("transformer"))
def test_so_it_is_where_a_transformer_normalises_after_each_step(measure: str) -> None:
    check_alone_and_together(make_model("transformer", "sdp", encoding={"normalised": "after"}), measure)


def check_alone_and_together(model: AttentionModel, measure: str) -> None:
    batch = make_batch(LENGTHS)
    score = cheap(measure)
    together = score(model, batch)
    assert together.dtype == torch.float64
    for row, length in enumerate(LENGTHS):
        for width in (length + 2, length + 9):
            alone = score(model, rows_of(batch, [row], width))
            assert torch.allclose(
                alone[0, : length + 2], together[row, : length + 2], atol=1e-5, equal_nan=True
            )
            assert alone[0, length + 2 :].isnan().all()


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_attention_is_exactly_zero_off_the_mask_and_sums_to_one(kind: tuple[str, str, str]) -> None:
    batch = make_batch(LENGTHS, extra_padding=3)
    attention = make_model(*kind)(batch).attention
    assert (attention[~batch.scorable] == 0).all()
    assert (attention >= 0).all()
    assert torch.allclose(attention.sum(dim=1), torch.ones(len(LENGTHS)), atol=1e-6)


@pytest.mark.parametrize(("kind", "measure"), with_measures(KINDS), ids=str)
def test_measures_score_scorable_tokens_only(kind: tuple[str, str, str], measure: str) -> None:
    batch = make_batch([6, 4], extra_padding=2)
    scores = cheap(measure)(make_model(*kind), batch)
    assert scores[~batch.scorable].isnan().all()
    assert (scores[batch.scorable] >= 0).all()


def test_padding_tokens_do_not_reach_the_encoder() -> None:
    model = make_model("lstm")
    batch = make_batch([5, 9])
    before = model(batch).logits
    with torch.no_grad():
        model.embedding.weight[0] = 100.0
    assert torch.equal(model(batch).logits, before)


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_the_readout_decodes_as_the_model_does(kind: tuple[str, str, str]) -> None:
    model = make_model(*kind)
    batch = make_batch([6, 3])
    trace = model(batch)
    readout = model.readout(trace.hidden, batch)
    other = torch.rand_like(trace.attention) * batch.scorable
    for attention in (trace.attention, other):
        expected = model.decode(trace.hidden, attention, batch)
        assert torch.allclose(readout.decode(attention), expected, atol=1e-5)
    assert readout.linear
