"""Log-odds of words against scikit-learn, and attention that is drawn to them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from toys import make_batch, make_model

from attex.data.batch import Batcher, training_batches
from attex.data.corpus import SPECIALS, Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.split import Split
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.imposed import LogOddsAttention
from attex.training import log_odds as module
from attex.training.log_odds import LogOddsPull, log_odds
from attex.training.loss import class_weights, classification_loss
from attex.training.trainer import TRAINERS
from attex.training.trainers.supervised import Supervised

CPU = torch.device("cpu")
SPARSE = ["softmax", "sparsemax", "entmax15"]


@pytest.fixture(scope="module")
def planted() -> Corpus:
    spec = READERS.spec({"type": "planted", "task": "keyword", "sizes": (400, 60, 60)})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


def drawn(classes: int = 2, texts: int = 120) -> Corpus:
    """Texts of 1 to 15 of 40 words, of which the last ten are unknown and one is in no text."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 16, texts)
    words = rng.integers(len(SPECIALS), 43, lengths.sum())
    labels = (rng.random(texts) < 0.3) + (classes - 2)
    split = Split(
        words=torch.tensor(words, dtype=torch.int32),
        starts=torch.tensor([0, *lengths.cumsum()]),
        labels=torch.tensor(labels, dtype=torch.long),
        ids=torch.arange(texts),
        names=[str(i) for i in range(texts)],
        truth=None,
    )
    lexicon = [*SPECIALS, *(f"w{i}" for i in range(40))]
    splits = {"train": split, "dev": split, "test": split}
    return Corpus(lexicon, 34, [f"c{i}" for i in range(classes)], splits, {})


def bags(corpus: Corpus) -> np.ndarray:
    """The words of every training text, one loop a text."""
    found = np.zeros((len(corpus.splits["train"]), corpus.vocabulary_size))
    for text in range(len(found)):
        for word in corpus.tokens("train", text):
            index = corpus.lexicon.index(word)
            if len(SPECIALS) <= index < corpus.vocabulary_size:
                found[text, index] = 1
    return normalize(found)


