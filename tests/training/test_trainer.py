"""Training: it learns, stops, resumes to the bit and names what went wrong."""

from pathlib import Path

import pytest
import torch

from attex.data.batch import Batcher
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError
from attex.models.classifier import AttentionModel
from attex.runner.assembly import ModelConfig, assemble
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS
from attex.training.trainers.supervised import Supervised

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "task": "keyword", "sizes": (400, 60, 60)})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


def small_model(corpus: Corpus, seed: int = 0) -> AttentionModel:
    config = ModelConfig.model_validate(
        {"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}}
    )
    return assemble(config, corpus, seed)


def trainer(**options: object) -> Supervised:
    made: Supervised = TRAINERS.bind(TRAINERS.spec({"type": "supervised", **options}))
    return made


def test_a_single_keyword_is_learned(corpus: Corpus, tmp_path: Path) -> None:
    model = small_model(corpus)
    trainer(epochs=10, learning_rate=0.02).fit(model, corpus, 0, tmp_path / "c.safetensors", CPU)
    logits = predict(model, Batcher(corpus, "test"))
    assert classification_metrics(logits, corpus.splits["test"].labels)["accuracy"] > 0.95


def test_a_resumed_training_is_the_same_to_the_bit(corpus: Corpus, tmp_path: Path) -> None:
    whole, part = small_model(corpus), small_model(corpus)
    options = {"learning_rate": 0.01}
    expected = trainer(epochs=4, **options).fit(whole, corpus, 0, tmp_path / "a.safetensors", CPU)
    trainer(epochs=2, **options).fit(part, corpus, 0, tmp_path / "b.safetensors", CPU)
    resumed = small_model(corpus, seed=9)
    found = trainer(epochs=4, **options).fit(resumed, corpus, 0, tmp_path / "b.safetensors", CPU)
    assert found.history == expected.history
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_one_seed_gives_one_model_and_another_seed_another(corpus: Corpus, tmp_path: Path) -> None:
    weights = []
    for run, seed in enumerate((0, 0, 1)):
        model = small_model(corpus, seed)
        trainer(epochs=1).fit(model, corpus, seed, tmp_path / f"{run}.safetensors", CPU)
        weights.append(model.embedding.weight.detach())
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_the_best_model_is_kept_and_patience_ends_the_training(corpus: Corpus, tmp_path: Path) -> None:
    model = small_model(corpus)
    made = trainer(epochs=40, patience=2, learning_rate=0.02)
    progress = made.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU)
    scores = [epoch["roc_auc"] for epoch in progress.history]
    assert len(scores) < 40
    assert scores.index(max(scores)) + 1 == progress.best_epoch
    assert len(scores) == progress.best_epoch + 2
    logits = predict(model, Batcher(corpus, "dev"))
    dev = classification_metrics(logits, corpus.splits["dev"].labels)
    assert dev["roc_auc"] == pytest.approx(progress.best_score)


def test_a_broken_loss_names_its_batch(corpus: Corpus, tmp_path: Path) -> None:
    model = small_model(corpus)
    with torch.no_grad():
        model.decoder.output.bias.fill_(float("nan"))
    with pytest.raises(UserError, match=r"loss became nan at batch 1 of \d+ \(texts keyword/0/train"):
        trainer(epochs=1).fit(model, corpus, 0, tmp_path / "c.safetensors", CPU)


def test_attention_is_not_decayed(corpus: Corpus) -> None:
    model = small_model(corpus)
    decayed, held = model.parameter_groups(0.1, 0.5)
    assert {id(p) for p in held["params"]} == {id(p) for p in model.attention.parameters()}
    assert (decayed["weight_decay"], held["weight_decay"]) == (0.5, 0.0)
    assert len(decayed["params"]) + len(held["params"]) == len(list(model.parameters()))


def test_padding_stays_zero(corpus: Corpus, tmp_path: Path) -> None:
    model = small_model(corpus)
    trainer(epochs=2, learning_rate=0.05).fit(model, corpus, 0, tmp_path / "c.safetensors", CPU)
    assert (model.embedding.weight[0] == 0).all()


def test_patience_waits_for_the_first_model_that_may_be_kept(corpus: Corpus, tmp_path: Path) -> None:
    made = trainer(epochs=6, patience=1, first_kept_epoch=4)
    progress = made.fit(small_model(corpus), corpus, 0, tmp_path / "c.safetensors", CPU)
    assert progress.best_epoch >= 4
