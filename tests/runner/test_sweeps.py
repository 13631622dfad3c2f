"""A sweep runs what it has data for."""

import json
from pathlib import Path

import pytest

from attex.analyses.permutation import PermutationAnalysis
from attex.config.loading import load_experiments, validate
from attex.runner.plan import Plan
from attex.runner.run_files import run_files
from attex.runner.workspace import Workspace

ROOT = Path(__file__).parent.parent.parent
TINY = {
    "name": "tiny",
    "data": {"type": "planted", "sizes": [40, 20, 20]},
    "model": {"embedding_width": 4, "encoder": {"type": "lstm", "hidden": 2}},
    "trainer": {"epochs": 1},
}


def run(tmp_path: Path, *experiments: dict[str, object]) -> bool:
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(experiments))
    return run_files([file], data_dir=tmp_path, output_dir=tmp_path / "out", until="corpus")


def test_absent_data_is_skipped_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, TINY | {"data": "sst", "name": "absent"}, TINY)
    said = capsys.readouterr().err
    assert "attex: absent skipped: " in said
    assert "kept 40 / 20 / 20 texts" in said


def test_a_sweep_of_nothing_is_a_failure(tmp_path: Path) -> None:
    assert not run(tmp_path, TINY | {"data": "sst", "name": "absent"})


def test_the_grid_is_that_of_its_single_files() -> None:
    folder = ROOT / "experiments" / "jain_wallace_2019"
    grid = load_experiments(folder / "grid.jsonnet")
    assert len(grid) == 3 * 2 * 4
    for config in grid:
        assert load_experiments(folder / f"{config.name}.jsonnet") == (config,)


def test_a_new_measure_is_no_reason_to_find_out_again_what_needs_no_measure() -> None:
    analyses = ["permutation", "adversarial", "log_odds", "faithfulness"]

    def keys(importance: list[str]) -> dict[str, str]:
        config = validate({"data": "planted", "analyses": analyses, "importance": importance})
        (seed, *_) = Plan(config, Workspace.at(device="cpu")).seeds.values()
        return {name: stage.key for name, stage in seed.findings.items()}

    before, after = keys(["attention"]), keys(["attention", "gradient"])
    assert {name for name in analyses if before[name] != after[name]} == {"faithfulness"}


def test_an_untrained_model_is_for_analyses_that_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vectors are no input of any other, and without them it would be another model."""
    monkeypatch.setattr(PermutationAnalysis, "examine", lambda self, subject: subject.load_untrained())
    file = tmp_path / "one.json"
    file.write_text(json.dumps(TINY | {"analyses": ["permutation"]}))
    with pytest.raises(LookupError, match="examines the untrained model"):
        run_files([file], output_dir=tmp_path, device="cpu", until="findings")
