"""Permuted attention against a loop, and what must not matter."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy.special import expit, softmax
from toys import make_batch, make_model

from attex.counterfactual import permute
from attex.foundations.draws import permutations
from attex.models.decoder import Readout


@pytest.mark.parametrize("classes", [2, 3])
def test_the_change_is_that_of_a_model_that_attends_so(classes: int) -> None:
    model, batch = make_model(classes=classes), make_batch([3, 6, 1], extra_padding=2)
    with torch.no_grad():
        hidden = model.encode(model.embed(batch), batch)
        attention = model.attend(hidden, batch)
        found = permute(
            model.readout(hidden, batch), attention, batch.scorable, draws=7, seed=3, ids=batch.ids
        )
        order = permutations(batch.ids, batch.scorable, 7, 3)
        output = expit if classes == 2 else partial(softmax, axis=1)
        whole = output(model.decode(hidden, attention, batch).double().numpy())
        for draw in range(7):
            other = attention.gather(1, order[:, draw])
            changed = output(model.decode(hidden, other, batch).double().numpy())
            expected = np.abs(changed - whole).sum(axis=1) / (1 if classes == 2 else 2)
            assert found[:, draw].numpy() == pytest.approx(expected, abs=1e-6)
    assert found.dtype == torch.float64
    assert float(found[2].max()) < 1e-12, "one token cannot be permuted"


def test_uniform_attention_cannot_be_permuted() -> None:
    readout = Readout(torch.rand(2, 5, 1).double(), lambda c: c + 0.3, linear=True)
    uniform = torch.full((2, 5), 0.2).double()
    assert permute(readout, uniform, torch.ones(2, 5, dtype=torch.bool)).max() < 1e-12


def test_company_and_padding_change_nothing() -> None:
    values, attention = torch.rand(3, 6, 1).double(), torch.rand(3, 6).double()
    mask = torch.arange(6) < torch.tensor([6, 2, 4])[:, None]
    ids = torch.tensor([5, 9, -1])
    together = permute(Readout(values, torch.negative, linear=False), attention, mask, draws=9, ids=ids)
    for row, n in enumerate((6, 2, 4)):
        alone = permute(
            Readout(values[row : row + 1, :n], torch.negative, linear=False),
            attention[row : row + 1, :n],
            mask[row : row + 1, :n],
            draws=9,
            ids=ids[row : row + 1],
        )
        torch.testing.assert_close(alone[0], together[row])


def test_a_text_without_tokens_is_undefined() -> None:
    readout = Readout(torch.rand(1, 4, 1), lambda c: c, linear=True)
    assert permute(readout, torch.rand(1, 4), torch.zeros(1, 4, dtype=torch.bool)).isnan().all()
