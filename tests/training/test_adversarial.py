"""Adversaries whose reach is known: how far they go, what stops them, and what they leave alone."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from two_models import CPU, WORDS, Fives, Pairs, model_of, planted, texts_of, trainer_of

from attex.counterfactual import frozen_bound, moved_apart
from attex.data.batch import Batch, Batcher
from attex.data.corpus import Corpus
from attex.data.subwords import in_pieces
from attex.foundations.divergences import jensen_shannon
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import WordCutter
from attex.training import held
from attex.training.apart import jensen_shannon_from, relative_entropy
from attex.training.held import HeldOutputs, HeldStates

ROUNDING = 1e-12
FAST = {"epochs": 40, "learning_rate": 0.03, "weight_decay": 0.0, "batch_size": 40}
ENCODERS = ("lstm", "gru", "cnn", "average", "transformer")
TWO_TEXTS: list[dict[str, Any]] = [
    {"query": {}, "decoder": "query"},
    {"query": {}, "decoder": "pair"},
    {"query": {"shared": True}, "decoder": "pair"},
]


def whole(corpus: Corpus, split: str = "train") -> Batch:
    return Batcher(corpus, split).batch(range(len(corpus.splits[split])))


def adversary(
    base: AttentionModel,
    corpus: Corpus,
    folder: Path,
    model: AttentionModel | None = None,
    **options: Any,
) -> AttentionModel:
    trained = model_of(corpus, 1) if model is None else model
    trainer = trainer_of("adversarial", base={}, **FAST | options)
    trainer.fit(trained, corpus, 0, folder / "c.safetensors", CPU, {"base": base})
    return trained.eval()


def test_where_no_token_matters_the_frozen_adversary_goes_as_far_as_attention_can(
    tmp_path: Path,
) -> None:
    corpus = texts_of(Fives)
    base = model_of(corpus)
    torch.nn.init.zeros_(base.decoder.output.weight)
    batch = whole(corpus)
    other = adversary(base, corpus, tmp_path, frozen=True, weight=1.0)
    tvd, jsd = moved_apart(base, other, batch)
    assert (tvd == 0).all()
    with torch.no_grad():
        attention = base(batch).attention.double()[batch.scorable].view(-1, 5)
    # All weight on one word, whichever is the furthest from the base's.
    one_hot = torch.eye(5, dtype=torch.float64)
    furthest = torch.stack([jensen_shannon(word, attention) for word in one_hot]).amax(dim=0)
    assert jsd.mean() >= 0.9 * furthest.mean()


@pytest.mark.parametrize("weight", [0.0, 0.01, 0.3])
def test_of_two_unlike_tokens_none_moves_without_the_output(weight: float, tmp_path: Path) -> None:
    corpus = texts_of(Pairs)
    base = model_of(corpus)
    other = adversary(base, corpus, tmp_path, frozen=True, weight=weight)
    for split in ("train", "test"):
        batch = whole(corpus, split)
        tvd, jsd = moved_apart(base, other, batch)
        assert (jsd <= frozen_bound(base, batch, tvd) + ROUNDING).all()
        if weight == 0:
            assert tvd.mean() < 0.01
            assert jsd.mean() < 0.02, "two tokens: the output tells the attention"
        # The output of two tokens tells the weights: where they are, so is the output.
        with torch.no_grad():
            values = base.readout(base.encode(base.embed(batch), batch), batch).values.squeeze(-1)
        gap = (values[batch.scorable].view(-1, 2).diff(dim=1)).abs().squeeze(1)
        assert (tvd[(jsd > 0.02) & (gap > 0.3)] > 1e-3).all()


def test_without_a_weight_the_output_is_imitated(tmp_path: Path) -> None:
    corpus = texts_of(Fives)
    base = model_of(corpus)
    torch.nn.init.normal_(base.decoder.output.weight, generator=torch.Generator().manual_seed(3))
    fresh = model_of(corpus, 1, spread=0.3)
    before, _ = moved_apart(base, fresh, whole(corpus))
    other = adversary(base, corpus, tmp_path, fresh, weight=0.0, epochs=80)
    tvd, _ = moved_apart(base, other, whole(corpus))
    assert tvd.mean() < 0.03 < before.mean() / 4


@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "entmax15"])
@pytest.mark.parametrize("encoder", ["embedding", "lstm"])
def test_the_exact_bound_holds_for_every_text_of_a_frozen_adversary(
    projection: str, encoder: str, tmp_path: Path
) -> None:
    corpus = planted(task="keyword")
    spec = MODELS.spec(
        {
            "embedding_width": 8,
            "encoder": {"type": encoder} | ({"hidden": 4} if encoder == "lstm" else {}),
            "attention": {"type": "tanh", "projection": projection},
        }
    )
    base, other = model_of(corpus, 0, spec, 2.0), model_of(corpus, 1, spec, 2.0)
    other = adversary(base, corpus, tmp_path, other, frozen=True, weight=0.05, epochs=4)
    for split in ("train", "dev", "test"):
        batch = whole(corpus, split)
        tvd, jsd = moved_apart(base, other, batch)
        assert (jsd <= frozen_bound(base, batch, tvd) + ROUNDING).all()
    assert jsd.mean() > 0.01, "it did move"


@pytest.mark.parametrize("decoder", ["linear", "query", "pair"])
def test_a_frozen_adversary_has_all_of_the_base_but_its_attention(tmp_path: Path, decoder: str) -> None:
    """Of models with two texts, embedding and encoder of the query are the base's, too."""
    corpus, spec = texts_of(Fives), WORDS
    if decoder != "linear":
        corpus = planted(task="question", sizes=(40, 12, 12))
        spec = MODELS.spec({"embedding_width": 6, "encoder": "average", "query": {}, "decoder": decoder})
    base, fresh = model_of(corpus, spec=spec), model_of(corpus, 1, spec)
    before = {name: value.clone() for name, value in fresh.state_dict().items()}
    other = adversary(base, corpus, tmp_path, fresh, frozen=True, weight=0.1, epochs=2)
    for name, value in other.state_dict().items():
        held = torch.equal(value, base.state_dict()[name])
        assert held != name.startswith("attention."), name
        assert not torch.equal(value, before[name]), "the attention has learned, the rest is the base's"


