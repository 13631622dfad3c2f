"""Trainers that need another trained model: one drawn to its attention, one held under it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.registry import Spec
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel, Trace
from attex.models.imposed import ImposedAttention
from attex.training.loop import EpochTrainer, Objective
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS, InlineExperiment, Sources, Trainer
from attex.training.trainers.supervised import Supervised

CPU = torch.device("cpu")
BASE = {"trainer": {"epochs": 2}}
SMALL = MODELS.spec({"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "task": "keyword", "sizes": (400, 60, 60)})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


@pytest.fixture(autouse=True)
def trainers(passing_registrations: None) -> None:
    @TRAINERS.register("distilled")
    @dataclass(frozen=True, kw_only=True)
    class Distilled(EpochTrainer):
        base: InlineExperiment

        def sources(self) -> Mapping[str, Mapping[str, Any]]:
            return {"base": self.base}

        def check(self, corpus: Corpus) -> None:
            pass

        def objective(
            self, model: AttentionModel, corpus: Corpus, device: torch.device, sources: Sources
        ) -> Objective:
            base = sources["base"]

            def apart(trace: Trace, batch: Batch) -> Tensor:
                return (trace.attention - base(batch).attention).square().sum(dim=1)

            return Objective(apart, "loss", lowest=True)

    @TRAINERS.register("under")
    @dataclass(frozen=True, kw_only=True)
    class Under(Supervised):
        base: InlineExperiment

        def sources(self) -> Mapping[str, Mapping[str, Any]]:
            return {"base": self.base}

        def wrap(self, model: AttentionModel, sources: Sources) -> AttentionModel:
            return UnderAnother(model, sources["base"])


class UnderAnother(ImposedAttention):
    def __init__(self, base: AttentionModel, other: AttentionModel) -> None:
        super().__init__(base)
        self._trace = other.forward

    def impose(self, batch: Batch) -> Tensor:
        return self._trace(batch).attention


def chosen(**options: object) -> Spec:
    return TRAINERS.spec({"base": BASE, **options})


def model_of(corpus: Corpus, seed: int) -> AttentionModel:
    return assemble(SMALL, corpus.vocabulary_size, len(corpus.classes), seed)


def uneven(corpus: Corpus) -> AttentionModel:
    """A source whose attention is far from that of a fresh model."""
    model = model_of(corpus, 7)
    for parameter in model.attention.parameters():
        torch.nn.init.normal_(parameter, std=3.0, generator=torch.Generator().manual_seed(7))
    return model


def distance(one: AttentionModel, other: AttentionModel, corpus: Corpus) -> float:
    batch = Batcher(corpus, "test").batch(range(60))
    with torch.no_grad():
        return float((one(batch).attention - other(batch).attention).abs().sum(dim=1).mean() / 2)


def test_an_objective_can_ask_another_model(corpus: Corpus, tmp_path: Path) -> None:
    source, model = uneven(corpus), model_of(corpus, 0)
    before = {name: value.clone() for name, value in source.state_dict().items()}
    trainer: EpochTrainer = TRAINERS.bind(chosen(type="distilled", epochs=6, learning_rate=0.02))
    apart = distance(model, source, corpus)
    progress = trainer.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU, {"base": source})
    assert distance(model, source, corpus) < apart / 2
    for name, value in source.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert all(parameter.grad is None for parameter in source.parameters())
    losses = [epoch["loss"] for epoch in progress.history]
    assert progress.best_epoch == losses.index(min(losses)) + 1


def test_the_model_that_is_wrapped_is_trained_and_comes_back(corpus: Corpus, tmp_path: Path) -> None:
    source, model = uneven(corpus), model_of(corpus, 0)
    trainer: Trainer = TRAINERS.bind(chosen(type="under", epochs=3, learning_rate=0.02))
    sources = {"base": source}
    progress = trainer.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU, sources)
    again = model_of(corpus, 5)
    again.load_state_dict(model.state_dict())
    under, dev = trainer.wrap(again, sources), Batcher(corpus, "dev")
    assert distance(under, source, corpus) == 0
    outputs = predict(under, dev)
    right = (outputs[:, 0] > 0) == corpus.splits["dev"].labels.bool()
    best = progress.history[progress.best_epoch - 1]
    assert right.double().mean().item() == pytest.approx(best["accuracy"])
    assert not torch.allclose(outputs, predict(again, dev)), "bare, it has its own attention"


def test_an_inline_experiment_is_a_source_and_no_part_of_the_key() -> None:
    spec, other = chosen(type="distilled"), chosen(type="distilled", base={"name": "renamed"})
    assert TRAINERS.bind(spec).sources() == {"base": BASE}
    assert spec.model_dump()["base"] == BASE
    assert spec.settings() == other.settings()
    assert spec.title == "distilled"
    assert Supervised().sources() == {}
