"""The pages of the papers: what they say is what the tables have."""

import csv
import functools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from results.by_seed import Aside, Seeds
from results.lambdas import ENTROPY, NAME, lambda_rows, lambdas_of
from results.pairs import ROLLOUT
from results.paper_numbers import PaperNumbers
from results.papers import FIGURES, PLACE, page_text
from results.shown import SHOWN, kept
from results.study_numbers import CELL as PARTS
from results.study_numbers import STUDIES, StudyNumbers, further_table
from results.templates import TEMPLATE
from scipy.stats import kendalltau

from attex.claims.ledger import published
from attex.claims.quantities import key_of
from attex.studies.study_file import find_study
from attex.studies.universes import cells_of

CELL = ("sst", "lstm", "tanh", "softmax")
TAU = "kendall_tau(attention, gradient)"
PAPER = "jain_wallace_2019"


@functools.cache
def paper(name: str) -> PaperNumbers:
    return PaperNumbers(name, PLACE)


@pytest.mark.parametrize(
    "folder",
    # A template may wait for its numbers, without a page. What has a script of its own has tests, too.
    sorted(
        path
        for path in PLACE.glob(f"*/{TEMPLATE}")
        if path.with_name("README.md").exists() and not path.with_name("__main__.py").exists()
    ),
    ids=lambda path: path.parent.name,
)
def test_a_page_is_what_its_template_makes_of_the_tables(folder: Path) -> None:
    page = (folder.parent / "README.md").read_text(encoding="utf-8")
    assert page_text(paper(folder.parent.name)) == page
    shown = set(re.findall(r"\(([\w-]+)\.svg\)", page))
    assert shown == {path.stem for path in folder.parent.glob("*.svg")}
    of_studies = {
        name
        for path in folder.parent.glob("*.json")
        for part in json.loads(path.read_text(encoding="utf-8")).get("parts", ())
        for name in part["figures"]
    }
    assert shown <= {*FIGURES, *of_studies}


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
    numbers = PaperNumbers(PAPER, tmp_path)
    first, second = numbers.values_far_off([TAU])
    assert (first["setting"], first["values"], first["far"]) == ("as published", 1, 1)
    assert first["median"] == pytest.approx(0.3)
    assert (second["far"], second["median"]) == (0, pytest.approx(0.01))
    (moved,) = numbers.moved_away([TAU], "vectors of length 1")
    assert (moved["quantity"], moved["published"]) == (TAU, tau)
    assert not numbers.moved_away([TAU], "as published", "vectors of length 1")
    assert numbers.counts()["differs"] + numbers.counts()["uncertain"] == 1


BABI = ("babi_3", "lstm", "tanh", "softmax")


