"""The command that answers a published number gives a number that it can be judged by."""

import functools

import pytest

from attex.analyses.analysis import ANALYSES
from attex.claims.answers import command_for
from attex.claims.ledger import Claim, published
from attex.claims.quantities import OVERALL, key_of, projection_of
from attex.config import shipped
from attex.config.loading import load_experiments
from attex.data.reader import dataset_name
from attex.models.architecture import MODELS

ANSWERED = [(claim, command) for claim in published() if (command := command_for(claim)) is not None]
SAMPLE = ("sst_lstm_tanh", "neely_schouten_2020/published", "neely_2022/snli_lstm")
"""What is evaluated without `--all`: the library of a paper takes a second or more."""


@functools.cache
def offered(command: str) -> dict[tuple[str, ...], set[str]]:
    """What the models that a command trains will be asked, by cell."""
    experiment, *overrides = command.removeprefix("attex run ").split(" -o ")
    path = shipped.find(experiment)
    assert path is not None, experiment
    cells: dict[tuple[str, ...], set[str]] = {}
    for config in load_experiments(path, overrides):
        model = MODELS.bind(config.model)
        about = model.about()
        cell = dataset_name(config.data), about["encoder"], about["attention"]
        asked = [ANALYSES.bind(spec) for spec in (ANALYSES.spec("performance"), *config.analyses)]
        names = {
            key_of(name) for one in asked for name in one.offers(config.importance, model.encoder_class)
        }
        cells.setdefault((*cell, projection_of(about["projection"])), set()).update(names)
    return cells


def test_most_that_can_be_measured_has_a_command() -> None:
    assert len(ANSWERED) > 700
    assert {command.split()[2] for _, command in ANSWERED} <= set(shipped.names())


def test_the_command_trains_that_model_and_asks_that_question(everything: bool) -> None:
    for claim, command in ANSWERED:
        if everything or command.split()[2].endswith(SAMPLE):
            names = offered(command)[claim.cell]
            if claim.class_ == OVERALL and "[" not in claim.quantity.partition("(")[0]:
                assert claim.key in names or _head(claim) in names, claim
            else:
                # Numbers of a class, or of a part of the texts, come with those of all of them.
                assert any(name.startswith(_head(claim)) for name in names), claim


def _head(claim: Claim) -> str:
    return claim.quantity.partition("[")[0]


def test_what_cannot_be_measured_has_none() -> None:
    (claim, *_) = published(dataset="diabetes")
    assert command_for(claim) is None


@pytest.mark.parametrize("projection", ["sparsegen"])
def test_a_projection_without_its_option_has_none(projection: str) -> None:
    assert command_for(published(projection=projection)[0]) is None
