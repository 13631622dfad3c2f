"""What README and the results' pages say of the multiverse is what its tables have."""

import argparse
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from results.known_keys import known_keys
from results.multiverse import __main__ as script
from results.templates import TEMPLATE

from attex.foundations.errors import MissingData

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "results" / "multiverse"
CELL = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
QUANTITY = "kendall_tau(attention, gradient)"


def rows(name: str, **where: str) -> pl.DataFrame:
    table = pl.read_csv(PLACE / f"{name}.csv", infer_schema_length=None)
    return table.filter([pl.col(key) == value for key, value in (CELL | where).items()])


def shown(number: float, places: int = 2) -> str:
    return f"{number:.{places}f}".replace("-", "−")


def universes() -> pl.DataFrame:
    table = rows("numbers")
    choices = table.columns[len(CELL) : table.columns.index("seed")]
    return table.group_by(choices).agg(pl.col(QUANTITY, "accuracy").mean())


@pytest.mark.parametrize("page", ["README.md", "docs/results/index.md"])
def test_the_spread_is_that_of_the_models(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    values = universes()[QUANTITY]
    assert f"{len(values)} " in text
    assert f"from {shown(values.min())} to {shown(values.max())}" in text  # type: ignore[arg-type]
    (spread,) = rows("spread", quantity=QUANTITY).to_dicts()
    assert (spread["least"], spread["most"]) == pytest.approx((values.min(), values.max()), abs=1e-3)


def test_the_shares_and_accuracies_of_the_readme_are_those_of_the_tables() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    whole = rows("shares", quantity=QUANTITY, branch="whole design")
    said = {
        "length": "*length* of these vectors has",
        "learning_rate": "learning rate",
        "seeds": "seeds",
        "vectors": "*which* vectors has",
    }
    for term, words in said.items():
        (row,) = whole.filter(pl.col("term") == term).to_dicts()
        share, low, high = (round(100 * row[key]) + 0 for key in ("share", "low", "high"))
        assert f"{words} {share} % [{low}, {high}]" in text, term
    started = universes().filter(pl.col("vectors") != "none")
    assert f"the {len(started)} that start from word vectors" in text
    least, most = (shown(x) for x in (started["accuracy"].min(), started["accuracy"].max()))  # type: ignore[arg-type]
    assert f"within {least} and {most}" in text


DATASETS = {"": "SST", "_20news": "20News", "_ag_news": "AG News", "_imdb": "IMDB"}


def shares(conclusion: str, what: str) -> dict[str, int]:
    """Return, by dataset, the percentage of universes in which a conclusion holds, or is reversed.

    A dataset that was not asked is left out.
    """
    found = {}
    for end, name in DATASETS.items():
        table = pl.read_csv(PLACE / f"conclusions{end}.csv", infer_schema_length=None)
        overall = table.filter(
            pl.col("conclusion") == conclusion,
            pl.col("weighting") == "options",
            *(pl.col(key) == "all" for key in ("kept", *CELL)),
        )
        for (value,) in overall.select(what).rows():
            found[name] = round(100 * value)
    return found


def test_conclusions_stand_side_by_side_with_the_shares_of_each_dataset() -> None:
    text = (PLACE / "README.md").read_text(encoding="utf-8")
    table = pl.read_csv(PLACE / "conclusions.csv", infer_schema_length=None)
    asked = dict(table.select("conclusion", "sentence").unique().rows())
    everywhere, turned = [], []
    for conclusion, sentence in asked.items():
        holds, reversed_ = shares(conclusion, "holds"), shares(conclusion, "reversed")
        (line,) = (x for x in text.splitlines() if x.lower().startswith(f"| {sentence.lower()} ("))
        cells = [f"{holds[d]} % ({reversed_[d]} %)" if d in holds else "–" for d in DATASETS.values()]
        assert line.endswith(" | ".join(cells) + " |")
        everywhere += [sentence] * (min(holds.values()) >= 90)
        turned += [sentence] * (min(reversed_.values()) >= 10)
    assert f"Of {len(asked)} conclusions, {len(everywhere)} hold in 90 %" in text
    assert f"- {len(turned)} are reversed in 10 % or more on every dataset" in text
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"Of {len(asked)} that papers draw, or that we do after them, {len(everywhere)} hold in 90 %"
        in readme
    )