def test_models_with_two_texts_stand_apart_and_what_is_missing_is_said(tmp_path: Path) -> None:
    write_numbers(tmp_path, {"as published": [0.1, 0.2], "vectors of length 1": [0.1, 0.2]})
    for name in (TEMPLATE, "vector_length.csv"):
        shutil.copy(PLACE / PAPER / name, tmp_path / PAPER / name)
    (page,) = page_text(PaperNumbers(PAPER, tmp_path)).split("## Two texts")[1:]
    assert "| babi_1 | 8,500, all | 0 | 72 | 72 not trained yet |" in page
    assert "None of them has been trained yet" in page

    alone = {"as published": [0.99, 0.98]}
    write_table(tmp_path / PAPER / f"numbers_{PAPER}_pairs.csv", BABI, "accuracy", alone)
    # A third seed in another table joins them; the two that both have count once.
    three = {"as published": [0.99, 0.98, 0.97], "half of the training texts": [0.5]}
    write_table(tmp_path / PAPER / "numbers_babi_3_size.csv", BABI, "accuracy", three)
    paper = PaperNumbers(PAPER, tmp_path)
    two = paper.together(["jain_wallace_2019_pairs", "jain_wallace_2019_snli", "babi_3_size"])
    assert (two.cells, two.models) == ([BABI], 4)
    assert two.by_seed(BABI, "accuracy") == {0: 0.99, 1: 0.98, 2: 0.97}
    assert [one.claim.cell for one in two.judged] == [BABI]
    assert {one.claim.cell for one in paper.judged} == {CELL}, "what was there before is unchanged"
    (page,) = page_text(paper).split("## Two texts")[1:]
    assert "| babi_3 | 850 of 8,500 | 4 | 96 | 92 not trained yet |" in page
    assert "LSTM and tanh on babi_2 (published accuracy 0.653) has no model here yet." in page
    assert "| babi_3 | lstm | tanh | 0.980 (0.970 to 0.990) | 0.500 | – | – |" in page


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
    assert kept([*good, *bad], published(), PAPER) == good


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
    cells = cells_of(file)
    settings = next(choice.names for choice in file.choices if choice.name == "setting")
    rng = np.random.default_rng(0)
    models = [
        {**cell.about, "setting": setting, "seed": seed, "class": "overall", "value": rng.random()}
        for cell in cells
        for setting in settings
        for seed in (0, 1)
        if cell.about["dataset"] == "sst"
    ]
    numbers = [{**model, "quantity": ENTROPY} for model in models]
    other = [{**model, "quantity": "entropy(attention)", "value": 0.5} for model in models]
    rows = {
        (row["encoder"], row["setting"], row["seed"]): row["value"]
        for row in lambda_rows([*numbers, *other], lambdas_of(cells))
    }
    assert len(rows) == 2 * len(settings) * 2
    # By the names that the study file gives its projections, which the code does not read.
    lambdas = {"sparsemax": 0.0} | {
        f"sparsegen(lam={place})": place for place in (-30.0, -10.0, -3.0, -1.0, 0.5, 0.9)
    }
    asked = {"encoder": "lstm", "setting": settings[1], "seed": 0}
    of_lstm = [
        (lambdas[one["projection"]], one["value"])
        for one in numbers
        if one["projection"] in lambdas and asked.items() <= one.items()
    ]
    expected = kendalltau(*zip(*of_lstm, strict=True)).statistic
    assert rows["lstm", settings[1], 0] == pytest.approx(expected)
    assert NAME in {claim.quantity for claim in published(paper="meister_2021")}


