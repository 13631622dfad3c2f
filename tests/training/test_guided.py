"""Models under the attention of another: given in training and after it, by text, by word, cross-fit."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from two_models import CPU, Fives, model_of, planted, texts_of, trainer_of

from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.models.classifier import Trace
from attex.models.guided import in_second_half
from attex.training.loop import Epochs
from attex.training.trainer import NO_SOURCES
from attex.training.trainers.guided import Guided
from attex.training.trainers.supervised import Supervised


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return texts_of(Fives)


def test_a_guided_model_has_the_attention_of_its_guide_and_its_own_is_not_trained(
    corpus: Corpus, tmp_path: Path
) -> None:
    guide, model = model_of(corpus, 3), model_of(corpus, 1)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    trainer = trainer_of("guided", guide={}, epochs=2, learning_rate=0.05, metric="accuracy")
    trainer.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU, {"guide": guide})
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]) == name.startswith("attention."), name
    batch = Batcher(corpus, "test").batch(range(40))
    with torch.no_grad():
        assert torch.equal(
            trainer.wrap(model, {"guide": guide})(batch).attention, guide(batch).attention
        )


def test_a_word_has_its_mean_weight_over_the_training_texts(corpus: Corpus, tmp_path: Path) -> None:
    guide, model = model_of(corpus, 3), model_of(corpus, 1)
    trainer = trainer_of("guided", guide={}, weights="word", epochs=1, metric="accuracy")
    trainer.fit(model, corpus, 0, tmp_path / "c.safetensors", CPU, {"guide": guide})
    wrapped = trainer.wrap(model, {"guide": guide})
    progress = trainer.fit(model, corpus, 0, tmp_path / "d.safetensors", CPU, {"guide": guide})
    wrapped.load_state_dict(progress.best_state)
    weights: dict[str, list[float]] = {}
    with torch.no_grad():
        for text in range(len(corpus.splits["train"])):
            attention = guide(Batcher(corpus, "train").batch([text])).attention[0, 1:-1]
            for word, weight in zip(corpus.tokens("train", text), attention.tolist(), strict=True):
                weights.setdefault(word, []).append(weight)
        mean = {word: sum(each) / len(each) for word, each in weights.items()}
        for text in range(5):
            expected = torch.tensor([mean[word] for word in corpus.tokens("test", text)])
            found = wrapped(Batcher(corpus, "test").batch([text])).attention[0, 1:-1]
            assert torch.allclose(found, expected / expected.sum(), atol=1e-6)


def test_a_text_is_guided_by_the_one_that_was_not_trained_on_it(corpus: Corpus) -> None:
    trainer = trainer_of("guided", guide={"trainer": {"epochs": 3}}, cross_fit=True)
    assert {name: fields["trainer"] for name, fields in trainer.sources().items()} == {
        "first": {"epochs": 3, "half": "first"},
        "second": {"epochs": 3, "half": "second"},
    }
    guides = {"first": model_of(corpus, 3), "second": model_of(corpus, 4)}
    wrapped = trainer.wrap(model_of(corpus, 1), guides)
    trained_on = {}
    for half in guides:
        fit = trainer_of("supervised", half=half)
        model = model_of(corpus, 1)
        objective = fit.objective(model, corpus, CPU, NO_SOURCES)
        epochs = Epochs(fit, objective, model, fit.optimizer(model), corpus, 0, CPU)
        trained_on[half] = {int(text) for chosen in epochs._order(1) for text in chosen}
    assert trained_on["first"] | trained_on["second"] == set(range(160))
    assert not trained_on["first"] & trained_on["second"]
    assert 50 < len(trained_on["first"]) < 110
    with torch.no_grad():
        for text in range(20):
            batch = Batcher(corpus, "train").batch([text])
            unseen = "second" if text in trained_on["first"] else "first"
            assert torch.equal(wrapped(batch).attention, guides[unseen](batch).attention)


@pytest.mark.parametrize("cross_fit", [False, True])
def test_guides_are_asked_once_and_say_what_they_would_at_every_step(
    corpus: Corpus, tmp_path: Path, cross_fit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = trainer_of(
        "guided", guide={}, cross_fit=cross_fit, epochs=3, learning_rate=0.05, metric="accuracy"
    )
    guides = {"first": model_of(corpus, 3), "second": model_of(corpus, 4), "guide": model_of(corpus, 5)}
    asked: list[int] = []

    def counted(answer: Callable[[Batch], Trace]) -> Callable[[Batch], Trace]:
        def ask(batch: Batch) -> Trace:
            asked.append(len(batch.ids))
            return answer(batch)

        return ask

    for guide in guides.values():
        monkeypatch.setattr(guide, "forward", counted(guide.forward))

    def trained(name: str) -> tuple[dict[str, torch.Tensor], int]:
        asked.clear()
        progress = trainer.fit(
            model_of(corpus, 1), corpus, 0, tmp_path / f"{name}.safetensors", CPU, guides
        )
        return progress.best_state, sum(asked)

    held, times = trained("held")
    texts = sum(len(corpus.splits[name]) for name in ("train", "dev"))
    assert times == texts * (2 if cross_fit else 1)
    monkeypatch.setattr(Guided, "objective", Supervised.objective)
    every_step, times = trained("every_step")
    assert times == 3 * texts * (2 if cross_fit else 1)
    for name, value in every_step.items():
        assert torch.allclose(held[name], value, atol=1e-5), name


def test_halves_do_not_depend_on_the_company() -> None:
    ids = planted(task="keyword").splits["train"].ids
    both = in_second_half(ids)
    assert torch.equal(both[7:9], in_second_half(ids[7:9]))


def test_means_of_words_are_not_cross_fit(corpus: Corpus) -> None:
    trainer = trainer_of("guided", guide={}, cross_fit=True, weights="word")
    with pytest.raises(UserError, match=r"trainer\.cross_fit goes with trainer\.weights text"):
        trainer.check(corpus)
