"""Measures keep every promise of `attex.testing` on pretrained models, too, with words in pieces."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pretrained_folders import write_folder
from pretrained_toys import batch_of, classifier, encoder_under_attention, skip_if_refused
from toys import cheap

from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel
from attex.testing.conformance import hold
from attex.testing.importance import PROMISES, Trial

Make = Callable[..., AttentionModel]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("bert"), labels=("x", "y", "z"))


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
@pytest.mark.parametrize("name", [entry.name for entry in MEASURES])
def test_a_measure_keeps_its_promises(folder: Path, make: Make, name: str) -> None:
    model, batch = make(folder, 3), batch_of(folder)
    assert int(batch.scored.sum()) < int(batch.scorable.sum()), "some words are of several pieces"
    skip_if_refused(name, model)
    hold(name, PROMISES, {make.__name__: Trial(cheap(name), model, batch)})
