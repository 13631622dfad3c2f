"""Study files: what they mean, and one line for each that is wrong, before any training."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tiny import BASE, CHOICES, study

from attex.config.loading import load_experiments
from attex.config.shipped import first_line
from attex.foundations.errors import UserError
from attex.studies.choices import read_choices
from attex.studies.kinds.sweep import Sweep
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study import STUDIES
from attex.studies.study_file import find_study, read_study
from attex.studies.universes import Cell, cells_of

SHIPPED = sorted((Path(__file__).parents[2] / "experiments" / "studies").glob("*.jsonnet"))


def cells(**changes: Any) -> list[Cell]:
    return cells_of(read_study(study(**changes)))


def test_a_grid_has_every_combination_and_each_model_its_keys() -> None:
    (cell,) = cells()
    found = {(c.trainer.learning_rate, c.model.encoder.hidden) for c in cell.configs}
    assert found == {(rate, width) for rate in (0.001, 0.1) for width in (2, 3)}
    assert {config.seeds for config in cell.configs} == {(0, 1)}
    assert cell.about == {
        "dataset": "planted",
        "encoder": "average",
        "attention": "tanh",
        "projection": "softmax",
    }


def test_a_level_may_set_several_keys_and_cells_are_crossed() -> None:
    sizes = {
        "small": {"model.embedding_width": 3, "model.encoder.hidden": 2},
        "large": {"model.embedding_width": 5, "model.encoder.hidden": 4},
    }
    found = cells(
        choices={"size": sizes},
        cells={"model.attention.type": ["tanh", "sdp"], "model.attention.projection": ["sparsemax"]},
    )
    assert [(c.about["attention"], c.about["projection"]) for c in found] == [
        ("tanh", "sparsemax"),
        ("sdp", "sparsemax"),
    ]
    for cell in found:
        widths = [(c.model.embedding_width, c.model.encoder.hidden) for c in cell.configs]
        assert sorted(widths) == [(3, 2), (5, 4)]


def test_levels_that_are_numbers_stand_in_their_order() -> None:
    width = {"128": {"a": 1}, "32": {"a": 2}, "64": {"a": 3}}
    (choice,) = read_choices({"width": width}, "choices")
    assert choice.names == ("32", "64", "128")


def test_a_nested_choice_is_made_only_where_it_exists(tmp_path: Path) -> None:
    nested = {
        "trainer.metric": ["roc_auc", "accuracy"],
        "patience": {
            "levels": {"1": {"trainer.patience": 1}, "2": {"trainer.patience": 2}},
            "within": {"trainer.metric": ["accuracy"]},
        },
    }
    (cell,) = cells(choices=nested)
    found = [(c.trainer.metric, c.trainer.patience) for c in cell.configs]
    assert sorted(found, key=str) == [
        ("accuracy", 1),
        ("accuracy", 2),
        ("roc_auc", None),
        ("roc_auc", None),
    ]


def test_a_base_may_be_the_name_of_an_experiment(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(study(base="demo")))
    found = find_study(file)
    assert found is not None
    assert found.base["data"] == {"type": "planted", "task": "negation"} or "data" in found.base
    assert found.name == "mine"


def test_what_show_prints_can_be_run_again(tmp_path: Path) -> None:
    first = read_study(study(cells={"model.attention.type": ["tanh", "sdp"]}), name="first")
    again = read_study(first.resolved())
    assert [c.configs for c in cells_of(again)] == [c.configs for c in cells_of(first)]


def test_an_experiment_is_no_study_and_a_study_no_experiment(tmp_path: Path) -> None:
    for name, value in (("e.json", BASE), ("s.json", study())):
        (tmp_path / name).write_text(json.dumps(value))
    assert find_study(tmp_path / "e.json") is None
    with pytest.raises(UserError, match=r"s\.json: this is a study of many models"):
        load_experiments(tmp_path / "s.json")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_study_that_is_shipped_can_be_planned(path: Path) -> None:
    found = find_study(path)
    assert found is not None
    first = replace(found, groups=(replace(found.groups[0], blocks=found.groups[0].blocks and 1),))
    assert all(cell.configs for cell in cells_of(first))
    # `attex list experiment` prints the first line alone.
    assert first_line(f"studies/{path.stem}").endswith((".", "?"))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown key": (
        {"choices": {"trainer.learning_rat": [1, 2]}},
        "unknown key 'learning_rat'; did you",
    ),
    "a value of the wrong kind": ({"choices": {"trainer.epochs": [1, "x"]}}, "trainer.epochs"),
    "nothing changes": ({"choices": {"trainer.epochs": [1, 1]}}, "two levels would be called '1'"),
    "nothing changes by name": (
        {"choices": {"e": {"a": {"trainer.epochs": 2}, "b": {"trainer.epochs": 2}}}},
        "'a' and 'b' are the same experiment; a choice must change something",
    ),
    "an empty list": ({"choices": {"trainer.epochs": []}}, "expected two levels or more, not 0"),
    "an empty level": (
        {"choices": {"e": {"a": {}, "b": {"trainer.epochs": 2}}}},
        "choices.e.a: a level is",
    ),
    "one level": ({"choices": {"trainer.epochs": [1]}}, "expected two levels or more, not 1"),
    "no list": ({"choices": {"trainer.epochs": 3}}, "levels are a list of values"),
    "seeds as a choice": ({"choices": {"seeds": [0, 1]}}, "seeds are no choice"),
    "a seed twice": ({"seeds": [0, 0]}, "seeds: one stands here twice"),
    "a kind that is not there": (
        {"study": "multivers"},
        "no study 'multivers'; did you mean 'multiverse'",
    ),
    "an option that is not there": ({"ask": []}, "unknown key 'ask'"),
    "a parent that is not there": (
        {
            "choices": {
                "x": {
                    "levels": {"a": {"trainer.epochs": 2}, "b": {"trainer.epochs": 3}},
                    "within": {"vector": ["a"]},
                }
            }
        },
        "choices.x.within: no choice 'vector'",
    ),
    "a level of the parent that is not there": (
        {
            "choices": CHOICES
            | {
                "x": {
                    "levels": {"a": {"trainer.epochs": 2}, "b": {"trainer.epochs": 3}},
                    "within": {"trainer.learning_rate": ["0.2"]},
                }
            }
        },
        "'trainer.learning_rate' has no level '0.2'",
    ),
    "blocks of a sweep": ({"blocks": 2}, "a sweep has every combination"),
    "both a choice and a cell": (
        {"cells": {"model.encoder.hidden": [2, 3]}},
        "among both choices and cells",
    ),
    "cells that no table could tell apart": (
        {"cells": {"data.task": ["keyword", "negation"]}},
        "two of them would be called 'planted average tanh softmax'",
    ),
    "a base that is nothing": ({"base": 3}, "base"),
    "a bad cell": (
        {"cells": {"model.attention.type": ["tanh", "sdq"]}},
        "no attention 'sdq'; did you mean 'sdp'",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_in_one_line(what: str) -> None:
    changes, said = WRONG[what]
    with pytest.raises(UserError) as error:
        cells(**changes)
    message = str(error.value)
    assert said in message
    assert message.startswith("study: ")


def test_the_command_line_says_it_too_and_trains_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(study(choices={"trainer.learning_rat": [1, 2]})))
    done = subprocess.run(
        [sys.executable, "-m", "attex", "run", str(file), "--output-dir", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "did you mean 'learning_rate'" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.fixture
def brings_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    list(STUDIES)
    for table in ("_entries", "_names"):
        monkeypatch.setattr(STUDIES, table, dict(getattr(STUDIES, table)))

    @STUDIES.register("twice_as_fast")
    class TwiceAsFast(Sweep):
        """Every model, and the same with twice its learning rate."""

        def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
            rate = base["trainer"]["learning_rate"]
            speeds = {"as it is": rate, "twice": 2 * rate}
            return {"speed": {name: {"trainer.learning_rate": r} for name, r in speeds.items()}}


@pytest.mark.usefixtures("brings_choices")
def test_a_study_may_bring_choices_that_depend_on_those_of_the_file_and_on_the_cell() -> None:
    rated = BASE | {"trainer": {"learning_rate": 0.1}}
    found = cells(study="twice_as_fast", base=rated, choices={}, cells={"model.encoder.hidden": [2]})
    assert [c.trainer.learning_rate for c in found[0].configs] == [0.1, 0.2]
    (crossed,) = cells(study="twice_as_fast", base=rated, choices={"trainer.learning_rate": [1, 3]})
    assert [c.trainer.learning_rate for c in crossed.configs] == [1, 2, 3, 6]
    by_cell = {"rate": {"slow": {"model.attention.type": "sdp", "trainer.learning_rate": 0.01}}}
    (slow,) = cells(study="twice_as_fast", base=rated, choices={}, cells=by_cell)
    assert [c.trainer.learning_rate for c in slow.configs] == [0.01, 0.02]


@pytest.mark.usefixtures("brings_choices")
def test_a_choice_that_the_study_brings_is_not_to_be_written() -> None:
    speed = {"speed": {"a": {"trainer.epochs": 1}, "b": {"trainer.epochs": 2}}}
    rated = BASE | {"trainer": {"learning_rate": 0.1}}
    with pytest.raises(UserError, match="'speed' is what a study of kind 'twice_as_fast' itself brings"):
        cells(study="twice_as_fast", base=rated, choices=speed)


def test_what_no_setting_of_a_sweep_has_is_told_once() -> None:
    nan = float("nan")
    choices = {"speed": ("slow", "fast")}
    runs = RunSet(
        choices,
        tuple(
            CellRuns(
                {"dataset": data, "encoder": "e", "attention": "a", "projection": "p"},
                np.array([[0], [1]]),
                (0, 1),
                {"accuracy": np.full((2, 2), 0.5), "roc_auc": np.array([[area, nan], [nan, nan]])},
                {},
            )
            for data, area in (("two classes", 0.75), ("many classes", nan))
        ),
    )
    answer = Sweep()(runs, [])
    (part,) = [part for part in answer.parts if part.title == "Every setting"]
    assert part.sentences == ["Undefined in every setting: roc_auc (1 of 2 cells)."]
    areas = part.tables["tables/settings"].filter(pl.col("quantity") == "roc_auc")
    assert areas["dataset"].to_list() == ["two classes"] * 2
    assert areas["value"].is_nan().to_list() == [False, True]