@pytest.mark.parametrize("penalty", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("kind", ["planted", "drawn"])
def test_log_odds_are_scikit_learns_coefficients(kind: str, penalty: float, planted: Corpus) -> None:
    corpus = planted if kind == "planted" else drawn()
    oracle = LogisticRegression(
        C=1 / penalty, class_weight="balanced", tol=1e-10, solver="newton-cholesky"
    )
    oracle.fit(bags(corpus), corpus.splits["train"].labels.numpy())
    found = log_odds(corpus, penalty=penalty)
    assert found.dtype == torch.float64
    assert np.abs(found.numpy() - oracle.coef_[0]).max() < 1e-6
    assert (found[: len(SPECIALS)] == 0).all()


def test_a_word_that_no_training_text_has_says_nothing() -> None:
    corpus = drawn()
    train = corpus.splits["train"]
    train.words[train.words == 20] = 21
    found = log_odds(corpus)
    assert found[20] == 0
    assert (found[len(SPECIALS) :] != 0).sum() == corpus.vocabulary_size - len(SPECIALS) - 1


def test_the_strongest_words_are_the_planted_ones(planted: Corpus) -> None:
    split = planted.splits["train"]
    assert split.truth is not None
    deciding = set(split.words[split.truth].tolist())
    strongest = log_odds(planted).abs().argsort(descending=True)[: len(deciding)].tolist()
    assert set(strongest) == deciding


def test_three_classes_are_refused() -> None:
    corpus = drawn(classes=3)
    with pytest.raises(UserError, match="two classes"):
        log_odds(corpus)
    with pytest.raises(UserError, match=r"trainer\.log_odds_weight needs two classes"):
        trainer(log_odds_weight=1.0, metric="accuracy").check(corpus)
    trainer(metric="accuracy").check(corpus)


def test_what_does_not_converge_is_said() -> None:
    with pytest.raises(UserError, match="did not converge; try a penalty above 1e-13"):
        log_odds(drawn(texts=12), penalty=1e-13)


@pytest.mark.parametrize("projection", SPARSE)
def test_the_pull_is_scipys_divergence(
    projection: str, planted: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = torch.randn(50, dtype=torch.float64)
    monkeypatch.setattr(module, "log_odds", lambda corpus: w)
    model, batch = make_model(projection=projection), make_batch([7, 1, 12, 2, 5])
    attention = model(batch).attention
    found = LogOddsPull(model, planted, CPU)(attention, batch)
    target = LogOddsAttention(model, w).impose(batch)
    rows = zip(attention.detach().double().numpy(), target.numpy(), strict=True)
    assert found.item() == pytest.approx(np.mean([jensenshannon(a, b) ** 2 for a, b in rows]), abs=1e-6)
    gradients = torch.autograd.grad(found, [*model.attention.parameters()])
    assert all(gradient.isfinite().all() and gradient.any() for gradient in gradients)


def small_model(corpus: Corpus, projection: str = "softmax") -> AttentionModel:
    attention = {"type": "tanh", "projection": projection}
    encoder = {"type": "lstm", "hidden": 8}
    spec = MODELS.spec({"embedding_width": 16, "encoder": encoder, "attention": attention})
    return assemble(spec, corpus.vocabulary_size, len(corpus.classes), 0)


def trainer(**options: object) -> Supervised:
    made: Supervised = TRAINERS.bind(TRAINERS.spec({"type": "supervised", **options}))
    return made


@pytest.mark.parametrize("projection", SPARSE)
def test_the_regulariser_draws_attention_to_log_odds(
    projection: str, planted: Corpus, tmp_path: Path
) -> None:
    batch = Batcher(planted, "test").batch(range(60))
    distances = []
    for weight in (0.0, 100.0):
        model = small_model(planted, projection)
        made = trainer(epochs=4, learning_rate=0.01, log_odds_weight=weight)
        made.fit(model, planted, 0, tmp_path / f"{weight}.safetensors", CPU)
        with torch.no_grad():
            distances.append(float(LogOddsPull(model, planted, CPU)(model(batch).attention, batch)))
    assert distances[1] < distances[0] / 2


def test_without_weight_training_is_the_plain_loop_to_the_bit(
    planted: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_wanted(*args: object, **options: object) -> None:
        raise AssertionError("log-odds are not wanted")

    monkeypatch.setattr(module, "log_odds", not_wanted)
    trained, plain = small_model(planted), small_model(planted)
    made = trainer(epochs=1)
    made.fit(trained, planted, 3, tmp_path / "c.safetensors", CPU)
    optimizer, texts = made.optimizer(plain.train()), Batcher(planted, "train")
    weights = class_weights(planted.splits["train"].labels, 2)
    for chosen in training_batches(texts.lengths, 32, 32_768, 3 * 1_000_003 + 1):
        batch = texts.batch(chosen)
        optimizer.zero_grad()
        classification_loss(plain(batch).logits, batch.labels, weights).sum().backward()
        optimizer.step()
    for name, value in trained.state_dict().items():
        assert torch.equal(value, plain.state_dict()[name]), name


def test_a_resumed_training_with_the_regulariser_is_the_same_to_the_bit(
    planted: Corpus, tmp_path: Path
) -> None:
    whole, part, resumed = (small_model(planted) for _ in range(3))
    options = {"learning_rate": 0.01, "log_odds_weight": 5.0, "checkpoint_seconds": 0}
    expected = trainer(epochs=3, **options).fit(whole, planted, 0, tmp_path / "a.safetensors", CPU)
    trainer(epochs=1, **options).fit(part, planted, 0, tmp_path / "b.safetensors", CPU)
    found = trainer(epochs=3, **options).fit(resumed, planted, 0, tmp_path / "b.safetensors", CPU)
    assert found.history == expected.history
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name
