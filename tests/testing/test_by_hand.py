"""The model by hand gives what its formula says, and is a model like any other."""

import numpy as np
import pytest
import torch
from scipy.special import expit, softmax

from attex.importance import attention, leave_one_out
from attex.testing import model_by_hand


def test_every_number_is_what_the_formula_says() -> None:
    energies, logits = [0.3, -1.2, 2.0, 0.0], [1.5, -4.0, 0.2, 7.0]
    model, batch = model_by_hand(energies, logits)
    weights = softmax(energies)
    np.testing.assert_allclose(attention(model, batch)[0], weights, atol=1e-6)
    output = torch.sigmoid(model(batch).logits).item()
    assert output == pytest.approx(expit(weights @ logits), abs=1e-6)
    for t, change in enumerate(leave_one_out(model, batch)[0].tolist()):
        kept = [i for i in range(len(energies)) if i != t]
        without = expit(softmax(np.take(energies, kept)) @ np.take(logits, kept))
        assert change == pytest.approx(abs(without - output), abs=1e-6)


def test_a_word_needs_both_numbers() -> None:
    with pytest.raises(ValueError, match="2 energies and 1 logits"):
        model_by_hand([0.0, 1.0], [2.0])
