"""Given the same weights, CPU and GPU agree; and work on a GPU keeps to its memory."""

from collections import deque
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from toys import ASKED, KINDS, WORD_ENCODERS, cheap, make_batch, make_model, measures_of, with_query

from attex.agreement import calibrate, kendall_tau
from attex.agreement.statistic import STATISTICS
from attex.counterfactual import adversarial_exact, adversarial_search, permute
from attex.data.batch import Batch, Batcher
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.devices import choose_device
from attex.importance.influence import influence_on_states
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.decoder import Readout
from attex.models.encoder import ENCODERS, Encoded, Encoder
from attex.models.reads import Read, only_column
from attex.training import held
from attex.training.graphs import RecordedSteps
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict
from attex.training.trainer import TRAINERS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")

LENGTHS = [7, 1, 12, 2, 40]


# Imposed weights are divided by their sum, which is near 0 where energies barely reach above it.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[2] != "imposed"], ids="-".join)
@pytest.mark.parametrize("decoder", ["linear", "query", "pair"])
def test_outputs_attention_and_measures_agree(kind: tuple[str, str, str], decoder: str) -> None:
    device = choose_device("auto")
    assert device.type == "cuda"
    # Weights of ordinary size: cuDNN's recurrences differ by up to 5e-6, which large ones would amplify.
    query, classes = (None, 2) if decoder == "linear" else ({}, 4)
    model = make_model(*kind, spread=0.25, classes=classes, decoder=decoder, query=query)
    batch = make_batch(LENGTHS)
    if query is not None:
        batch = with_query(batch, ASKED, classes)
    here = model(batch)
    measures = {name: cheap(name) for name in measures_of(kind[0])}
    scores = {name: measure(model, batch) for name, measure in measures.items()}
    model, batch = model.to(device), batch.to(device)
    there = model(batch)
    # Outputs that are no candidates are −∞ on both.
    fill = here.logits.isinf()
    apart = {
        "logits": _apart(here.logits.masked_fill(fill, 0.0), there.logits.cpu().masked_fill(fill, 0.0)),
        "attention weights": _apart(here.attention, there.attention.cpu()),
    }
    for name, measure in measures.items():
        found = measure(model, batch).cpu()
        assert torch.equal(found.isnan(), scores[name].isnan())
        apart[name] = _apart(scores[name], found)
    assert max(apart.values()) < 1e-5, apart


def _apart(here: torch.Tensor, there: torch.Tensor) -> float:
    """Return the largest difference; of values above 1, which are sums of many, as a share of them."""
    size = here.abs().nan_to_num(0).max().item()
    return (here - there).abs().nan_to_num(0).max().item() / max(1.0, size)


def test_kendall_agrees() -> None:
    torch.manual_seed(0)
    a, b = torch.rand(20, 50), torch.rand(20, 50).round(decimals=1)
    mask = torch.arange(50) < torch.randint(1, 51, (20, 1))
    here, there = kendall_tau(a, b, mask), kendall_tau(a.cuda(), b.cuda(), mask.cuda())
    assert here.p_value is not None
    assert there.p_value is not None
    assert torch.allclose(here.value, there.value.cpu(), atol=1e-12, equal_nan=True)
    assert torch.allclose(here.p_value, there.p_value.cpu(), atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", [entry.name for entry in STATISTICS])
@pytest.mark.parametrize("null", ["shuffle", "shift"])
def test_calibration_agrees(name: str, null: str) -> None:
    torch.manual_seed(1)
    a, b = torch.rand(12, 30).double(), torch.rand(12, 30).double()
    a = a.where(a > 0.5, 0.0)
    mask = torch.arange(30) < torch.randint(2, 31, (12, 1))
    options = {"k": 4} if "k" in STATISTICS[name].options.model_fields else {}
    here = calibrate(name, a, b, mask, draws=50, null=null, **options)
    there = calibrate(name, a.cuda(), b.cuda(), mask.cuda(), draws=50, null=null, **options)
    for field in ("observed", "null", "ceiling", "p_value", "p_below", "null_std", "drawn"):
        found, expected = getattr(there, field).cpu(), getattr(here, field)
        assert torch.allclose(found, expected, atol=1e-9, equal_nan=True), field


def test_counterfactual_attention_agrees() -> None:
    torch.manual_seed(2)
    values, attention = 2 * torch.randn(9, 25, 1).double(), torch.randn(9, 25).double().softmax(dim=1)
    mask = torch.arange(25) < torch.randint(2, 26, (9, 1))
    attention = attention * mask / (attention * mask).sum(dim=1, keepdim=True)

    def both(device: str) -> list[torch.Tensor]:
        readout = Readout(values.to(device), lambda context: context + 0.3, linear=True)
        given = attention.to(device), mask.to(device)
        exact = adversarial_exact(readout.values[..., 0], *given, 0.3, 0.01)
        found = adversarial_search(readout, *given, steps=20)
        return [x.cpu() for x in (permute(readout, *given), *exact, found[0])]

    for here, there, error in zip(both("cpu"), both("cuda"), (1e-12, 1e-12, 1e-9, 1e-4), strict=True):
        assert torch.allclose(here, there, atol=error)


@pytest.mark.parametrize("encoder", ["lstm", "cnn"])
@pytest.mark.parametrize("decoder", ["linear", "query", "pair"])
def test_a_training_goes_the_same_way_and_resumes(encoder: str, decoder: str, tmp_path: Path) -> None:
    asked = decoder != "linear"
    task = "question" if asked else "keyword"
    spec = READERS.spec({"type": "planted", "task": task, "sizes": (400, 60, 60)})
    corpus = build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))
    small = {"embedding_width": 16, "encoder": {"type": encoder, "hidden": 8}}
    parts = MODELS.spec(small | ({"query": {}, "decoder": decoder} if asked else {}))
    sizes = corpus.vocabulary_size, len(corpus.classes)

    def fitted(device: torch.device, file: str, **options: object) -> list[dict[str, float]]:
        model = assemble(parts, *sizes, seed=0).to(device)
        trainer = TRAINERS.bind(TRAINERS.spec({"checkpoint_seconds": 0, **options}))
        progress = trainer.fit(model, corpus, 0, tmp_path / file, device)
        scores = classification_metrics(
            predict(model, Batcher(corpus, "dev", device)), corpus.splits["dev"].labels
        )
        assert scores["roc_auc"] == pytest.approx(progress.best_score), "the best weights are kept"
        history: list[dict[str, float]] = progress.history
        return history

    device = choose_device("cuda")
    here, there = fitted(torch.device("cpu"), "a", epochs=4), fitted(device, "b", epochs=4)
    fitted(device, "c", epochs=2)
    resumed = fitted(device, "c", epochs=4)
    for found in (there, resumed):
        # Steps of Adam follow the sign of a gradient, so that rounding grows.
        assert [row["loss"] for row in found] == pytest.approx([row["loss"] for row in here], abs=1e-2)