def test_a_resumed_adversary_is_the_same_to_the_bit(tmp_path: Path) -> None:
    corpus = texts_of(Fives)
    base, options = {"base": model_of(corpus)}, FAST | {"weight": 0.1, "checkpoint_seconds": 0}
    for frozen in (False, True):
        end, part, again = (model_of(corpus, seed) for seed in (1, 1, 9))
        files = [tmp_path / f"{frozen}_{name}.safetensors" for name in ("end", "part")]

        def fit(model: AttentionModel, epochs: int, file: Path, frozen: bool = frozen) -> Any:
            changed = options | {"epochs": epochs, "frozen": frozen}
            return trainer_of("adversarial", base={}, **changed).fit(model, corpus, 0, file, CPU, base)

        expected = fit(end, 4, files[0])
        fit(part, 2, files[1])
        assert fit(again, 4, files[1]).history == expected.history
        for name, value in end.state_dict().items():
            assert torch.equal(value, again.state_dict()[name]), name


def test_the_epoch_of_the_lowest_objective_on_dev_is_kept_or_of_the_lowest_loss(tmp_path: Path) -> None:
    corpus = texts_of(Fives)
    base = {"base": model_of(corpus)}
    for metric in ("objective", "loss"):
        model = model_of(corpus, 1)
        options = FAST | {"weight": 0.5, "metric": metric, "epochs": 5, "learning_rate": 0.3}
        trainer = trainer_of("adversarial", base={}, **options)
        progress = trainer.fit(model, corpus, 0, tmp_path / f"{metric}.safetensors", CPU, base)
        column = [epoch[metric] for epoch in progress.history]
        assert progress.best_epoch == column.index(min(column)) + 1
        tvd, jsd = moved_apart(base["base"], model.eval(), whole(corpus, "dev"))
        kept = progress.history[progress.best_epoch - 1]
        assert kept["tvd"] == pytest.approx(tvd.mean().item(), abs=1e-6)
        assert kept["jsd"] == pytest.approx(jsd.mean().item(), abs=1e-6)
        assert kept["objective"] == pytest.approx((tvd - 0.5 * jsd).mean().item(), abs=1e-6)


