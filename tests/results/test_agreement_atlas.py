"""The atlas of agreement: tables against means made by hand, and its page from a tiny study."""

import argparse
import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from results.agreement_atlas import __main__ as script
from results.agreement_atlas.atlas import Atlas, not_above_chance
from results.agreement_atlas.figures import every_figure
from results.agreement_atlas.tables import rows_of
from scipy import stats

from attex.config.loading import validate
from attex.studies.run_set import CellRuns

MEASURES = ["attention", "gradient", {"type": "lime", "samples": 8}, "random"]
TITLES = {
    "attention": "attention",
    "gradient": "gradient",
    "lime": "lime(samples=8)",
    "random": "random",
}
RNG = np.random.default_rng(0)


def cell(dataset: str, encoder: str, chance: float) -> CellRuns:
    """Numbers of three seeds that a test knows, as a study gathers them."""
    values = {"accuracy": RNG.random((1, 3))}
    for a, b in combinations(TITLES.values(), 2):
        name = f"kendall_tau({a}, {b})"
        values |= {name: RNG.random((1, 3)), f"{name} null": np.zeros((1, 3))}
        values |= {f"{name} ceiling": np.ones((1, 3)), f"{name} calibrated": RNG.random((1, 3))}
        if encoder != "lstm":
            values[f"{name} null_pieces"] = np.full((1, 3), chance)
    for title in TITLES.values():
        values |= {f"auprc({title})": RNG.random((1, 3)), f"seconds({title})": RNG.random((1, 3))}
    values["auprc(chance)"] = np.full((1, 3), 0.25)
    return CellRuns(
        {"dataset": dataset, "encoder": encoder}, np.zeros((1, 0), int), (0, 1, 2), values, {}
    )


@pytest.fixture
def atlas(tmp_path: Path) -> tuple[Atlas, list[CellRuns]]:
    cells = [
        cell(data, encoder, 0.1)
        for data in ("planted", "sst")
        for encoder in ("lstm", "pretrained_classifier")
    ]
    config = validate({"data": {"type": "planted", "test_limit": 9}, "importance": MEASURES})
    laid = [rows_of(one, config) for one in cells]
    for name in laid[0]:
        rows = [row for one in laid for row in one[name]]
        pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None)).write_csv(
            tmp_path / f"{name}.csv"
        )
    return Atlas(tmp_path), cells


def test_a_square_is_the_mean_over_seeds_and_datasets_less_chance(
    atlas: tuple[Atlas, list[CellRuns]],
) -> None:
    read, cells = atlas
    assert read.kinds == ["BiLSTM", "MiniLM"]
    assert read.count == 12
    for kind, encoder, chance in (("BiLSTM", "lstm", 0.0), ("MiniLM", "pretrained_classifier", 0.1)):
        own = [one for one in cells if one.cell["encoder"] == encoder]
        squares = read.averaged(kind)
        assert len(squares) == 6
        for row in squares:
            pair = ", ".join(TITLES[row[side]] for side in ("measure_a", "measure_b"))
            means = [one.values[f"kendall_tau({pair})"].mean() for one in own]
            assert row["beyond"] == pytest.approx(np.mean(means) - chance)
            assert (row["least"], row["most"]) == pytest.approx((min(means), max(means)))
            assert row["datasets"] == 2
    ranked = read.ranked("BiLSTM")
    assert [row["beyond"] for row in ranked] == sorted((row["beyond"] for row in ranked), reverse=True)
    assert all("random" not in (row["measure_a"], row["measure_b"]) for row in ranked)


def test_measures_are_held_against_the_truth_with_an_interval_over_seeds(
    atlas: tuple[Atlas, list[CellRuns]],
) -> None:
    read, cells = atlas
    rows = {row["measure"]: row for row in read.truth("BiLSTM", "planted")}
    for measure, title in TITLES.items():
        values = cells[0].values[f"auprc({title})"][0]
        low, high = stats.t.interval(0.95, 2, values.mean(), stats.sem(values))
        assert rows[measure]["value"] == pytest.approx(values.mean())
        assert (rows[measure]["low"], rows[measure]["high"]) == pytest.approx((low, high))
        assert rows[measure]["chance"] == 0.25
    below = {row["measure"] for row in not_above_chance([*rows.values()])}
    assert below == {measure for measure, row in rows.items() if row["low"] <= 0.25}


