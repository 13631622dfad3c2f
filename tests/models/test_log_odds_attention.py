"""Attention imposed by log-odds, against the softmax written out."""

import math

import pytest
import torch
from toys import VOCABULARY, make_batch, make_model, rows_of

from attex.models.imposed import LogOddsAttention

LENGTHS = [7, 1, 12, 2, 5]


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_the_weights_are_a_softmax_of_absolute_log_odds(temperature: float) -> None:
    generator = torch.Generator().manual_seed(0)
    w = 3 * torch.randn(VOCABULARY, generator=generator, dtype=torch.float64)
    base, batch = make_model(), make_batch(LENGTHS, extra_padding=2)
    with torch.no_grad():
        found, own = LogOddsAttention(base, w, temperature)(batch), base(batch)
    for row, length in enumerate(LENGTHS):
        words = batch.tokens[row, 1 : length + 1].tolist()
        powers = [math.exp(abs(float(w[word])) / temperature) for word in words]
        expected = torch.tensor([0.0, *(power / sum(powers) for power in powers)])
        assert torch.allclose(found.attention[row, : length + 1], expected, atol=1e-6)
        assert (found.attention[row, length + 1 :] == 0).all()
    assert torch.equal(found.hidden, own.hidden)
    assert torch.equal(found.logits, base.decode(own.hidden, found.attention, batch))


def test_words_without_log_odds_share_alike() -> None:
    batch = make_batch(LENGTHS)
    weights = LogOddsAttention(make_model(), torch.zeros(VOCABULARY)).impose(batch)
    counted = batch.scorable.float()
    assert torch.allclose(weights, counted / counted.sum(dim=1, keepdim=True))


def test_a_text_has_the_same_weights_alone_and_padded() -> None:
    model, batch = LogOddsAttention(make_model(), torch.arange(VOCABULARY) / 9.0), make_batch(LENGTHS)
    together = model.impose(batch)
    for row, length in enumerate(LENGTHS):
        alone = model.impose(rows_of(batch, [row], length + 9))[0, : length + 2]
        assert torch.allclose(alone, together[row, : length + 2], atol=1e-7)


def test_the_log_odds_are_no_part_of_the_models_weights() -> None:
    base = make_model()
    made = LogOddsAttention(base, torch.ones(VOCABULARY))
    assert made.state_dict().keys() == base.state_dict().keys()
    assert len([*made.parameters()]) == len([*base.parameters()])
    assert made.double().strengths.dtype == torch.float64
