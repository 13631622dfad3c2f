"""Training: it learns, stops, resumes to the bit and names what went wrong."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from attex.data.batch import Batcher
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.training import loop, prediction
from attex.training.checkpoint import Progress, load, save
from attex.training.graphs import recorded_width
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
    spec = MODELS.spec({"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}})
    return assemble(spec, corpus.vocabulary_size, len(corpus.classes), seed)


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
    options = {"learning_rate": 0.01, "checkpoint_seconds": 0}
    expected = trainer(epochs=4, **options).fit(whole, corpus, 0, tmp_path / "a.safetensors", CPU)
    trainer(epochs=2, **options).fit(part, corpus, 0, tmp_path / "b.safetensors", CPU)
    resumed = small_model(corpus, seed=9)
    found = trainer(epochs=4, **options).fit(resumed, corpus, 0, tmp_path / "b.safetensors", CPU)
    assert found.history == expected.history
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


class Killed(Exception):
    pass


@pytest.mark.parametrize("learning_rate", [0.01, 1.0])
def test_a_kill_between_checkpoints_repeats_epochs_and_changes_nothing(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learning_rate: float
) -> None:
    path, seen = tmp_path / "killed.safetensors", []

    def say(line: str) -> None:
        seen.append((line.split(":")[0].strip(), path.exists()))
        if "epoch 4 of" in line and len(seen) == 4:
            raise Killed

    options = {"epochs": 5, "learning_rate": learning_rate}
    whole, killed, resumed = (small_model(corpus, seed) for seed in (0, 0, 9))
    expected = trainer(**options).fit(whole, corpus, 0, tmp_path / "whole.safetensors", CPU)
    assert not (tmp_path / "whole.safetensors").exists(), "it took less than 15 seconds"
    clock = itertools.count(step=6.0)
    monkeypatch.setattr(loop, "monotonic", lambda: next(clock))
    monkeypatch.setattr(loop, "say", say)
    with pytest.raises(Killed):
        trainer(**options).fit(killed, corpus, 0, path, CPU)
    assert [exists for _, exists in seen] == [False, False, True, True], "after 18 seconds"
    found = trainer(**options).fit(resumed, corpus, 0, path, CPU)
    assert [what for what, _ in seen[4:]] == ["seed 0, epoch 4 of 5", "seed 0, epoch 5 of 5"]
    assert (found.history, found.best_epoch) == (expected.history, expected.best_epoch)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


@pytest.mark.parametrize("best_epoch", [0, 1, 3])
def test_a_checkpoint_gives_back_the_best_model(best_epoch: int, corpus: Corpus, tmp_path: Path) -> None:
    model, progress = small_model(corpus), Progress()
    for epoch in (1, 2, 3):
        torch.nn.init.constant_(model.decoder.output.bias, float(epoch))
        progress.history.append({"epoch": epoch})
        if epoch <= best_epoch:
            progress.keep(model, epoch, 0.5)
    path, again = tmp_path / "c.safetensors", small_model(corpus, seed=3)
    save(path, progress, model, trainer().optimizer(model))
    found = load(path, again, trainer().optimizer(again))
    assert again.decoder.output.bias.item() == 3.0
    assert (found.best_epoch, found.best_score) == (progress.best_epoch, progress.best_score)
    assert found.best_state.keys() == progress.best_state.keys()
    for name, value in progress.best_state.items():
        assert torch.equal(found.best_state[name], value), name


def test_how_often_a_checkpoint_is_written_is_no_part_of_a_key() -> None:
    often = TRAINERS.spec({"checkpoint_seconds": 0})
    assert often.settings() == TRAINERS.spec("supervised").settings()


def test_predictions_do_not_depend_on_the_size_of_batches(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, texts = small_model(corpus), Batcher(corpus, "test")
    expected = predict(model, texts)
    for tokens in (1, 100, 10**6):
        monkeypatch.setattr(prediction, "EVALUATION_TOKENS", tokens)
        assert torch.allclose(predict(model, texts), expected, atol=1e-6)


def test_a_gpu_that_many_share_is_given_less_at_a_time(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = Batcher(corpus, "test")
    # How texts are cut is decided before anything is on the device.
    texts.device, texts.lengths = torch.device("cuda"), np.full(10_000, 100)
    most = {}
    for processes in (1, 4, 26):
        monkeypatch.setenv("ATTEX_GPU_SHARERS", str(processes))
        most[processes] = 100 * max(map(len, prediction.evaluation_batches(texts)))
    assert most[1] == most[4] == 131_000
    assert most[26] == 21_800


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


def first_step(corpus: Corpus, folder: Path, **options: object) -> tuple[AttentionModel, AttentionModel]:
    """Return a model before and after one step on all texts at once."""
    before, after = small_model(corpus), small_model(corpus)
    made = trainer(epochs=1, batch_size=len(corpus.splits["train"]), **options)
    made.fit(after, corpus, 0, folder / f"{options}.safetensors", CPU)
    return before, after


def farthest(before: nn.Module, after: nn.Module) -> float:
    pairs = zip(before.parameters(), after.parameters(), strict=True)
    return max(float((new - old).detach().abs().max()) for old, new in pairs)


@pytest.mark.parametrize("factor", [1.0, 10.0, 0.1])
def test_attention_learns_as_much_faster_as_asked(corpus: Corpus, tmp_path: Path, factor: float) -> None:
    # Adam's first step is as long as the learning rate, whatever the gradient.
    options = {"learning_rate": 1e-3, "weight_decay": 0.0, "attention_rate_factor": factor}
    before, after = first_step(corpus, tmp_path, **options)
    assert farthest(before.encoder, after.encoder) == pytest.approx(1e-3, rel=0.01)
    assert farthest(before.attention, after.attention) == pytest.approx(factor * 1e-3, rel=0.01)


def test_attention_is_decayed_if_asked(corpus: Corpus, tmp_path: Path) -> None:
    def moved(**options: object) -> torch.Tensor:
        before, after = first_step(corpus, tmp_path, learning_rate=1e-3, **options)
        return after.attention.inner.weight.detach() - before.attention.inner.weight.detach()

    weights = small_model(corpus).attention.inner.weight.detach()
    free = moved(weight_decay=0.0)
    # A decay this strong is all that Adam sees: every weight moves towards 0.
    assert torch.equal(moved(weight_decay=1e6), free)
    decayed = moved(weight_decay=1e6, decay_attention=True)
    assert torch.equal(decayed.sign(), -weights.sign())
    assert not torch.equal(free.sign(), -weights.sign())


@pytest.mark.parametrize(("most", "batches"), [(1, 400), (10**6, 4)])
def test_a_batch_has_no_more_tokens_than_asked(
    corpus: Corpus, tmp_path: Path, most: int, batches: int
) -> None:
    model = small_model(corpus)
    with torch.no_grad():
        model.decoder.output.bias.fill_(float("nan"))
    # The message counts the batches; a text that is too long for one is a batch of its own.
    made = trainer(epochs=1, batch_size=100, max_batch_tokens=most)
    with pytest.raises(UserError, match=f"at batch 1 of {batches} "):
        made.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU)


def test_widths_of_recorded_steps_are_few_and_hold_their_texts() -> None:
    widths = [recorded_width(width) for width in range(1, 1001)]
    assert all(padded >= width for width, padded in enumerate(widths, 1))
    assert all(padded - width < max(4, width / 8) for width, padded in enumerate(widths, 1))
    assert len(set(widths[:60])) == 15
    assert len(set(widths[:500])) < 50