def test_the_overview_has_the_shares_of_sparsemax() -> None:
    text = " ".join((ROOT / "docs" / "results" / "index.md").read_text(encoding="utf-8").split())
    models = sum(
        pl.read_csv(path, infer_schema_length=None).height for path in PLACE.glob("numbers*.csv")
    )
    printed = shares("sparsemax_above_softmax", "holds").values()
    beyond, less = (
        shares("sparsemax_above_softmax_beyond_permuted", x).values() for x in ("holds", "reversed")
    )
    assert f"{models:,} models in all" in text
    assert f"softmax holds in {min(printed)} % to {max(printed)} % of the settings of each" in text
    assert f"as well it holds in {min(beyond)} % to {max(beyond)} %, and is" in text
    assert f"is reversed in {min(less)} % to {max(less)} %" in text


def test_every_model_of_a_cell_is_there_and_no_other() -> None:
    table = pl.read_csv(PLACE / "numbers.csv", infer_schema_length=None)
    spread = pl.read_csv(PLACE / "spread.csv").filter(pl.col("quantity") == QUANTITY)
    assert set(table.select(list(CELL)).unique().rows()) == set(spread.select(list(CELL)).rows())
    assert table["seed"].n_unique() == 2


def test_the_page_is_what_its_template_makes_of_what_the_studies_say() -> None:
    assert script.page_text() == (PLACE / "README.md").read_text(encoding="utf-8")
    for study in (script.MAIN, *script.FURTHER):
        assert (script.STUDIES / f"{study}.jsonnet").exists()


def test_another_dataset_comes_onto_the_page_when_all_of_its_models_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = {
        "study": "multiverse",
        "base": {
            "data": {"type": "planted", "limit": 20},
            "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
            "trainer": {"epochs": 1},
            "importance": ["attention", "gradient", "leave_one_out"],
            "analyses": ["agreement", "permutation"],
        },
        "choices": {"trainer.learning_rate": [0.001, 0.01], "trainer.batch_size": [8, 16]},
        "seeds": [0, 1],
    }
    name = "multiverse_20news"
    (tmp_path / f"{name}.jsonnet").write_text(json.dumps(study))
    place = tmp_path / "place"
    place.mkdir()
    for file in (TEMPLATE, "facts.json", "numbers.csv", "conclusions.csv"):
        shutil.copy(PLACE / file, place)
    monkeypatch.setattr(script, "PLACE", place)
    monkeypatch.setattr(script, "STUDIES", tmp_path)
    asked = {"study": name, "data_dir": tmp_path, "output_dir": tmp_path / "out", "device": "cpu"}
    with pytest.raises(MissingData):
        script.write_study(argparse.Namespace(at_hand=True, jobs=1, **asked))
    assert (
        f"*Not trained yet: `python -m results.multiverse --study {name}` does.*" in script.page_text()
    )
    script.write_study(argparse.Namespace(at_hand=False, jobs=1, **asked))
    page = script.page_text()
    assert f"8 models in 1 cells (`experiments/studies/{name}.jsonnet`)" in page
    assert "### Do the papers' conclusions hold?" in page
    written = {path.name for path in place.glob("*_20news*")}
    tables = {
        f"{table}_20news.csv" for table in ("numbers", "spread", "shares", "effects", "conclusions")
    }
    assert written == tables | {"conclusions_20news.svg", "facts_20news.json", "manifest_20news.json"}
    assert all(f"({path})" in page for path in written - {"facts_20news.json"})
    # One more seed is asked for: what is said stays as it was, and the models wait in a file.
    (tmp_path / f"{name}.jsonnet").write_text(json.dumps(study | {"seeds": [0, 1, 2]}))
    script.write_study(argparse.Namespace(at_hand=True, jobs=1, **asked))
    assert script.page_text() == page
    (place / "facts_20news.json").unlink()
    waits = "8 models are there\nand [wait](waiting_multiverse_20news.tar.xz) for the others.*"
    assert waits in script.page_text()
    found = [
        key for file, key in known_keys(tmp_path) if file == "place/waiting_multiverse_20news.tar.xz"
    ]
    assert len(set(found)) == 8, "nobody else has to make them"
    # Another machine takes them from there, and makes the rest.
    capsys.readouterr()
    elsewhere = asked | {"output_dir": tmp_path / "elsewhere"}
    script.write_study(argparse.Namespace(at_hand=False, jobs=1, **elsewhere))
    assert "12 models: 8 are there, 4 to make" in capsys.readouterr().err
    assert "12 models in 1 cells" in script.page_text()
    assert not (place / "waiting_multiverse_20news.tar.xz").exists()
