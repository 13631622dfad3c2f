"""The exact adversary where attention is over pieces of words, against all vertices and the model."""

from pathlib import Path

import pytest
import torch
from pretrained_folders import write_folder
from pretrained_toys import batch_of, encoder_under_attention
from test_exact import brute_force

from attex.counterfactual import adversarial_exact, adversarial_search
from attex.foundations.divergences import total_variation

TEXTS = ("an unbelievable film", "dull", "films zorb not", "very good play")
EPSILON = 0.02


@torch.no_grad()
def test_it_is_the_largest_of_all_vertices_and_the_output_stays(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    model, batch = encoder_under_attention(folder).double(), batch_of(folder, TEXTS)
    hidden = model.encode(model.embed(batch), batch)
    attention, readout = model.attend(hidden, batch), model.readout(hidden, batch)
    logits, bias = readout.values[..., 0], float(readout.head(torch.zeros(1).double()))
    assert batch.scorable.sum(dim=1).tolist() > batch.scored.sum(dim=1).tolist(), "words are in pieces"
    jsd, other = adversarial_exact(logits, attention, batch.scorable, bias, EPSILON)
    for text in range(len(batch)):
        pieces = batch.scorable[text]
        values, own = logits[text, pieces].numpy(), attention[text, pieces].numpy()
        assert float(jsd[text]) == pytest.approx(brute_force(values, own, bias, EPSILON), abs=1e-6)
    assert not other[~batch.scorable].any(), "markers have no weight"
    moved = total_variation(model.decode(hidden, other, batch), model(batch).logits)
    assert (moved <= EPSILON + 1e-9).all()
    found, _ = adversarial_search(readout, attention, batch.scorable, epsilon=EPSILON, steps=100)
    assert (found <= jsd + 1e-9).all()
