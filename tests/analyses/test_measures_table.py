"""What measures cost, on models that were trained: the table's numbers against those found by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy.stats import kendalltau

import attex
from attex.data.batch import Batcher
from attex.importance import gradient_shap
from attex.importance.attribution import completeness
from attex.runner.kept import corpus_in

SAMPLED = "gradient_shap(samples=6)"


EXPERIMENT: dict[str, Any] = {
    "data": {"type": "planted", "sizes": [400, 40, 20]},
    "model": {"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}},
    "trainer": {"epochs": 5},
    "seeds": [0, 1],
    "importance": [
        "attention",
        "integrated_gradients",
        "deep_lift",
        {"type": "gradient_shap", "samples": 6},
        {"type": "kernel_shap", "samples": 300},
        "mutual_information",
    ],
    "analyses": ["measures"],
}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("costs")


@pytest.fixture(scope="module")
def run(output: Path) -> attex.Run:
    finished = attex.run(EXPERIMENT, output_dir=output, device="cpu")
    assert isinstance(finished, attex.Run)
    return finished


def test_every_measure_has_its_time(run: attex.Run) -> None:
    table = run.tables["measures"]
    assert set(table["seed"]) == {"0", "1", "all"}
    assert set(table["n"]) == {20, 40}
    assert (table["seconds"] > 0).all()


def test_integrated_gradients_of_a_trained_model_are_complete(run: attex.Run) -> None:
    table = run.tables["measures"].filter(pl.col("seed") == "all")
    gaps = dict(zip(table["measure"], table["largest_gap"], strict=True))
    assert gaps["integrated_gradients"] < 1e-3
    assert gaps["deep_lift"] < 1e-5
    assert gaps["kernel_shap(samples=300)"] < 1e-5
    assert np.isnan(gaps["attention"])
    assert np.isnan(gaps["mutual_information"])


def test_what_is_sampled_is_held_against_half_of_it(run: attex.Run, output: Path) -> None:
    table = run.tables["measures"].filter(pl.col("seed") == "0")
    rows = {row["measure"]: row for row in table.to_dicts()}
    (folder,) = (output / ".cache" / "2" / "corpus").iterdir()
    texts, model = Batcher(corpus_in(folder), "test"), run.model(0)
    taus, gaps = [], []
    for number in range(len(texts)):
        batch = texts.batch([number])
        inside = batch.scorable[0]
        whole, half = (gradient_shap(model, batch, samples=n)[0][inside] for n in (6, 3))
        taus.append(kendalltau(whole, half).statistic)
        gaps.append(completeness(model, batch, "gradient_shap", samples=6).item())
    assert rows[SAMPLED]["agreement_at_half"] == pytest.approx(np.mean(taus), abs=0.01)
    assert rows[SAMPLED]["gap"] == pytest.approx(np.mean(gaps), abs=1e-6)
    assert rows[SAMPLED]["largest_gap"] == pytest.approx(max(gaps), abs=1e-6)
    assert rows[SAMPLED]["refined_by"] == "6 samples"
    assert np.isnan(rows["deep_lift"]["agreement_at_half"])
    assert rows["attention"]["refined_by"] == "nothing"
    assert torch.tensor([row["zeros"] for row in rows.values()]).isfinite().all()


def test_the_report_says_which_measure_is_least_certain(run: attex.Run) -> None:
    page = run.report.read_text(encoding="utf-8")
    assert "What the measures cost, and whether they have converged" in page
    assert f"Has the least certain measure, {SAMPLED}, converged" in page


def test_it_looks_at_as_many_texts_as_it_is_told(run: attex.Run, output: Path) -> None:
    few = EXPERIMENT | {"analyses": [{"type": "measures", "texts": 5}], "importance": ["attention"]}
    again = attex.run(few, output_dir=output, device="cpu")
    assert isinstance(again, attex.Run)
    assert set(again.tables["measures"]["n"]) == {5, 10}
