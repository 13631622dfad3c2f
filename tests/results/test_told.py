"""Studies of models against models on the pages of papers: their numbers, and what they say."""

import argparse
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pronouns import write_study, write_texts
from results import papers
from results.paper_numbers import PaperNumbers
from results.templates import TEMPLATE
from results.text_facts import TABLE, write_facts
from results.told import told

from attex.data.folder import DataFolder
from attex.foundations.errors import MissingData

PAPER = "pruthi_2020"
BOTH: dict[str, Any] = {
    "cells": {
        "encoder": {
            "embedding": {"model.encoder": "embedding"},
            "gru": {"model.encoder": {"type": "gru", "hidden": 2}},
        }
    },
    "choices": {
        "setting": {
            "as published": {"trainer.batch_size": 32},
            "in small batches": {"trainer.batch_size": 20},
        }
    },
    "weights": [0, 1],
    "seeds": [0],
}
"""A study of two cells, each in two settings."""


def test_a_study_that_was_not_trained_says_how_it_is(tmp_path: Path) -> None:
    assert "`python -m results.papers roar`" in told(tmp_path / "roar", "madsen_2022_released_recursive")
    assert "`python -m results.papers roar --study madsen_2022`" in told(
        tmp_path / "roar", "madsen_2022"
    )


def test_without_the_texts_the_facts_about_them_stay(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text("as it was")
    with pytest.raises(MissingData):
        write_facts(PAPER, tmp_path, DataFolder.at(tmp_path / "nothing"))
    assert (tmp_path / TABLE).read_text() == "as it was"


def test_what_no_page_tells_is_not_drawn(tmp_path: Path) -> None:
    (tmp_path / TEMPLATE).write_text("{{ told('one') }}")
    assert papers.is_told(tmp_path, "one")
    assert not papers.is_told(tmp_path, "another")


def test_the_numbers_of_a_study_of_deception_come_onto_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, place = write_texts(tmp_path / "data"), tmp_path / "results"
    write_study(tmp_path / "studies", PAPER)
    write_study(tmp_path / "studies", "again", weights=[0, 1], seeds=[0])
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    folder = place / PAPER
    folder.mkdir(parents=True)
    asked = {"data_dir": data, "output_dir": tmp_path / "out", "device": "cpu", "jobs": 1}
    for study in (None, "again"):
        given = argparse.Namespace(paper=PAPER, study=study, at_hand=False, **asked)
        papers.write_numbers(given, folder)
    assert {path.name for path in folder.glob("*.csv")} == {
        "numbers.csv",
        "numbers_again.csv",
        f"{PAPER}_deception.csv",
        "again_deception.csv",
    }
    paper = PaperNumbers(PAPER, place)
    assert {one.claim.quantity for one in paper.judged} == {
        f"{what}(lambda={weight})"
        for what in ("accuracy", "impermissible_mass")
        for weight in ("0", "0.1", "1")
    }
    assert {one.ours.seeds for one in paper.judged if one.ours} == {2}, "the first table counts first"
    shutil.copy(papers.PLACE / PAPER / TEMPLATE, folder)
    page = papers.page_text(paper)
    assert "6 models (`experiments/studies/pruthi_2020.jsonnet`)." in page
    assert "of the attention is on impermissible tokens" in page
    assert "| pronoun | embedding | impermissible_mass(lambda=1) |" in page
    for figure in folder.glob("*.svg"):
        assert figure.stem.startswith((PAPER, "again"))
    assert f"]({PAPER}_weight_pronoun" in page


def test_a_weight_without_a_model_is_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder = write_texts(tmp_path / "data"), tmp_path / "results" / PAPER
    folder.mkdir(parents=True)
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    asked = {"data_dir": data, "output_dir": tmp_path / "out", "device": "cpu", "jobs": 1}
    for weights, at_hand in (([0, 0.1], False), ([0, 0.1, 1], True)):
        write_study(tmp_path / "studies", PAPER, weights=weights, seeds=[0])
        given = argparse.Namespace(paper=PAPER, study=None, at_hand=at_hand, **asked)
        papers.write_numbers(given, folder)
    page = told(folder, PAPER)
    assert page.startswith("2 of 3 models")
    assert "pronoun embedding linear softmax: with λ = 1 there is no model yet." in page
    assert "nan" not in page
    # Whole, though it is less than was asked for before.
    given.at_hand = False
    for weights in ([0, 0.1, 1], [0, 0.1]):
        write_study(tmp_path / "studies", PAPER, weights=weights, seeds=[0])
        papers.write_numbers(given, folder)
        assert told(folder, PAPER).startswith(f"{len(weights)} models (")


class Machine:
    """A cache of its own, and the results that all machines write to."""

    def __init__(self, place: Path, name: str, **trained: Any) -> None:
        """Train the models of a study with changes, and lay them out where nobody looks."""
        self._place, self._name = place, name
        self.write(place / f"{name}_alone", at_hand=False, **trained)

    def write(self, folder: Path, at_hand: bool = True, **changes: Any) -> str:
        """Lay the study out, and return what the page says."""
        write_study(self._place / "studies", PAPER, **(BOTH | changes))
        folder.mkdir(exist_ok=True)
        asked = {"data_dir": self._place / "data", "output_dir": self._place / self._name}
        given = argparse.Namespace(
            paper=PAPER, study=None, at_hand=at_hand, device="cpu", jobs=1, **asked
        )
        papers.write_numbers(given, folder)
        return told(folder, PAPER)


def only(encoder: str) -> dict[str, Any]:
    return {"cells": {"encoder": {encoder: BOTH["cells"]["encoder"][encoder]}}}


def test_cells_of_two_machines_make_the_answer_that_one_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    write_texts(tmp_path / "data")
    folder, whole = tmp_path / PAPER, tmp_path / "whole"
    first = Machine(tmp_path, "first", **only("gru"))
    assert first.write(folder).startswith("4 of 8 models; the others are not trained yet")
    record = (folder / "study.json").read_bytes()
    second = Machine(tmp_path, "second", **only("embedding"))
    page = second.write(folder)
    assert page.startswith("8 models (")
    assert "as published pronoun embedding linear softmax: with λ = 1" in page
    assert "in small batches pronoun gru linear softmax: with λ = 1" in page
    assert page.count("**Can attention hide") == page.count("*A dot is") == 1
    numbers = pl.read_csv(folder / "numbers.csv")
    assert numbers.group_by("encoder", "setting").len()["len"].to_list() == [4] * 4
    Machine(tmp_path, "both").write(whole)
    for path in (path for path in whole.iterdir() if path.name != "study.json"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
    assert {path.name for path in folder.iterdir()} == {path.name for path in whole.iterdir()}
    assert (folder / "study.json").read_bytes() == record, (
        "it is of one machine, which had all there was"
    )


NEEDS: dict[str, Any] = BOTH | {
    "study": "use_of_attention",
    "base": {
        "data": {"type": "planted", "sizes": [40, 10, 10]},
        "model": {"embedding_width": 4, "encoder": "embedding"},
        "trainer": {"epochs": 1},
    },
    "choices": {},
    "weights": [1],
}


def test_one_chart_has_the_cells_of_two_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    folder, whole = tmp_path / PAPER, tmp_path / "whole"
    first = Machine(tmp_path, "first", **(NEEDS | only("gru")))
    second = Machine(tmp_path, "second", **(NEEDS | only("embedding")))
    assert first.write(folder, **NEEDS).startswith("3 of 6 models")
    page = second.write(folder, **NEEDS)
    assert page.startswith("6 models (")
    assert page.count("even weights cost") == 2
    assert page.count("![Does the model need its attention") == 1
    Machine(tmp_path, "both", **NEEDS).write(whole, **NEEDS)
    for path in (path for path in whole.iterdir() if path.name != "study.json"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
    assert {path.name for path in folder.iterdir()} == {path.name for path in whole.iterdir()}


def test_a_cell_whose_data_is_not_here_is_asked_for_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    write_texts(tmp_path / "data")
    tasks = {"task": {task: {"data.task": task} for task in ("pronoun", "sst-wiki")}}
    machine = Machine(tmp_path, "first", cells=tasks, choices={})
    assert machine.write(tmp_path / PAPER, cells=tasks, choices={}).startswith("2 of 4 models")
