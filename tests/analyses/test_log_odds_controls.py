"""The log-odds controls against loops over texts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from toys import make_batch, rows_of

from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Result, SeedEvidence, Subject
from attex.analyses.log_odds import LogOddsAnalysis
from attex.analyses.substitution import overwritten, strongest_words
from attex.data.batch import Batch
from attex.data.corpus import END, SPECIALS, START, UNKNOWN, Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.split import Split
from attex.foundations.divergences import distribution
from attex.foundations.draws import numbers
from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.training.log_odds import log_odds

CPU = torch.device("cpu")
NAMES = ("own", "log-odds", "uniform", "most attended", "random")
KINDS = [("lstm", "softmax"), ("lstm", "sparsemax"), ("average", "uniform"), ("cnn", "softmax")]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "task": "keyword", "sizes": (100, 30, 40)})
    return build_corpus(READERS.bind(spec), DataFolder(Path("nowhere")))


def model_of(corpus: Corpus, encoder: str, projection: str, seed: int = 0) -> AttentionModel:
    config = {
        "embedding_width": 16,
        "encoder": {"type": encoder, "hidden": 8},
        "attention": {"type": "tanh", "projection": projection},
    }
    made = assemble(MODELS.spec(config), corpus.vocabulary_size, len(corpus.classes), seed)
    for parameter in (*made.attention.parameters(), *made.decoder.parameters()):
        torch.nn.init.normal_(parameter, std=1.5, generator=torch.Generator().manual_seed(seed))
    return made.eval()


def examined(analysis: Analysis, corpus: Corpus, model: AttentionModel) -> dict[str, Tensor]:
    return analysis.examine(Subject(corpus, CPU, (), {}, {}, lambda: model))


def one_text(words: list[int], label: int = 0) -> Batch:
    tokens = torch.tensor([[START, *words, END]])
    scorable = (tokens != START) & (tokens != END)
    return Batch(
        tokens, torch.ones_like(scorable), scorable, torch.tensor([label]), torch.zeros(1).long()
    )


def tvd(a: Tensor, b: Tensor) -> float:
    return float((distribution(a) - distribution(b)).abs().sum()) / 2


@pytest.mark.parametrize(("encoder", "projection"), KINDS)
@torch.no_grad()
def test_findings_are_those_of_a_loop_over_texts(corpus: Corpus, encoder: str, projection: str) -> None:
    model, count = model_of(corpus, encoder, projection), 3
    found = examined(LogOddsAnalysis(words=count, temperature=0.5), corpus, model)
    w = log_odds(corpus)
    by_word = sorted(range(len(SPECIALS), corpus.vocabulary_size), key=lambda v: (float(w[v]), v))
    other_way = sorted(by_word, key=lambda v: (-float(w[v]), v))
    test = corpus.splits["test"]
    for text in range(len(test)):
        words = [corpus.lexicon.index(word) for word in corpus.tokens("test", text)]
        words = [word if word < corpus.vocabulary_size else UNKNOWN for word in words]
        trace = model(one_text(words))
        own, hidden = trace.attention[0, 1:-1], trace.hidden[0, 1:-1]
        powers = np.exp([abs(float(w[word])) / 0.5 for word in words])
        given = {
            "own": own,
            "log-odds": torch.tensor(powers / powers.sum()).float(),
            "uniform": torch.full((len(words),), 1 / len(words)),
        }
        for name, weights in given.items():
            logits = model.decoder((weights @ hidden)[None])
            assert torch.allclose(found[f"{name}|logits"][text], logits[0], atol=1e-5)
            assert float(found[f"{name}|tvd"][text]) == pytest.approx(
                tvd(logits, trace.logits), abs=1e-5
            )
            middle = (weights + own) / 2
            parts = [(p * (p / middle).log()).nan_to_num(0.0).sum() for p in (weights, own)]
            assert float(found[f"{name}|jsd"][text]) == pytest.approx(float(sum(parts)) / 2, abs=1e-5)
        strongest = by_word if int(distribution(trace.logits).argmax()) == 1 else other_way
        drawn = (
            numbers(test.ids[text : text + 1], torch.ones(1, len(words)).bool(), 1, 0).flatten().tolist()
        )
        for name, weights in (("most attended", own.tolist()), ("random", [0.0] * len(words))):
            places = sorted(range(len(words)), key=lambda t, w=weights, d=drawn: (-w[t], d[t]))
            changed = list(words)
            for place, word in zip(places[:count], strongest, strict=False):
                changed[place] = word
            logits = model(one_text(changed)).logits
            assert torch.allclose(found[f"{name}|logits"][text], logits[0], atol=1e-5)
            assert float(found[f"{name}|tvd"][text]) == pytest.approx(
                tvd(logits, trace.logits), abs=1e-5
            )
    if projection == "uniform":
        # No position has more weight than another: the most attended are random ones.
        assert torch.equal(found["most attended|logits"], found["random|logits"])
    else:
        assert not torch.equal(found["most attended|logits"], found["random|logits"])


def test_words_go_where_the_weight_is() -> None:
    lengths = [7, 1, 12, 2, 5]
    batch = make_batch(lengths, extra_padding=2)
    weights = torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(0))
    words = torch.tensor([[90, 91, 92]]).expand(len(lengths), 3)
    found = overwritten(batch, weights, words)
    for row, length in enumerate(lengths):
        expected = batch.tokens[row].tolist()
        ranked = sorted(range(1, length + 1), key=lambda t: -float(weights[row, t]))
        for place, word in zip(ranked[:3], (90, 91, 92), strict=False):
            expected[place] = word
        assert found.tokens[row].tolist() == expected
    assert torch.equal(found.mask, batch.mask)


def test_random_positions_are_a_texts_own_and_spread_evenly() -> None:
    batch = make_batch([6] * 600)
    words = torch.full((600, 2), 99)
    found = overwritten(batch, torch.zeros(batch.tokens.shape), words)
    hit = found.tokens == 99
    assert (hit.sum(dim=1) == 2).all()
    assert not hit[~batch.scorable].any()
    shares = hit.double().mean(dim=0)[1:7]
    # Five standard errors of a share of 1/3 among 600 texts.
    assert ((shares - 1 / 3).abs() < 5 * (2 / 9 / 600) ** 0.5).all()
    some = rows_of(batch, [5, 17], 20)
    alone = overwritten(some, torch.zeros(some.tokens.shape), words[:2])
    assert torch.equal(alone.tokens[:, :8], found.tokens[[5, 17]])


def test_unattended_tokens_fill_up_at_random_after_the_attended_ones() -> None:
    batch = make_batch([30])
    weights = torch.zeros(batch.tokens.shape)
    weights[0, 17] = 1.0
    found = overwritten(batch, weights, torch.tensor([[90, 91, 92]])).tokens[0]
    filler = overwritten(batch, weights * 0, torch.tensor([[91, 92]])).tokens[0]
    assert found[17] == 90
    assert {91, 92} <= set(found.tolist())
    assert [int((found == word).nonzero()) for word in (91, 92)] == [
        int((filler == word).nonzero()) for word in (91, 92)
    ]


def test_the_strongest_words_of_either_class() -> None:
    w = torch.tensor([9.0, -9.0, 9.0, -9.0, 0.5, -2.0, 3.0, -2.0, 0.0])
    assert strongest_words(w, 3).tolist() == [[5, 7, 8], [6, 4, 8]]


@pytest.mark.parametrize(("encoder", "projection"), [("lstm", "softmax"), ("lstm", "sparsemax")])
def test_neither_batches_nor_the_order_of_texts_matter(
    corpus: Corpus, encoder: str, projection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, analysis = model_of(corpus, encoder, projection), LogOddsAnalysis()
    together = examined(analysis, corpus, model)
    monkeypatch.setattr("attex.analyses.log_odds.EVALUATION_TOKENS", 1)
    alone = examined(analysis, corpus, model)
    order = np.random.default_rng(0).permutation(len(corpus.splits["test"]))
    shuffled = replace(corpus, splits=corpus.splits | {"test": taken(corpus.splits["test"], order)})
    elsewhere = examined(analysis, shuffled, model)
    for name, values in together.items():
        assert torch.allclose(alone[name], values, atol=1e-5), name
        assert torch.allclose(elsewhere[name], values[order], atol=1e-5), name


def taken(split: Split, order: np.ndarray) -> Split:
    texts = [split.words[split.starts[i] : split.starts[i + 1]] for i in order]
    return replace(
        split,
        words=torch.cat(texts),
        starts=torch.tensor([0, *np.cumsum([len(text) for text in texts])]),
        labels=split.labels[order],
        ids=split.ids[order],
        names=[split.names[i] for i in order],
        truth=None,
    )


def laid_out(
    corpus: Corpus, analysis: Analysis, seeds: int = 2
) -> tuple[Result, list[dict[str, Tensor]]]:
    found, evidence = [], []
    for seed in range(seeds):
        found.append(examined(analysis, corpus, model_of(corpus, "lstm", "softmax", seed)))
        logits = found[-1]["own|logits"]
        predicted = distribution(logits).argmax(dim=1).numpy()
        evidence.append(SeedEvidence(seed, logits, predicted, findings=found[-1]))
    return analysis(Evidence({"attention": "tanh"}, corpus, (), tuple(evidence))), found


def test_the_tables_are_means_over_texts(corpus: Corpus) -> None:
    result, found = laid_out(corpus, LogOddsAnalysis(words=2))
    labels = corpus.splits["test"].labels
    imposed, words = (result.tables[f"tables/{n}"] for n in ("log_odds", "log_odds_substitution"))
    assert imposed["imposed"].to_list() == [n for n in ("own", "log-odds", "uniform") for _ in range(3)]
    decided = [{n: distribution(f[f"{n}|logits"]).argmax(dim=1) for n in NAMES} for f in found]
    for row in [*imposed.to_dicts(), *words.to_dicts()]:
        members = range(2) if row["seed"] == "all" else [int(row["seed"])]
        assert row["n"] == len(members) * len(labels)
        name = row.get("imposed", row.get("overwritten"))
        if name == "difference":
            continue
        columns = {
            "tvd": [found[s][f"{name}|tvd"] for s in members],
            "jsd": [found[s][f"{name}|jsd"] for s in members if f"{name}|jsd" in found[s]],
            "accuracy": [(decided[s][name] == labels).double() for s in members],
            "agreement": [(decided[s][name] == decided[s]["own"]).double() for s in members],
            "flipped": [(decided[s][name] != decided[s]["own"]).double() for s in members],
        }
        for column, values in columns.items():
            if column in row:
                assert row[column] == pytest.approx(float(torch.cat(values).mean()))
                assert row[f"{column}_low"] <= row[column] + 1e-12
                assert row[column] <= row[f"{column}_high"] + 1e-12


def test_the_difference_is_that_of_the_two_kinds_of_places(corpus: Corpus) -> None:
    result, _ = laid_out(corpus, LogOddsAnalysis(), seeds=1)
    attended, random, difference = result.tables["tables/log_odds_substitution"].to_dicts()
    for column in ("tvd", "flipped"):
        assert difference[column] == pytest.approx(attended[column] - random[column])
    same, flips = result.headline
    assert (flips.value, flips.chance) == (attended["flipped"], random["flipped"])
    rows = {row["imposed"]: row for row in result.tables["tables/log_odds"].to_dicts()}
    assert rows["own"]["agreement"] == 1
    assert rows["own"]["tvd"] == 0
    assert rows["own"]["jsd"] < 1e-12
    assert (same.value, same.chance) == (rows["log-odds"]["agreement"], rows["uniform"]["agreement"])
    for shown in ("log-odds attention", "uniform attention", "most attended words", "random words"):
        assert shown in str(result.charts["log_odds"])


def test_too_few_words_are_refused(corpus: Corpus) -> None:
    analysis: Analysis = ANALYSES.bind(ANALYSES.spec({"type": "log_odds", "words": 500}))
    with pytest.raises(UserError, match="overwrites with 500 words of only"):
        analysis.check(corpus, [])
    LogOddsAnalysis().check(corpus, [])