def write_models(path: Path, study: StudyNumbers, quantities: list[str], left_out: int = 0) -> None:
    """Write numbers of the models that a study file asks for, but for the last ones."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*PARTS, "setting", "seed", "quantity", "class", "value"])
        for model in study.planned[: len(study.planned) - left_out]:
            for quantity in quantities:
                value = round(rng.uniform(0.2, 0.4), 5)
                writer.writerow([*model.cell, model.setting, model.seed, quantity, "overall", value])


def test_models_that_a_study_still_lacks_are_those_of_its_file(tmp_path: Path) -> None:
    study = "neely_schouten_2020_corrected"
    nothing = StudyNumbers([tmp_path / "none.csv"], [study])
    assert (nothing.models, nothing.cells, len(nothing.missing)) == (0, [], 2 * 2 * 2 * 2 * 3)
    write_models(tmp_path / "some.csv", nothing, ["accuracy"], left_out=2)
    some = StudyNumbers([tmp_path / "some.csv"], [study])
    assert (some.models, some.missing) == (46, nothing.planned[-2:])
    (last,) = some.missing_table().splitlines()[2:]
    assert last.endswith("| sst 2 of 12 |")


def test_numbers_are_found_without_the_options_of_measures(tmp_path: Path) -> None:
    study = StudyNumbers([tmp_path / "none.csv"], ["neely_schouten_2020"])
    name = "top_k(k=non_zero)(attention, gradient(detach_attention=False, target=gold_loss))"
    write_models(tmp_path / "some.csv", study, [name, f"{name} calibrated"])
    some = StudyNumbers([tmp_path / "some.csv"], ["neely_schouten_2020"])
    # What forgets the padding is a softmax to the paper.
    assert ("sst", "lstm", "tanh", "softmax") in some.cells
    for cell in some.cells:
        assert len(some.seeds(cell, "top_k(k=non_zero)(attention, gradient)").values) == 3
        assert not some.seeds(cell, "top_k(k=average_length)(attention, gradient)")


@pytest.mark.parametrize(
    "name",
    # A template may wait for its numbers.
    [name for name in SHOWN if (PLACE / name / "numbers.csv").exists()],
)
def test_what_a_page_shows_is_in_its_tables(name: str) -> None:
    tables = (PLACE / name).glob("numbers*.csv")
    there = {key_of(quantity) for path in tables for quantity in quantities_of(path)}
    asked = {key_of(quantity) for quantity in SHOWN[name]}
    if not (PLACE / name / f"numbers_{name}_pretrained.csv").exists():
        # Measures of layers come with pretrained models.
        asked = {quantity for quantity in asked if ROLLOUT not in quantity}
    assert asked <= there


FURTHER = {
    "neely_schouten_2020": ["neely_schouten_2020_corrected"],
    "meister_2021": [
        "meister_2021_swaps",
        "meister_2021_transformer",
        "meister_2021_open",
        "meister_2021_entmax",
    ],
}


@pytest.mark.parametrize("name", FURTHER)
def test_a_page_shows_further_studies_once_they_are_trained(name: str, tmp_path: Path) -> None:
    shutil.copytree(PLACE / name, tmp_path / name)
    asked = quantities_of(PLACE / name / "numbers.csv")
    places = {study: tmp_path / name / f"{further_table(study)}.csv" for study in FURTHER[name]}
    for path in places.values():
        path.unlink(missing_ok=True)
    bare = page_text(PaperNumbers(name, tmp_path))
    for study, path in places.items():
        write_models(path, StudyNumbers([tmp_path / "none.csv"], [study]), sorted(asked))
    whole = PaperNumbers(name, tmp_path)
    text = page_text(whole)
    for study in FURTHER[name]:
        still_to_be_trained = f"- `experiments/studies/{study}.jsonnet`"
        assert still_to_be_trained in bare
        assert still_to_be_trained not in text
    tables = [len(re.findall(r"^\| ---", page, re.M)) for page in (text, bare)]
    assert tables[0] - tables[1] == (3 if name == "meister_2021" else 0)
    assert ("not trained yet" in bare) == (name == "meister_2021")
    assert "not trained yet" not in text
    assert ("without faults" in text) == (name == "neely_schouten_2020")
    if name == "neely_schouten_2020":
        assert "SST, gradient, without faults" in json.dumps(FIGURES["top_k"](whole), ensure_ascii=False)


def quantities_of(path: Path) -> set[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["quantity"] for row in csv.DictReader(file) if row["class"] == "overall"}


def test_the_answer_is_drawn_with_softmax_apart_and_every_mean_in_it() -> None:
    with (PLACE / "meister_2021" / "numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["setting"] == "as published"]
    tau = {"quantity": "kendall_tau(attention, leave_one_out)", "class": "overall"}
    layers = FIGURES["sparser"](paper("meister_2021"))["datasets"].values()
    drawn = [row for layer in layers for row in layer]
    places = {"softmax": "softmax", "sparsemax": "0", "sparsegen(lam=-30.0)": "-30"}
    for projection, at in places.items():
        wanted = {"dataset": "sst", "encoder": "transformer", "projection": projection} | tau
        values = [float(row["value"]) for row in rows if wanted.items() <= row.items()]
        assert len(values) == 3
        expected = pytest.approx([np.mean(values), min(values), max(values)])
        there = [row for row in drawn if (row["dataset"], row["at"]) == ("sst", at)]
        assert any([row[end] for end in ("mean", "low", "high")] == expected for row in there)


def test_the_sparsest_come_last_and_softmax_first() -> None:
    cells = [cell for cell in paper("meister_2021").by_sparsity() if cell[0] == "sst"]
    names = [projection for *_, projection in cells[:8]]
    assert names[0] == "softmax"
    assert names[5] == "sparsemax"
    assert [float(name[14:-1]) for name in names[1:5] + names[6:]] == [-30, -10, -3, -1, 0.5, 0.9]
