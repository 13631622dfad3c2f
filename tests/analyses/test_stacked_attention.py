"""Stacked attention laid out: who is examined, what chance is, which head is the strongest."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from every_analysis import examined as examined_toys
from pretrained_folders import write_folder
from pretrained_toys import classifier
from toy_evidence import evidence

from attex.analyses.analysis import ANALYSES, Evidence, SeedEvidence, Subject
from attex.analyses.stacked_findings import strongest_head
from attex.counterfactual.stacked import (
    Moved,
    ReadLayer,
    read_layers,
    under_even,
    under_permuted,
    without_heads,
)
from attex.counterfactual.stacked_search import search_rows
from attex.data.batch import Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.reader import Document
from attex.data.split import index_documents
from attex.data.subwords import in_pieces
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import WordCutter

TEXTS = ("the film was unbelievable", "dull", "films zorb", "not very good !", "a play is fine")
SAMPLE, DRAWS = 3, 3
CHANGES: dict[str, Callable[[ReadLayer], Moved]] = {
    "permuted": lambda layer: under_permuted(layer, draws=DRAWS),
    "uniform": under_even,
    "erased": without_heads,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("bert"), labels=("a", "b"))


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    documents = [Document(str(n), "test", t.split(), "ab"[n % 2]) for n, t in enumerate(TEXTS)]
    lexicon = [*SPECIALS, *sorted({word for document in documents for word in document.tokens})]
    split = index_documents(documents, {word: n for n, word in enumerate(lexicon)}, ["a", "b"])
    whole = Corpus(lexicon, len(lexicon), ["a", "b"], {"test": split}, facts={})
    return in_pieces(whole, WordCutter(folder))


def found_of(model: AttentionModel, corpus: Corpus, **options: Any) -> dict[str, torch.Tensor]:
    analysis = ANALYSES.bind(ANALYSES.spec({"type": "stacked_attention"} | options))
    subject = Subject(corpus, torch.device("cpu"), (), {}, {}, lambda: model)
    found: dict[str, torch.Tensor] = analysis.examine(subject)
    return found


@torch.no_grad()
def test_all_texts_have_the_markers_row_and_a_sample_the_rest(folder: Path, corpus: Corpus) -> None:
    model = classifier(folder)
    found = found_of(model, corpus, texts=SAMPLE, draws=DRAWS, steps=20)
    batch = Batcher(corpus, "test").batch(range(len(TEXTS)))
    examined = found["examined"]
    assert examined.sum(dim=0).tolist() == [SAMPLE, len(TEXTS)]
    assert torch.equal(found["searched"], examined[:, 0])
    sampled = examined[:, 0] > 0
    first, last = read_layers(model, batch)
    for change, ours in CHANGES.items():
        tvd = found[f"tvd|{change}"]
        torch.testing.assert_close(tvd[:, 1].double(), ours(last).tvd, atol=1e-6, rtol=0)
        assert torch.equal(tvd[:, 0].isnan().all(dim=1), ~sampled)
        # A pass each: the first permutation alone.
        moved = under_permuted(first, draws=1) if change == "permuted" else ours(first)
        torch.testing.assert_close(tvd[sampled, 0].double(), moved.tvd[sampled], atol=1e-6, rtol=0)
    searched = search_rows(last, steps=20)
    torch.testing.assert_close(found["jsd"][sampled].double(), searched.jsd[sampled], atol=1e-3, rtol=0)
    torch.testing.assert_close(found["most"][sampled].double(), searched.most[sampled])
    few = found_of(model, corpus, texts=SAMPLE, layers=[0], heads=False)
    assert few["tvd|uniform"].shape == (len(TEXTS), 2, 1)
    assert "jsd" not in few
    torch.testing.assert_close(
        few["tvd|uniform"][:, 0, 0], found["tvd|uniform"][:, 0, 0], equal_nan=True
    )


def test_the_table_has_means_and_chance_is_their_mean() -> None:
    prepared = examined_toys("stacked_attention")
    assert prepared is not None
    analysis, given = prepared
    table = analysis(given).tables["tables/stacked_attention"].filter(pl.col("seed") == "0")
    for change in CHANGES:
        tvd = given.seeds[0].findings[f"tvd|{change}"].double().numpy()
        flips = given.seeds[0].findings[f"flips|{change}"].double().numpy()
        rows = table.filter(pl.col("change") == change)
        for layer in range(2):
            for number, head in enumerate(["all", "0"]):
                row = rows.filter((pl.col("layer") == str(layer)) & (pl.col("head") == head)).to_dicts()
                (only,) = row
                assert only["n"] == len(tvd)
                assert only["mean"] == pytest.approx(tvd[:, layer, number].mean())
                assert only["flips"] == pytest.approx(flips[:, layer, number].mean())
                assert only["chance"] == pytest.approx(tvd[:, :, number].mean())


def test_the_strongest_head_is_chosen_on_other_texts_than_it_is_measured_on() -> None:
    """Heads that are all alike but for noise: the largest mean of 50 is above chance, a new one not."""
    rng = np.random.default_rng(0)
    texts = 400
    tvd = torch.tensor(rng.random((texts, 5, 11)))
    given = evidence(seeds=1)
    findings = {"tvd|erased": tvd, "examined": torch.ones(texts, 5)}
    known = replace(given, seeds=(SeedEvidence(0, torch.zeros(1), np.zeros(1), {}, findings),))
    row, chance = strongest_head(known, "erased")
    assert row["n"] == texts // 2
    assert row["low"] < 0.5 < row["high"]
    assert chance == pytest.approx(0.5, abs=0.01)
    tvd[:, 2, 4] += 0.3
    row, chance = strongest_head(known, "erased")
    assert row["mean"] == pytest.approx(float(tvd[1::2, 2, 4].mean()))
    assert chance is not None
    assert row["low"] > chance


def test_quantities_are_of_the_last_layer_and_of_any_head() -> None:
    prepared = examined_toys("stacked_attention")
    assert prepared is not None
    analysis, given = prepared
    one = Evidence(given.about, given.corpus, given.measures, given.seeds[:1])
    found = {quantity.name: quantity.value for quantity in analysis.quantities(one)}
    assert {*found} == {*analysis.offers((), type(None))}  # type: ignore[arg-type]
    for change in CHANGES:
        tvd = given.seeds[0].findings[f"tvd|{change}"].double().numpy()
        assert found[f"last_layer_change({change})"] == pytest.approx(tvd[:, -1, 0].mean())
    erased = given.seeds[0].findings["tvd|erased"].double().numpy()
    assert found["head_change(erased)"] == pytest.approx(erased[:, :, 1:].mean())
