"""Models of a cell that is not whole wait beside the page, and another machine takes them from there."""

import argparse
import json
from pathlib import Path

import pytest
from results import papers
from results.known_keys import known_keys
from results.waiting import count, waiting_file

NAME = "retrained"


def study(seeds: list[int]) -> dict[str, object]:
    return {
        "study": "roar",
        "base": {
            "data": {"type": "planted", "limit": 20},
            "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
            "trainer": {"epochs": 1},
        },
        "measures": ["attention"],
        "masking": ["plain"],
        "steps": 2,
        "seeds": seeds,
    }


def test_nobody_has_to_make_them_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "results" / "paper"
    place.mkdir(parents=True)
    monkeypatch.setattr(papers, "STUDIES", tmp_path)
    waiting = waiting_file(place, NAME)

    def written(seeds: list[int], machine: str, at_hand: bool) -> None:
        (tmp_path / f"{NAME}.jsonnet").write_text(json.dumps(study(seeds)))
        machines = {"data_dir": tmp_path, "output_dir": tmp_path / machine, "device": "cpu"}
        asked = {"paper": "paper", "study": NAME, "jobs": 1, "at_hand": at_hand, **machines}
        papers.write_numbers(argparse.Namespace(**asked), place)

    # Whole texts, half of the tokens by attention, half by chance, nothing at all: four models a seed.
    written([0, 1], "one", at_hand=False)
    assert not waiting.exists(), "the cell is whole: what is stored of it is enough"
    written([0, 1, 2], "one", at_hand=True)
    assert count(waiting) == 8
    assert {key for file, key in known_keys(tmp_path / "results") if file.endswith(waiting.name)} == {
        key for _, key in known_keys(tmp_path / "results")
    }
    capsys.readouterr()
    written([0, 1, 2], "another", at_hand=False)
    assert "12 models: 8 are there, 4 to make" in capsys.readouterr().err
    assert not waiting.exists()
