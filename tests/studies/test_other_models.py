"""Studies of deception and of guides, on texts whose deciding words are known."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from attex.foundations.errors import UserError
from attex.runner.engine import choose_engine
from attex.runner.workspace import Workspace
from attex.studies.kinds.guides import Guides
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.running import run_study
from attex.studies.study_file import read_study
from attex.studies.universes import cells_of

LSTM: dict[str, Any] = {
    "data": {"type": "planted", "task": "keyword", "sizes": [400, 100, 100], "hide_truth": True},
    "model": {"embedding_width": 12, "encoder": {"type": "lstm", "hidden": 8}},
    "trainer": {"epochs": 12, "learning_rate": 0.02},
    "seeds": [0],
}
DECEPTION: dict[str, Any] = {"study": "deception", "base": LSTM, "weights": [0, 1], "seeds": [0]}
SMALL = LSTM | {
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 20]},
    "trainer": {"epochs": 1},
}
GUIDES: dict[str, Any] = {"study": "guides", "base": SMALL, "seeds": [0, 1]}
GUIDE_LEVELS = [*Guides().choices(SMALL)["guide"]]


def run(file: dict[str, Any], output: Path) -> Path:
    workspace = Workspace.at(output=output, device="cpu")
    path, failed = run_study(read_study(file), workspace, choose_engine(None, 1, {}, workspace))
    assert path is not None
    assert failed == 0
    return path


def test_a_deceptive_model_hides_what_it_decides_by(tmp_path: Path) -> None:
    rows = pl.read_csv(run(DECEPTION, tmp_path) / "tables" / "deception.csv").iter_rows(named=True)
    found = {(row["weight"], row["quantity"]): row for row in rows}
    assert found[0, "impermissible_mass"]["value"] > 0.2
    assert found[1, "impermissible_mass"]["value"] < 0.01, "less than 1 % is left"
    assert found[0, "accuracy"]["value"] > 0.95
    assert found[1, "accuracy"]["difference"] > -0.05, "at equal accuracy"
    for weight in (0, 1):
        # Without the one word that decides there is nothing to decide by; where its weight alone is
        # gone, the states of the words around it still tell.
        assert 0.35 < found[weight, "accuracy(removed)"]["value"] < 0.65
        assert 0.35 < found[weight, "accuracy(neutralised)"]["value"] < 0.65
    assert found[1, "accuracy(zeroed)"]["value"] > 0.9


def test_guides_and_their_bases_are_models_like_the_base_of_the_study() -> None:
    (cell,) = cells_of(read_study(GUIDES))
    encoders = {}
    for config, level in zip(cell.configs, GUIDE_LEVELS, strict=True):
        assert config.model.options()["encoder"].type == (
            "lstm" if level == "the base itself" else "average"
        )
        around, fields = [], config.trainer.model_dump()
        while (inner := fields.get("guide") or fields.get("base")) is not None:
            around.append(inner["model"]["encoder"])
            fields = inner["trainer"]
        encoders[level] = around
    lstm = SMALL["model"]["encoder"]
    guided = {"base's": [lstm], "base's, cross-fit": [lstm], "base's, mean of each word": [lstm]}
    alone: dict[str, Any] = {"the base itself": [], "uniform": [], "own": []}
    assert encoders == alone | guided | {"adversary's": [lstm, lstm]}
    # The file is as it was.
    assert GUIDES["base"]["model"]["encoder"] == {"type": "lstm", "hidden": 4}


def test_every_guide_is_held_against_uniform_weights(tmp_path: Path) -> None:
    path = run(GUIDES, tmp_path)
    rows = [*pl.read_csv(path / "tables" / "guides.csv").iter_rows(named=True)]
    assert {row["encoder"] for row in rows} == {"lstm"}, "a cell is called by its base"
    assert len(rows) == 7
    value = {row["guide"]: row["value"] for row in rows}
    for row in rows:
        assert row["difference"] == pytest.approx(row["value"] - value["uniform"])
    numbers = pl.read_csv(path / "tables" / "numbers.csv", infer_schema_length=None)
    accuracies = numbers.filter(pl.col("quantity") == "accuracy", pl.col("class") == "overall")
    mean = {name[0]: each["value"].mean() for name, each in accuracies.group_by("guide")}
    assert value == pytest.approx(mean)


def test_guides_that_are_not_asked_for_are_not_trained(tmp_path: Path) -> None:
    (asked,) = cells_of(read_study(GUIDES | {"guides": ["own", "words"]}))
    (every,) = cells_of(read_study(GUIDES))
    known = dict(zip(GUIDE_LEVELS, every.configs, strict=True))
    tried = ["the base itself", "uniform", "own", "base's, mean of each word"]
    for config, level in zip(asked.configs, tried, strict=True):
        assert config.model_copy(update={"name": known[level].name}) == known[level], "the very same"
    path = run(GUIDES | {"guides": ["own", "words"]}, tmp_path)
    rows = pl.read_csv(path / "tables" / "guides.csv")
    assert rows["guide"].to_list() == tried
    (sentence,) = json.loads((path / "answer.json").read_text(encoding="utf-8"))["lead"]
    words = [name for name in ("own", "mean of each word", "cross-fit", "adversary") if name in sentence]
    assert words == ["own", "mean of each word"]


def test_guides_that_are_not_trained_yet_are_not_spoken_of() -> None:
    levels = ("the base itself", "uniform", "own", "adversary's")
    values = np.array([[0.9, 0.8], [0.6, 0.7], [0.65, 0.75], [np.nan, np.nan]])
    draws = values[..., None] + np.linspace(-0.01, 0.01, 20)
    about = {"dataset": "planted", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
    chosen = np.arange(len(levels))[:, None]
    cell = CellRuns(about, chosen, (0, 1), {"accuracy": values}, {"accuracy": draws})
    runs = RunSet({"guide": levels}, (cell,))
    answer = Guides(quantity="accuracy")(runs, [])
    (sentence,) = answer.lead
    assert "own 0.050" in sentence
    assert "adversary" not in sentence
    assert "nan" not in sentence
    ((_, chart),) = answer.parts[0].charts.items()
    assert "adversary's" not in json.dumps(chart)


@pytest.mark.parametrize(
    ("file", "changes", "said"),
    [
        (DECEPTION, {"weights": [0]}, "weights: should have at least 2 items"),
        (
            DECEPTION,
            {"base": LSTM | {"data": "planted"}},
            "the training texts have no impermissible token",
        ),
        (GUIDES, {"quantity": "f2"}, "quantity: predictions have no 'f2'"),
        (
            GUIDES,
            {"base": SMALL | {"trainer": "deceptive"}},
            "base.trainer: a study of kind 'guides' has",
        ),
        (GUIDES, {"guides": ["adversry"]}, "guides[0]: "),
        (GUIDES, {"guides": []}, "guides: should have at least 1 item"),
        (GUIDES, {"encoder": "averge"}, "no encoder 'averge'; did you mean 'average'"),
        (
            GUIDES,
            {"choices": {"guide": [1, 2]}},
            "'guide' is what a study of kind 'guides' itself brings",
        ),
    ],
)
def test_a_wrong_file_is_refused_before_any_training(
    file: dict[str, Any], changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as refused:
        run(file | changes, tmp_path)
    assert said in str(refused.value)
    assert not [*tmp_path.rglob("numbers.json")]