def test_outputs_that_are_held_are_those_of_the_model_however_texts_are_padded() -> None:
    corpus = planted(task="keyword")
    base = model_of(corpus)
    held = HeldOutputs(base, corpus, {"train", "test"}, CPU)
    for split, chosen in (("train", [3, 0, 17]), ("test", [5]), ("train", range(30))):
        batch = Batcher(corpus, split).batch(list(chosen))
        logits, attention = held(batch)
        with torch.no_grad():
            trace = base(batch)
        assert torch.allclose(logits, trace.logits, atol=1e-5)
        assert torch.allclose(attention, trace.attention.double(), atol=1e-6)
        assert (attention[~batch.scorable] == 0).all()


def small(encoder: str, attention: str = "tanh", projection: str = "softmax", **other: Any) -> Spec:
    return MODELS.spec(
        {
            "embedding_width": 6,
            "encoder": {"type": encoder, "hidden": 8},
            "attention": {"type": attention, "projection": projection},
            **other,
        }
    )


def check_that_held_states_change_nothing(
    spec: Spec, corpus: Corpus, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Train a frozen adversary from held states, and with no room for them."""
    base, options = model_of(corpus, 0, spec), FAST | {"weight": 0.3, "frozen": True, "epochs": 3}
    trainer, sources = trainer_of("adversarial", base={}, **options), {"base": base}
    trained, histories = [], []
    for budget in (2**30, 0):
        monkeypatch.setattr(held, "held_budget_on", lambda device, budget=budget: budget)
        model = trainer.wrap(model_of(corpus, 1, spec), sources)
        assert (trainer.objective(model, corpus, CPU, sources).run is None) == (budget == 0)
        checkpoint = folder / f"{budget}.safetensors"
        histories.append(trainer.fit(model, corpus, 0, checkpoint, CPU, sources).history)
        trained.append(dict(model.attention.named_parameters()))
    start = dict(model_of(corpus, 1, spec).attention.named_parameters())
    for name, value in trained[0].items():
        assert torch.allclose(value, trained[1][name], atol=1e-5), name
        assert not torch.allclose(value, start[name], atol=1e-2), "it has learned something"
    for now, before in zip(*histories, strict=True):
        assert now == pytest.approx(before, abs=1e-5)


@pytest.mark.parametrize(
    "spec",
    [small(*kind) for kind in product(ENCODERS, ("tanh", "sdp"), ("softmax", "sparsemax"))]
    + [small("lstm", **asked) for asked in TWO_TEXTS],
    ids=lambda spec: spec.title,
)
def test_from_held_states_a_frozen_adversary_learns_the_same(
    spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = spec.options()["query"] is not None
    corpus = planted(task="question" if asked else "keyword", sizes=(60, 20, 20))
    check_that_held_states_change_nothing(spec, corpus, tmp_path, monkeypatch)


def test_it_does_so_above_a_pretrained_encoder_whose_dropout_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = pytest.importorskip("pretrained_folders", reason="needs pip install 'attex[hf]'")
    folder = folders.write_folder(tmp_path / "bert", positions=200)
    corpus = in_pieces(planted(task="keyword", sizes=(60, 20, 20)), WordCutter(folder))
    spec = MODELS.spec({"encoder": {"type": "pretrained", "path": str(folder)}})
    check_that_held_states_change_nothing(spec, corpus, tmp_path, monkeypatch)


@pytest.mark.parametrize("encoder", ENCODERS)
@torch.no_grad()
def test_states_that_are_held_are_those_of_the_encoder_however_texts_are_padded(encoder: str) -> None:
    corpus = planted(task="keyword")
    model = model_of(corpus, 0, small(encoder))
    states = HeldStates(model, corpus, {"train", "test"}, CPU)
    for split, chosen in (("train", [3, 0, 17]), ("test", [5]), ("train", range(30))):
        for wider in (0, 7):
            order = [np.array(chosen)]
            (batch,) = Batcher(corpus, split).batches(order, lambda n, w=wider: n + w)
            found, expected = states(batch), model.encode(model.embed(batch), batch)
            assert found.shape == expected.shape
            assert torch.allclose(found, expected, atol=1e-6)
            assert (found[~batch.mask] == 0).all()


def test_no_epoch_runs_the_encoder_of_a_frozen_adversary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = planted(task="keyword")
    base = model_of(corpus, 0, small("lstm"))

    def calls(epochs: int) -> int:
        model, seen = model_of(corpus, 1, small("lstm")), []
        model.encoder.register_forward_hook(lambda *_: seen.append(1))
        adversary(base, corpus, tmp_path / str(epochs), model, frozen=True, epochs=epochs)
        return len(seen)

    assert calls(1) == calls(4) > 0
    monkeypatch.setattr(held, "held_budget_on", lambda device: 0)
    assert calls(5) > calls(2)


def test_published_class_weights_multiply_the_loss_of_a_batch() -> None:
    corpus = texts_of(Fives)
    sources, batch = {"base": model_of(corpus)}, whole(corpus)
    batch = next(batch.split([7, 153]))
    trace = model_of(corpus, 1)(batch)
    plain, weighed = (
        trainer_of("adversarial", base={}, class_weights=chosen)
        .objective(model_of(corpus, 1), corpus, CPU, sources)
        .each(trace, batch)
        for chosen in (False, True)
    )
    labels = corpus.splits["train"].labels
    positive = (labels == 0).sum() / (labels == 1).sum()
    factor = (batch.labels == 0).sum() + positive * (batch.labels == 1).sum()
    assert torch.allclose(weighed, plain * factor)


def test_the_divergences_are_those_of_scipy_and_finite_with_zeros() -> None:
    torch.manual_seed(0)
    one, other = (torch.rand(50, 6, dtype=torch.float64).softmax(dim=1) for _ in range(2))
    expected = torch.tensor([jensenshannon(p, q) ** 2 for p, q in zip(one, other, strict=True)])
    assert torch.allclose(jensen_shannon_from(one, other), expected)
    assert torch.allclose(
        relative_entropy(one, other),
        torch.nn.functional.kl_div(other.log(), one, reduction="none").sum(1),
    )
    sparse = torch.tensor([[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]], dtype=torch.float64)
    against = torch.tensor([[0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0]], dtype=torch.float64)
    weights = sparse.clone().requires_grad_()
    jsd = jensen_shannon_from(weights, against)
    jsd.sum().backward()
    assert jsd.tolist() == pytest.approx([jensenshannon(sparse[0], against[0]) ** 2, 0.6931471805599453])
    assert weights.grad is not None
    assert weights.grad.isfinite().all()


@pytest.mark.parametrize(
    ("model", "base", "problem"),
    [
        ("sparsemax", "softmax", "the attention of model can be sparse; use jsd"),
        ("softmax", "entmax15", r"the attention of trainer\.base\.model can be sparse"),
    ],
)
def test_kl_is_refused_where_it_could_be_infinite(model: str, base: str, problem: str) -> None:
    specs = [
        MODELS.spec({"attention": {"type": "tanh", "projection": projection}})
        for projection in (model, base)
    ]
    with pytest.raises(UserError, match=problem):
        trainer_of("adversarial", base={}, divergence="kl").check_models(specs[0], {"base": specs[1]})
    trainer_of("adversarial", base={}, divergence="jsd").check_models(specs[0], {"base": specs[1]})
    softmax = MODELS.spec("attention")
    trainer_of("adversarial", base={}, divergence="kl").check_models(softmax, {"base": softmax})


def test_kl_is_refused_where_the_base_has_zeros_though_it_need_not() -> None:
    corpus = texts_of(Fives)
    base = assemble(
        MODELS.spec({"embedding_width": 12, "encoder": "embedding", "attention": "last"}),
        corpus.vocabulary_size,
        2,
        0,
    )
    with pytest.raises(UserError, match=r"kl is infinite: the base gives 800 tokens a weight of 0"):
        trainer_of("adversarial", base={}, divergence="kl").objective(
            model_of(corpus), corpus, CPU, {"base": base}
        )


def test_a_frozen_adversary_is_of_the_base_s_kind_but_for_its_attention() -> None:
    frozen = trainer_of("adversarial", base={}, frozen=True)
    frozen.check_models(WORDS, {"base": MODELS.spec(WORDS.model_dump() | {"attention": "sdp"})})
    with pytest.raises(UserError, match=r"trainer\.frozen: .*may differ in their attention only"):
        frozen.check_models(WORDS, {"base": MODELS.spec("attention")})
