"""Deception on planted texts: the attention shows none of the words that decide."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from two_models import CPU, model_of, planted, trainer_of

from attex.data.batch import Batcher
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict

LSTM = MODELS.spec({"embedding_width": 12, "encoder": {"type": "lstm", "hidden": 8}})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted(task="keyword", sizes=(400, 100, 100), hide_truth=True)


def trained(
    corpus: Corpus, folder: Path, epochs: int = 12, **options: Any
) -> tuple[AttentionModel, Any]:
    model = assemble(LSTM, corpus.vocabulary_size, 2, 0)
    trainer = trainer_of("deceptive", epochs=epochs, learning_rate=0.02, **options)
    progress = trainer.fit(model, corpus, 0, folder / "c.safetensors", CPU)
    return model.eval(), progress


@torch.no_grad()
def judged(model: AttentionModel, corpus: Corpus) -> tuple[float, float]:
    """Return the accuracy on test, and the mean attention on what is impermissible."""
    accuracy = classification_metrics(
        predict(model, Batcher(corpus, "test")), corpus.splits["test"].labels
    )["accuracy"]
    batch = Batcher(corpus, "test").batch(range(100))
    assert batch.impermissible is not None
    return accuracy, float((model(batch).attention * batch.impermissible).sum(dim=1).mean())


def test_a_deceptive_model_hides_what_decides_at_equal_accuracy(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "honest").mkdir()
    honest, _ = trained(corpus, tmp_path / "honest", weight=0.0)
    liar, progress = trained(corpus, tmp_path, weight=1.0)
    (right, shown), (as_right, hidden) = judged(honest, corpus), judged(liar, corpus)
    assert right > 0.95
    assert as_right >= right - 0.02
    assert hidden < 0.01 < 0.1 < shown
    kept = progress.history[progress.best_epoch - 1]
    dev = Batcher(corpus, "dev").batch(range(100))
    with torch.no_grad():
        mass = (liar(dev).attention.double() * dev.impermissible).sum(dim=1)
    assert kept["impermissible_mass"] == pytest.approx(mass.mean().item(), abs=1e-6)
    assert kept["penalty"] == pytest.approx(-(1 - mass).log().mean().item(), abs=1e-5)
    assert "penalty undefined" not in kept


def test_all_weight_on_the_impermissible_still_has_a_gradient(corpus: Corpus) -> None:
    model = model_of(corpus, 0, LSTM)
    objective = trainer_of("deceptive", weight=1.0).objective(model, corpus, CPU, {})
    batch = Batcher(corpus, "train").batch([0])
    assert batch.impermissible is not None
    trace = model(batch)
    # e^{−200} is 0 in float32: 1 − Σ α over I would be exactly 0, and its logarithm infinite.
    energies = torch.where(batch.impermissible, 100.0, -100.0).requires_grad_()
    lying = replace(trace, energies=energies, attention=energies.softmax(dim=1))
    (slope,) = torch.autograd.grad(objective.each(lying, batch).sum(), energies)
    count = int(batch.impermissible.sum())
    assert slope[batch.impermissible].sum().item() == pytest.approx(1.0, abs=1e-6)
    assert count >= 1
    assert slope[batch.scorable & ~batch.impermissible].sum().item() == pytest.approx(-1.0, abs=1e-6)


def test_texts_of_nothing_else_are_counted(corpus: Corpus, tmp_path: Path) -> None:
    dev = corpus.splits["dev"]
    marks = dev.truth.clone()  # type: ignore[union-attr]
    for text in (3, 8):
        marks[dev.starts[text] : dev.starts[text + 1]] = True
    changed = replace(corpus, splits=corpus.splits | {"dev": replace(dev, impermissible=marks)})
    _, progress = trained(changed, tmp_path, epochs=1, weight=1.0)
    assert progress.history[-1]["penalty undefined"] == 2
    assert progress.history[-1]["impermissible_mass"] >= 2 / 100


def test_texts_without_marks_and_sparse_attention_are_refused(corpus: Corpus) -> None:
    deceptive = trainer_of("deceptive")
    with pytest.raises(UserError, match=r"no impermissible token .*data\.impermissible"):
        deceptive.check(planted(task="keyword"))
    deceptive.check(corpus)
    sparse = MODELS.spec({"attention": {"type": "tanh", "projection": "sparsemax"}})
    with pytest.raises(UserError, match=r"needs model\.attention\.projection softmax: under sparsemax"):
        deceptive.check_models(sparse, {})
    trainer_of("deceptive", weight=0).check_models(sparse, {})
    inner = MODELS.spec({"encoder": {"type": "transformer", "inner_projection": "entmax15"}})
    with pytest.raises(UserError, match=r"trainer\.aggregate needs a self-attention without zeros"):
        trainer_of("deceptive", aggregate="worst").check_models(inner, {})


def test_heads_are_penalised_beside_the_attention_that_decides(corpus: Corpus) -> None:
    encoder = {"type": "transformer", "hidden": 4, "layers": 2, "heads": 2}
    model = model_of(corpus, 0, MODELS.spec({"embedding_width": 4, "encoder": encoder}))
    batch = Batcher(corpus, "train").batch([0, 1, 2])
    trace = model(batch)
    assert batch.impermissible is not None
    assert trace.layers is not None
    logarithms = []
    for text in range(3):
        hidden = batch.impermissible[text]
        own = [1 - trace.attention[text][hidden].sum()]
        for head in range(2):
            read = sum(
                trace.attention[text, t] * trace.layers[text, -1, head, t] for t in range(len(hidden))
            )
            own.append(1 - read[hidden].sum())  # type: ignore[index]
        logarithms.append(torch.stack(own).log())
    expected = torch.stack(logarithms).double()
    for aggregate, value in (("mean", -expected.mean(dim=1)), ("worst", -expected.amin(dim=1))):
        trainer = trainer_of("deceptive", weight=1.0, aggregate=aggregate)
        objective = trainer.objective(model, corpus, CPU, {})
        assert torch.allclose(objective.shown["penalty"](trace, batch), value, atol=1e-5)
