"""Experiments against experiments: cached, nested, and loaded from the run folder alone."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import attex
from attex.config.loading import validate
from attex.data.batch import Batcher
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

DATA = {"type": "planted", "task": "keyword", "sizes": [60, 20, 20]}
BASE: dict[str, Any] = {
    "name": "pair",
    "data": DATA,
    "model": {"embedding_width": 6, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 2, "learning_rate": 0.02},
    "importance": ["attention", "random", "input_x_gradient"],
    "analyses": [],
}


def against(kind: str, base: dict[str, Any], **options: Any) -> dict[str, Any]:
    named = "guide" if kind == "guided" else "base"
    return BASE | {"trainer": {"type": kind, named: base, "epochs": 2, "learning_rate": 0.02} | options}


def done(experiment: dict[str, Any], output: Path) -> attex.Run:
    run = attex.run(experiment, output_dir=output, device="cpu")
    assert isinstance(run, attex.Run)
    return run


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("against")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return build_corpus(READERS.bind(READERS.spec(DATA)), DataFolder(Path("nowhere")))


def test_an_adversary_of_an_adversary_of_a_guided_model(output: Path, corpus: Corpus) -> None:
    guided = against("guided", BASE)
    first = against("adversarial", guided, weight=0.1, frozen=True)
    run = done(against("adversarial", first, weight=0.1), output)
    weights = {path.name for path in run.path.glob("source_*.safetensors")}
    chain = ["base", "base.base", "base.base.guide"]
    assert weights == {f"source_{name}_seed_0.safetensors" for name in chain}
    # The same experiments on their own are the same trainings: nothing is trained twice.
    stages = json.loads((run.path / "manifest.json").read_text())["stages"]
    trainings = {stage["key"] for stage in stages if stage["kind"] == "training"}
    workspace = Workspace.at(output=output, device="cpu")
    for each in (BASE, guided, first):
        assert Plan(validate(each), workspace).seeds[0].training.key in trainings
    assert len(trainings) == 4
    batch = Batcher(corpus, "test").batch(range(20))
    middle = done(first, output)
    with torch.no_grad():
        trace, guide = done(guided, output).model()(batch), done(BASE, output).model()(batch)
        assert torch.equal(trace.attention, guide.attention)
        assert torch.equal(middle.model()(batch).hidden, trace.hidden), "frozen: the base's states"
        assert not torch.allclose(middle.model()(batch).attention, trace.attention, atol=1e-3)


@pytest.mark.parametrize("options", [{"weights": "word"}, {"cross_fit": True}])
def test_a_guided_model_is_the_same_from_its_run_folder(
    options: dict[str, Any], output: Path, corpus: Corpus
) -> None:
    run = done(against("guided", BASE, **options), output)
    batch = Batcher(corpus, "test").batch(range(20))
    with torch.no_grad():
        trace = run.model()(batch)
    scores = run.instances["attention"].to_list()
    for row in range(20):
        shown = trace.attention[row][batch.scorable[row]].tolist()
        assert shown == pytest.approx(scores[row], abs=1e-5)


def test_random_scores_are_one_permutation_of_the_ranks(output: Path) -> None:
    for scores in done(BASE, output).instances["random"].to_list():
        assert sorted(scores) == pytest.approx([(n + 1) / len(scores) for n in range(len(scores))])


@pytest.mark.parametrize(
    ("experiment", "problem"),
    [
        (against("adversarial", {"trainer": {"epochs": 0}}), r"trainer\.base: trainer\.epochs: "),
        (
            against("adversarial", BASE, divergence="kl")
            | {"model": {"attention": {"type": "tanh", "projection": "sparsemax"}}},
            r"kl is infinite where a weight is 0, and the attention of model can be sparse",
        ),
        (
            against("adversarial", {"trainer": "deceptive"}),
            r"trainer\.base: the training texts have no impermissible token",
        ),
        (
            against("adversarial", {"model": {"encoder": "average"}}, frozen=True),
            r"trainer\.frozen: .* may differ in their attention only",
        ),
        (against("adversarial", BASE, weight=-1), r"trainer\.weight: should be greater than or equal"),
    ],
)
def test_what_cannot_be_is_refused_before_any_training(
    experiment: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=problem):
        attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert not [*tmp_path.glob(".cache/2/training/*")]