@pytest.mark.parametrize("decoder", ["linear", "pair"])
def test_a_frozen_adversary_learns_the_same_from_held_states(
    decoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task, query = ("keyword", {}) if decoder == "linear" else ("question", {"query": {}})
    spec = READERS.spec({"type": "planted", "task": task, "sizes": (400, 60, 60)})
    corpus = build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))
    small = {"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}, "decoder": decoder}
    parts, sizes = MODELS.spec(small | query), (corpus.vocabulary_size, len(corpus.classes))
    options = {"base": {}, "frozen": True, "weight": 0.3, "epochs": 3}
    trainer = TRAINERS.bind(TRAINERS.spec({"type": "adversarial", **options}))

    def fitted(device: torch.device, budget: int) -> list[dict[str, float]]:
        monkeypatch.setattr(held, "held_budget_on", lambda device: budget)
        base, model = (assemble(parts, *sizes, seed=seed).to(device) for seed in (0, 1))
        sources, file = {"base": base}, tmp_path / f"{device.type}_{budget}"
        history: list[dict[str, float]] = trainer.fit(
            trainer.wrap(model, sources), corpus, 0, file, device, sources
        ).history
        return history

    here, there = fitted(torch.device("cpu"), 2**30), fitted(choose_device("cuda"), 2**30)
    without = fitted(choose_device("cuda"), 0)
    assert "not recorded" not in "".join(capsys.readouterr())
    for row, other, before in zip(there, here, without, strict=True):
        assert row == pytest.approx(before, abs=1e-3)
        assert row == pytest.approx(other, abs=1e-3)


def pairs_of_widths(seed: int) -> list[Batch]:
    """Batches of five texts with queries, of many widths in many pairs, each pair several times."""
    drawn = np.random.default_rng(seed)
    widths = [(width, asked) for width in (4, 12, 40, 70, 130) for asked in (4, 8, 24)]
    order = drawn.permutation([*range(len(widths))] * 3)
    batches = []
    for number, (width, asked) in enumerate(widths[at] for at in order):
        lengths = drawn.integers(1, width - 1, 5)
        lengths[0] = width - 2
        queries = drawn.integers(1, asked - 1, 5)
        queries[0] = asked - 2
        batch = make_batch(lengths.tolist(), seed=number)
        batches.append(with_query(batch, queries.tolist(), 4, seed=number))
    return batches


@pytest.mark.parametrize("decoder", ["query", "pair"])
@pytest.mark.parametrize("encoder", ["lstm", "cnn", "average"])
def test_recorded_steps_of_many_pairs_of_widths_are_the_steps_themselves(
    encoder: str, decoder: str
) -> None:
    """Each pair of widths is recorded once; weights and losses are those of steps that are not."""
    batches = pairs_of_widths(0)

    def trained(device: str, recorded: bool) -> tuple[list[float], AttentionModel, int]:
        model = make_model(encoder, classes=4, spread=0.5, decoder=decoder, query={}).to(device).train()
        # Plain descent: steps of Adam follow the sign of a gradient, so that rounding grows.
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        def step(batch: Batch) -> torch.Tensor:
            loss = cross_entropy(model(batch).logits, batch.labels)
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            optimizer.step()
            return loss.detach()

        steps = RecordedSteps(step, len(batches[0]), torch.device(device))
        with steps.stream():
            losses = [(steps if recorded else step)(batch.to(device)).item() for batch in batches]
        torch.cuda.synchronize()
        return losses, model, len(steps._recordings)

    here, own, _ = trained("cpu", recorded=False)
    plain, _, none = trained("cuda", recorded=False)
    found, theirs, recordings = trained("cuda", recorded=True)
    widths = {(batch.tokens.shape[1], batch.query.tokens.shape[1]) for batch in batches if batch.query}
    assert (none, len(widths)) == (0, 15)
    assert recordings == len(widths), "three steps to warm up leave two of every pair at least"
    assert found == pytest.approx(plain, abs=1e-5)
    assert found == pytest.approx(here, abs=1e-5)
    for name, value in theirs.state_dict().items():
        assert (value.cpu() - own.state_dict()[name]).abs().max() < 1e-5, name


@pytest.mark.parametrize("decoder", ["query", "pair"])
def test_what_is_done_to_models_of_two_texts_agrees(decoder: str) -> None:
    """Shuffled and searched attention, and scores and influence of either text."""
    model = make_model("lstm", spread=0.5, classes=4, decoder=decoder, query={})
    batch = with_query(make_batch(LENGTHS), ASKED, 4)

    def found(device: str) -> list[torch.Tensor]:
        there, given = model.to(device), batch.to(device)
        with torch.no_grad():
            trace = there(given)
            readout = there.readout(trace.hidden, given).precise()
        own = trace.attention.to(readout.values.dtype), given.scorable
        values = [permute(readout, *own), adversarial_search(readout, *own, steps=20)[0]]
        values += [shares for _, shares in influence_on_states(there, given)]
        if there.attends_to_query:
            turned, asked = there.turned(), given.turned()
            values += [cheap(name)(turned, asked) for name in measures_of("lstm")]
        return [value.detach().cpu() for value in values]

    for number, (here, there) in enumerate(zip(found("cpu"), found("cuda"), strict=True)):
        assert torch.allclose(here, there, atol=1e-4 if number == 1 else 1e-5, equal_nan=True), number


@pytest.mark.parametrize("encoder", [encoder.name for encoder in WORD_ENCODERS])
def test_influence_on_states_agrees(encoder: str) -> None:
    device = choose_device("cuda")
    model, batch = make_model(encoder).eval(), make_batch([7, 1, 12, 4])
    if encoder == "transformer":
        torch.nn.init.uniform_(model.encoder.norm.weight, 0.3, 1.7)  # type: ignore[arg-type]
    (_, here), = influence_on_states(model, batch)  # fmt: skip
    (_, there), = influence_on_states(model.to(device), batch.to(device))  # fmt: skip
    assert torch.allclose(there.cpu(), here, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("normalised", ["before", "after"])
def test_influence_on_dimensions_agrees(normalised: str) -> None:
    device, batch = choose_device("cuda"), make_batch([7, 1, 12, 4])
    model = make_model("transformer", encoding={"normalised": normalised})
    here = torch.cat([one for _, one in influence_on_states(model, batch, on="dimensions")])
    there = influence_on_states(model.to(device), batch.to(device), on="dimensions")
    found = torch.cat([one for _, one in there]).cpu()
    assert torch.allclose(found, here, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("name", [entry.name for entry in WORD_ENCODERS])
@pytest.mark.parametrize("work", ["deletions", "influences"])
def test_long_texts_stay_near_their_budget(name: str, work: str) -> None:
    device, budget, length = choose_device("cuda"), 2**29, 350
    encoder: Encoder = ENCODERS.bind(ENCODERS.spec(name), 300).to(device).eval()
    embedded = torch.randn(64, length, 300, device=device)
    mask = torch.ones(64, length, dtype=torch.bool, device=device)
    with torch.no_grad():
        hidden = encoder(embedded, mask)
        read = Read(torch.randn(1, encoder.width, device=device), None, only_column)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        whole = Encoded(embedded, hidden, mask, mask)
        if work == "deletions":
            deque(encoder.without_each(whole, [read], budget), maxlen=0)
        else:
            deque(encoder.influences(embedded, mask, hidden, budget), maxlen=0)
    assert torch.cuda.max_memory_allocated() - before < 2 * budget
