"""The pages of the papers: what they say is what the tables have."""

import csv
from pathlib import Path

import numpy as np
import pytest
from results.by_seed import Aside, Seeds
from results.lambdas import ENTROPY, NAME, lambda_rows
from results.paper_numbers import PaperNumbers
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
    "folder",
    # A template may wait for its numbers, without a page.
    sorted(path for path in PLACE.glob(f"*/{TEMPLATE}") if path.with_name("README.md").exists()),
    ids=lambda path: path.parent.name,
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
    names = ("dataset", "encoder", "attention", "projection", "setting", "seed", "quantity", "class")
    with (folder / PAPER / "numbers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "value"])
        for setting, of_seeds in values.items():
            for seed, value in enumerate(of_seeds):
                writer.writerow([*CELL, setting, seed, TAU, "overall", value])


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
