"""Studies of models against models on the pages of papers: their numbers, and what they say."""

import argparse
import shutil
from pathlib import Path

import pytest
from pronouns import write_study, write_texts
from results import papers
from results.paper_numbers import PaperNumbers
from results.templates import TEMPLATE
from results.told import told, write_told

from attex.studies.study import Answer

PAPER = "pruthi_2020"


def test_a_study_that_was_not_trained_says_how_it_is(tmp_path: Path) -> None:
    assert "`python -m results.papers roar`" in told(tmp_path / "roar", "madsen_2022_released")
    assert "`python -m results.papers roar --study madsen_2022`" in told(
        tmp_path / "roar", "madsen_2022"
    )


def test_a_study_with_models_missing_says_how_many_it_rests_on(tmp_path: Path) -> None:
    write_told(tmp_path, "some", Answer([], [], []), 3, 4)
    assert told(tmp_path, "some").startswith("3 of 4 models; the others are not trained yet")
    write_told(tmp_path, "all", Answer([], [], []), 4, 4)
    assert told(tmp_path, "all") == "4 models (`experiments/studies/all.jsonnet`)."


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