def test_the_figures_have_a_square_for_every_pair(atlas: tuple[Atlas, list[CellRuns]]) -> None:
    drawn = dict(every_figure(atlas[0]))
    assert {*drawn} == {
        *(f"{name}_{kind}" for name in ("agreement", "datasets") for kind in ("BiLSTM", "MiniLM")),
        "truth",
    }
    squares = {name: json.dumps(chart).count('"written": ') for name, chart in drawn.items()}
    assert squares["agreement_BiLSTM"] == 2 * 6, "above the diagonal, and below it"
    assert squares["datasets_MiniLM"] == 2 * 2 * 6


def test_the_page_is_what_its_template_makes_of_the_tables() -> None:
    page = (script.PLACE / "README.md").read_text(encoding="utf-8")
    assert script.page_text(Atlas(script.PLACE)) == page
    drawn = {path.stem for path in script.PLACE.glob("*.svg")}
    assert set(re.findall(r"\(([\w-]+)\.svg\)", page)) == drawn


def test_a_page_without_numbers_says_how_they_are_made(tmp_path: Path) -> None:
    assert "Not trained yet: `python -m results.agreement_atlas`" in script.page_text(Atlas(tmp_path))


def test_the_page_of_a_tiny_study(tmp_path: Path) -> None:
    study = {
        "study": "sweep",
        "base": {
            "data": {"type": "planted", "limit": 12, "test_limit": 6},
            "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
            "trainer": {"epochs": 1},
            "importance": MEASURES,
            "analyses": [
                {"type": "agreement", "bounds": True},
                {"type": "truth", "bounds": True},
                {"type": "measures", "texts": 2},
            ],
        },
        "seeds": [0, 1],
    }
    path, place = tmp_path / "tiny.json", tmp_path / "place"
    path.write_text(json.dumps(study))
    place.mkdir()
    asked = argparse.Namespace(
        data_dir=tmp_path, output_dir=tmp_path / "out", device="cpu", jobs=1, at_hand=False
    )
    script.write_numbers(asked, path, place)
    script.write_page(place)
    pairs = pl.read_csv(place / "agreement.csv")
    assert pairs["null"].to_list() == [0.0] * 6, "τ of shuffled scores"
    assert (pairs["ceiling"] >= pairs["value"]).all()
    page = (place / "README.md").read_text()
    assert "2 models (`experiments/studies/agreement_atlas.jsonnet`): BiLSTM." in page
    assert "**planted, BiLSTM** (chance" in page
    assert "MiniLM" not in page
    assert {file.name for file in place.glob("*.svg")} == {
        "agreement_BiLSTM.svg",
        "datasets_BiLSTM.svg",
        "truth.svg",
    }


def test_the_overview_says_what_the_matrices_show() -> None:
    text = (script.PLACE.parent.parent / "docs" / "results" / "index.md").read_text(encoding="utf-8")
    words = " ".join(text.split())
    found = {
        kind: {frozenset((row["measure_a"], row["measure_b"])): row["beyond"] for row in pairs}
        for kind in ("BiLSTM", "MiniLM")
        for pairs in [Atlas(script.PLACE).ranked(kind)]
    }
    by_gradients = {"gradient", "input_x_gradient", "integrated_gradients", "gradient_shap"}
    by_gradients |= {"deep_lift", "deep_lift_shap"}
    without_words = {"leave_one_out", "occlusion", "lime", "kernel_shap"}
    group = by_gradients | without_words
    within = [tau for pair, tau in found["BiLSTM"].items() if pair <= group]
    beside = [found["BiLSTM"][frozenset(("attention", measure))] for measure in group]
    assert max(beside) < min(within)
    assert (
        "take gradients and those that take words away form one group, which attention is not of"
        in words
    )
    relatives = [
        {"attention", "attention_norm", "value_zeroing"},
        {"gradient", "input_x_gradient"},
        {"integrated_gradients", "gradient_shap"},
    ]
    alike = [pair for pair, tau in found["MiniLM"].items() if tau > 0.5]
    assert all(any(pair <= family for family in relatives) for pair in alike)
    assert "in MiniLM nothing but close relatives agrees" in words
