"""The pages of the papers: what they say is what the tables have."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from results.by_seed import Aside, Seeds
from results.lambdas import ENTROPY, NAME, lambda_rows
from results.paper_numbers import PaperNumbers, kept
from results.papers import PLACE, STUDIES, TEMPLATE, page_text
from scipy.stats import kendalltau

from attex.claims.ledger import published
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study_file import find_study
from attex.studies.universes import cells_of

CELL = ("sst", "lstm", "tanh", "softmax")
TAU = "kendall_tau(attention, gradient)"
PAPER = "jain_wallace_2019"


@pytest.mark.parametrize(
    "folder", sorted(PLACE.glob(f"*/{TEMPLATE}")), ids=lambda path: path.parent.name
)
def test_a_page_is_what_its_template_makes_of_the_tables(folder: Path) -> None:
    page = (folder.parent / "README.md").read_text(encoding="utf-8")
    assert page_text(PaperNumbers(folder.parent.name, PLACE)) == page


def published_tau() -> float:
    dataset, encoder, attention, projection = CELL
    where = {"dataset": dataset, "encoder": encoder, "attention": attention, "projection": projection}
    (claim,) = published(paper=PAPER, quantity=TAU, class_="overall", **where)
    return claim.mean


def write_numbers(folder: Path, values: dict[str, list[float]]) -> None:
    """Write a table of one model's τ: by setting, a value for each seed."""
    (folder / PAPER).mkdir()
    write_table(folder / PAPER / "numbers.csv", CELL, TAU, values)


def write_table(
    path: Path, cell: tuple[str, ...], quantity: str, values: dict[str, list[float]]
) -> None:
    names = ("dataset", "encoder", "attention", "projection", "setting", "seed", "quantity", "class")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "value"])
        for setting, of_seeds in values.items():
            for seed, value in enumerate(of_seeds):
                writer.writerow([*cell, setting, seed, quantity, "overall", value])


def test_values_far_off_are_counted_in_every_setting(tmp_path: Path) -> None:
    tau = published_tau()
    near, off = [tau - 0.01, tau + 0.03], [tau + 0.2, tau + 0.4]
    write_numbers(tmp_path, {"as published": off, "vectors of length 1": near})
    paper = PaperNumbers(PAPER, tmp_path)
    first, second = paper.values_far_off([TAU])
    assert (first["setting"], first["values"], first["far"]) == ("as published", 1, 1)
    assert first["median"] == pytest.approx(0.3)
    assert (second["far"], second["median"]) == (0, pytest.approx(0.01))
    (moved,) = paper.moved_away([TAU], "vectors of length 1")
    assert (moved["quantity"], moved["published"]) == (TAU, tau)
    assert not paper.moved_away([TAU], "as published", "vectors of length 1")
    assert paper.counts()["differs"] + paper.counts()["uncertain"] == 1


BABI = ("babi_1", "lstm", "tanh", "softmax")


def test_models_with_two_texts_stand_apart_and_what_is_missing_is_said(tmp_path: Path) -> None:
    write_numbers(tmp_path, {"as published": [0.1, 0.2], "vectors of length 1": [0.1, 0.2]})
    for name in (TEMPLATE, "vector_length.csv"):
        shutil.copy(PLACE / PAPER / name, tmp_path / PAPER / name)
    (page,) = page_text(PaperNumbers(PAPER, tmp_path)).split("## Two texts")[1:]
    assert "| babi_1 | 8,500, all | 0 | 36 | 36 not trained yet |" in page
    assert "None of them has been trained yet" in page

    published_settings = {"as published": [0.99, 0.98], "half of the training texts": [0.5]}
    write_table(tmp_path / PAPER / f"{PAPER}_pairs.csv", BABI, "accuracy", published_settings)
    # A third seed in another table joins them; the two that both have count once.
    five = {"as published": [0.99, 0.98, 0.97]}
    write_table(tmp_path / PAPER / "babi_2_seeds.csv", BABI, "accuracy", five)
    paper = PaperNumbers(PAPER, tmp_path)
    two = paper.further(["jain_wallace_2019_pairs", "jain_wallace_2019_snli", "babi_2_seeds"])
    assert two is not None
    assert (two.cells, two.models) == ([BABI], 4)
    assert two.by_seed(BABI, "accuracy") == {0: 0.99, 1: 0.98, 2: 0.97}
    assert [one.claim.cell for one in two.judged] == [BABI]
    assert {one.claim.cell for one in paper.judged} == {CELL}, "what was there before is unchanged"
    (page,) = page_text(paper).split("## Two texts")[1:]
    assert "| babi_1 | 8,500, all | 4 | 36 | 32 not trained yet |" in page
    assert "seed by seed: 0.990, 0.980, 0.970 (published 1.000)" in page
    assert "LSTM and tanh on babi_2 (published accuracy 0.653) has no model here yet." in page
    assert "| babi_1 | lstm | tanh | 0.980 (0.970 to 0.990) | 0.500 | – | – |" in page


