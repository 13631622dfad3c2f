"""Run folders that are compared: every difference against what the folders hold, worked out by hand."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tiny import BASE

import attex
from attex.comparison import Comparison
from attex.finished_run import Run
from attex.foundations.errors import UserError
from attex.studies.config_changes import changed_settings

TAU = "kendall_tau(attention, gradient)"


FIELDS = BASE | {"seeds": [0, 1], "importance": ["attention", "gradient"], "analyses": ["agreement"]}


def trained(output: Path, name: str, **changes: Any) -> Run:
    run = attex.run(FIELDS | {"name": name} | changes, output_dir=output, device="cpu")
    assert isinstance(run, Run)
    return run


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compared")


@pytest.fixture(scope="module")
def runs(output: Path) -> dict[str, Run]:
    """Three runs, of which the last has other seeds, and not all of the texts."""
    quick = {"epochs": 9, "learning_rate": 0.1}
    fewer = BASE["data"] | {"max_tokens": 16}
    return {
        "base": trained(output, "base"),
        "quick": trained(output, "quick", trainer=quick, seeds=[1, 5, 0]),
        "fewer": trained(output, "fewer", data=fewer, trainer=quick, seeds=[1]),
    }


@pytest.fixture(scope="module")
def found(runs: dict[str, Run], output: Path) -> Comparison:
    return attex.compare(runs["base"], runs["quick"], output_dir=output)


def row_of(table: pl.DataFrame, quantity: str, class_: str = "overall") -> dict[str, Any]:
    return table.filter(pl.col("quantity") == quantity, pl.col("class") == class_).row(0, named=True)


def right(run: Run, seed: int) -> np.ndarray:
    texts = run.instances.filter(pl.col("seed") == seed)
    return (texts["label"] == texts["predicted"]).to_numpy().astype(float)


def taus(run: Run, seed: int) -> np.ndarray:
    texts = run.instances.filter(pl.col("seed") == seed)
    # The markers around a text are no part of what is compared.
    pairs = zip(texts["attention"].to_list(), texts["gradient"].to_list(), strict=True)
    known = [[(a, b) for a, b in zip(*pair, strict=True) if a == a and b == b] for pair in pairs]
    return np.array([stats.kendalltau(*zip(*scores, strict=True)).statistic for scores in known])


@pytest.mark.parametrize(("quantity", "of_texts"), [("accuracy", right), (TAU, taus)])
def test_a_difference_and_its_interval_are_those_of_the_texts(
    quantity: str, of_texts: Any, found: Comparison, runs: dict[str, Run]
) -> None:
    each = np.array([of_texts(runs["quick"], seed) - of_texts(runs["base"], seed) for seed in (0, 1)])
    row = row_of(found.table, quantity)
    assert row["difference"] == pytest.approx(each.mean(), abs=1e-6)
    assert (row["seeds"], row["texts"], row["bounded_by"]) == (2, each.shape[1], "texts and seeds")
    # The variance of the mean: that over draws of texts, and that between seeds, less what of
    # it comes from texts.
    drawn = np.random.default_rng([0, each.shape[1]]).integers(0, each.shape[1], (2_000, each.shape[1]))
    moved = np.array([[seed[texts].mean() for texts in drawn] for seed in each])
    moved -= moved.mean(axis=1, keepdims=True)
    texts = moved.mean(axis=0).var(ddof=1)
    between = each.mean(axis=1).var(ddof=1)
    seeds = max(between - 2 * ((moved - moved.mean(axis=0)) ** 2).mean(), 0) / 2
    freedom = (texts + seeds) ** 2 / ((between / 2) ** 2 / 1 + texts**2 / 1_999)
    half = stats.t.ppf(0.975, max(freedom, 1)) * np.sqrt(texts + seeds)
    assert (row["high"] - row["difference"], row["difference"] - row["low"]) == pytest.approx(
        (half, half), rel=1e-3
    )


def test_what_is_no_mean_over_texts_is_bounded_over_seeds(
    found: Comparison, runs: dict[str, Run]
) -> None:
    numbers = [run.tables["numbers"] for run in (runs["base"], runs["quick"])]
    for quantity, class_ in (("roc_auc", "overall"), ("f1", "positive"), (TAU, "negative")):
        of_class = [
            dict(zip(part["seed"], part["value"], strict=True))
            for table in numbers
            for part in [table.filter(pl.col("quantity") == quantity, pl.col("class") == class_)]
        ]
        moved = [of_class[1][seed] - of_class[0][seed] for seed in ("0", "1")]
        row = row_of(found.table, quantity, class_)
        if np.isnan(moved).any():
            assert row["seeds"] < 2
            continue
        low, high = stats.t.interval(0.95, 1, np.mean(moved), stats.sem(moved))
        expected = np.mean(moved), low, high
        assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected, nan_ok=True)
        assert row["bounded_by"] == "seeds"


def test_every_number_of_both_is_there_and_accuracy_comes_first(
    found: Comparison, runs: dict[str, Run]
) -> None:
    keys = [
        set(run.tables["numbers"].select("quantity", "class").iter_rows())
        for run in (runs["base"], runs["quick"])
    ]
    assert set(found.table.select("quantity", "class").iter_rows()) == keys[0] & keys[1]
    assert found.table["quantity"].to_list()[:2] == ["accuracy", TAU]
    values = found.runs.filter(pl.col("run") == "quick", pl.col("quantity") == "accuracy")
    assert dict(zip(values["seed"], values["value"], strict=True)) == pytest.approx(
        {str(seed): right(runs["quick"], seed).mean() for seed in (1, 5, 0)}
    )


def test_the_folder_is_like_that_of_a_study_and_the_page_says_what_the_table_says(
    found: Comparison, output: Path
) -> None:
    assert found.path.parent == output / "compare"
    names = {path.name for path in found.path.iterdir()}
    assert names == {
        "config.json",
        "manifest.json",
        "answer.json",
        "headlines.csv",
        "tables",
        "graphs",
        "report.html",
    }
    row = row_of(found.table, "accuracy")
    numbers = f"{row['base']:.3f} → {row['value']:.3f}, difference {row['difference']:.3f}"
    assert f"accuracy {numbers} [{row['low']:.3f}, {row['high']:.3f}]" in found.answer
    assert found.answer.splitlines()[0] in found.report.read_text(encoding="utf-8").replace("&gt;", ">")
    clear = found.table.filter(
        pl.col("bounded_by").str.contains("texts"), (pl.col("low") > 0) | (pl.col("high") < 0)
    )
    assert f"{clear.height} are clear of 0" in found.answer or clear.height == 1
    settings = {setting: values for setting, *values in found.tables["settings"].iter_rows()}
    assert [*settings] == ["trainer.epochs", "trainer.learning_rate", "seeds"]
    assert settings["seeds"] == ["[0, 1]", "[1, 5, 0]"]
    assert (found.path / "graphs" / "differences.png").stat().st_size > 1_000
    assert found.summary["value"][0] == row["difference"]


def test_runs_with_other_texts_are_compared_on_those_they_share(
    runs: dict[str, Run], output: Path
) -> None:
    found = attex.compare(runs["base"], runs["fewer"], runs["quick"].path, output_dir=output)
    kept = set(runs["fewer"].instances["name"])
    assert 0 < len(kept) < runs["base"].instances["name"].n_unique()
    own = [
        run.instances.filter(pl.col("seed") == 1, pl.col("name").is_in(kept))
        for run in (runs["base"], runs["fewer"])
    ]
    accuracies = [(texts["label"] == texts["predicted"]).mean() for texts in own]
    row = row_of(found.table.filter(pl.col("run") == "fewer"), "accuracy")
    assert [row["base"], row["value"]] == pytest.approx(accuracies)
    assert row["texts"] == len(kept)
    assert (row["seeds"], row["bounded_by"]) == (1, "texts")
    assert "say nothing of other seeds" in found.answer
    # What is known over all texts of a run only is left out, and said.
    assert "roc_auc" not in found.table["quantity"]
    left_out = found.tables["not_compared"].filter(pl.col("quantity") == "roc_auc")
    assert set(left_out["run"]) == {"base", "quick", "fewer"}
    compared = found.tables["runs"]
    assert set(compared["texts_compared"]) == {len(kept)}


def test_runs_of_one_experiment_go_by_their_folders(runs: dict[str, Run], output: Path) -> None:
    again = trained(output, "base")
    found = attex.compare(runs["base"].path, again, output_dir=output)
    assert set(found.table["run"]) == {f"base/{again.path.name}"}
    assert "settings" not in found.tables
    assert "the same settings" in found.report.read_text(encoding="utf-8")
    assert set(found.table["difference"].drop_nans()) == {0}
    # Of an experiment's name the newest run is taken.
    assert set(attex.compare("quick", "base", output_dir=output).table["run"]) == {"base"}


def changed(run: Run, target: Path, file: str, change: Any) -> Path:
    """Copy a run folder, and have a file of it changed: its bytes, or its rows."""
    path = Path(shutil.copytree(run.path, target)) / file
    if path.suffix == ".parquet":
        pl.read_parquet(path).with_columns(change).write_parquet(path)
    else:
        path.write_bytes(change(path.read_bytes()))
    return target


def test_what_cannot_be_compared_is_said_in_a_line(
    runs: dict[str, Run], found: Comparison, output: Path, tmp_path: Path
) -> None:
    base = runs["base"]
    (tmp_path / "empty").mkdir()
    old = Path(shutil.copytree(base.path, tmp_path / "old"))
    (old / "sums.parquet").unlink()
    cut = Path(shutil.copytree(base.path, tmp_path / "cut"))
    (cut / "sums.parquet").write_bytes(b"PAR1")
    renamed, flipped = pl.concat_str(pl.lit("x"), "name"), pl.lit("positive").alias("label")
    cases = {
        "is about sst and 'base.*' about planted": changed(
            base, tmp_path / "data", "config.json", lambda text: text.replace(b'"planted"', b'"sst"')
        ),
        "no text in common": changed(base, tmp_path / "text", "sums.parquet", renamed.alias("name")),
        "has another label in run '.*/label' than in 'base": changed(
            base, tmp_path / "label", "instances.parquet", flipped
        ),
        "old has no sums.parquet: an earlier version": old,
        "empty is not a run folder: it has no manifest.json": tmp_path / "empty",
        "manifest.json is damaged": changed(base, tmp_path / "3", "manifest.json", lambda text: b"{"),
        "cut cannot be read: ": cut,
        "stands here twice": base.path,
        "is the folder of a study, not of a run": found.path,
        "quik is neither a run folder nor .* did you mean 'quick'": "quik",
    }
    for message, other in cases.items():
        with pytest.raises(UserError, match=message) as told:
            attex.compare(base, other, output_dir=output)
        assert "\n" not in str(told.value)
    with pytest.raises(UserError, match=r"'fewer' \(seeds 1\) has no seed in common with 'seeds'"):
        attex.compare(trained(tmp_path, "seeds", seeds=[7]), runs["fewer"], output_dir=output)
    with pytest.raises(UserError, match="name two or more"):
        attex.compare(base, output_dir=output)


def test_settings_that_differ_are_named_by_their_keys() -> None:
    first = {
        "name": "first",
        "vectors": None,
        "model": {"encoder": {"type": "lstm", "hidden": 8}, "attention": "tanh"},
        "analyses": [{"type": "agreement", "draws": 9}, {"type": "truth", "k": 1}],
    }
    second = {
        "name": "second",
        "vectors": {"path": "glove"},
        "model": {"encoder": {"type": "cnn", "hidden": 8, "widths": [1, 3]}, "attention": "tanh"},
        "analyses": [{"type": "agreement", "draws": 99}],
    }
    assert changed_settings([first, second]) == {
        "vectors": ["none", "–"],
        "vectors.path": ["–", "glove"],
        "model.encoder.type": ["lstm", "cnn"],
        "model.encoder.widths": ["–", "[1, 3]"],
        "analyses.agreement.draws": ["9", "99"],
        "analyses.truth": ["yes", "–"],
    }
    assert changed_settings([first, json.loads(json.dumps(first))]) == {}
