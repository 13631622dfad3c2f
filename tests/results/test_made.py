"""Tables of results grow: models of one machine stay when another adds its own."""

import argparse
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from results import papers
from results.agreement_atlas import __main__ as atlas

PAPER = "jain_wallace_2019"
STUDY: dict[str, Any] = {
    "study": "sweep",
    "base": {
        "data": {"type": "planted", "limit": 20},
        "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
        "trainer": {"epochs": 1},
        "importance": ["attention", "gradient"],
        "analyses": [{"type": "agreement", "draws": 19}],
    },
    "choices": {
        "setting": {
            "as published": {"trainer.learning_rate": 0.001},
            "faster": {"trainer.learning_rate": 0.01},
        }
    },
    "seeds": [0, 1],
}


class Machine:
    """A cache of its own, and the results that all machines write to."""

    def __init__(self, place: Path, name: str) -> None:
        self._place, self._name = place, name

    def write(self, at_hand: bool = False, **changes: Any) -> pl.DataFrame:
        """Write the numbers of a study, and return their table."""
        studies, folder = self._place / "studies", self._place / "results" / PAPER
        studies.mkdir(exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        (studies / f"{PAPER}.jsonnet").write_text(json.dumps(STUDY | changes))
        asked = argparse.Namespace(
            paper=PAPER,
            study=None,
            data_dir=self._place,
            output_dir=self._place / self._name,
            device="cpu",
            jobs=1,
            at_hand=at_hand,
        )
        papers.write_numbers(asked, folder)
        return pl.read_csv(folder / "numbers.csv")

    def record(self) -> dict[str, Any]:
        """Read how the table came about."""
        path = self._place / "results" / PAPER / "study.json"
        record: dict[str, Any] = json.loads(path.read_text())
        return record


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    monkeypatch.setattr(papers, "STUDIES", tmp_path / "studies")
    return Machine(tmp_path, "first"), Machine(tmp_path, "second")


def test_models_of_two_machines_make_the_table_that_one_would(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    first, second = machines
    whole = first.write()
    assert whole.select("setting", "seed").n_unique() == 4
    # The list says what there is: without it nothing of the table is known to be of this study.
    (tmp_path / "results" / PAPER / "made_numbers.csv").unlink()
    only = second.write(seeds=[1])
    assert only.equals(whole.filter(pl.col("seed") == 1))
    assert first.write(at_hand=True).equals(whole)
    # Nothing but seed 1 is on this machine; the other two models stay.
    assert second.write(at_hand=True).equals(whole)
    assert second.record()["models"] == 4
    assert len(second.record()["designs"]) == 1


def test_what_is_asked_for_no_more_or_otherwise_goes(machines: tuple[Machine, Machine]) -> None:
    first, second = machines
    whole = first.write()
    fewer = second.write(at_hand=False, seeds=[1])
    assert fewer.equals(whole.filter(pl.col("seed") == 1)), "seed 0 is not asked for"
    changed = STUDY["base"] | {"trainer": {"epochs": 2}}
    otherwise = second.write(seeds=[1], base=changed)
    assert first.write(at_hand=True).equals(whole)
    left = second.write(at_hand=True, base=changed)
    assert left.equals(otherwise), "seed 0 has another key: it was trained for one epoch"


def test_a_cell_of_the_atlas_is_taken_from_where_more_of_its_models_are(tmp_path: Path) -> None:
    study = STUDY | {
        "cells": {"data": {"planted": {"data": {"type": "planted", "limit": 20, "test_limit": 9}}}}
    }
    study = {key: value for key, value in study.items() if key != "choices"}
    study["base"] = study["base"] | {
        "model": {"embedding_width": 4, "encoder": {"type": "lstm", "hidden": 4}}
    }
    path, place = tmp_path / "atlas.json", tmp_path / "place"
    place.mkdir()

    def written(machine: str, seeds: list[int], at_hand: bool) -> tuple[int, str]:
        path.write_text(json.dumps(study | {"seeds": seeds}))
        asked = argparse.Namespace(
            data_dir=tmp_path, output_dir=tmp_path / machine, device="cpu", jobs=1, at_hand=at_hand
        )
        atlas.write_numbers(asked, path, place)
        return pl.read_csv(place / "models.csv")["seeds"].item(), (place / "agreement.csv").read_text()

    one = written("first", [0], at_hand=False)
    three = written("second", [0, 1, 2], at_hand=False)
    assert (one[0], three[0]) == (1, 3)
    assert written("first", [0, 1, 2], at_hand=True) == three, "one model is fewer than three"