def test_a_table_keeps_what_somebody_published_and_no_rows_of_nothing() -> None:
    def row(dataset: str, quantity: str, value: float, class_: str = "overall") -> dict[str, object]:
        return {"dataset": dataset, "quantity": quantity, "class": class_, "value": value}

    nan = float("nan")
    good = [
        row("babi_1", "accuracy", 1.0),
        row("babi_1", "median_output_change[0-0.25] median", nan),
        row("snli", TAU, 0.3, "neutral"),
        row("sst", "jsd_max(exact, 0.01)", 0.3),
    ]
    bad = [
        row("babi_1", "roc_auc", nan),
        row("babi_1", TAU, 0.5, "garden"),
        row("sst", "confidence", 0.9),
        row("snli", "jsd_max(exact, 0.01)", nan),
    ]
    assert kept([*good, *bad], published()) == good


def test_a_further_study_names_the_setting_nearest_to_all_published_numbers() -> None:
    rows = {
        ("1", "zero"): {"a": Seeds((0.1, 0.3)), "b": Seeds((0.9,))},
        ("2", "zero"): {"a": Seeds((0.3,)), "b": Seeds((0.4,))},
    }
    aside = Aside(("length", "unknown"), {"a": 0.2, "b": 0.5}, rows)
    assert aside.nearest == {"length": "2", "unknown": "zero"}
    assert aside.distance(("1", "zero")) == pytest.approx(0.4)
    assert "| 1 | zero | 0.200 (0.100 to 0.300) | 0.900 |" in str(aside)


def test_entropy_is_ranked_against_lambda_in_every_setting_and_seed() -> None:
    file = find_study(STUDIES / "meister_2021.jsonnet")
    assert file is not None
    cells = [cell for cell in cells_of(file) if cell.about["dataset"] == "sst"]
    choices = {choice.name: choice.names for choice in file.choices}
    rng = np.random.default_rng(0)
    runs = RunSet(
        choices,
        tuple(
            CellRuns(cell.about, cell.design.levels, (0, 1), {ENTROPY: rng.random((settings, 2))}, {})
            for cell in cells
            for settings in [len(cell.configs)]
        ),
    )
    rows = {
        (row["encoder"], row["setting"], row["seed"]): row["value"] for row in lambda_rows(cells, runs)
    }
    assert len(rows) == 2 * len(choices["setting"]) * 2
    # By the names that the study file gives its projections, which the code does not read.
    lambdas = {"sparsemax": 0.0} | {
        f"sparsegen(lam={place})": place for place in (-30.0, -10.0, -3.0, -1.0, 0.5, 0.9)
    }
    of_lstm = [
        (lambdas[one.cell["projection"]], one.values[ENTROPY][1, 0])
        for one in runs.cells
        if one.cell["encoder"] == "lstm" and one.cell["projection"] in lambdas
    ]
    expected = kendalltau(*zip(*of_lstm, strict=True)).statistic
    assert rows["lstm", choices["setting"][1], 0] == pytest.approx(expected)
    assert NAME in {claim.quantity for claim in published(paper="meister_2021")}
