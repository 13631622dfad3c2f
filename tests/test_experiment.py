"""The public ways in: attex.run, attex.load_run, attex.Experiment, run_experiment.py."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import torch
from safetensors.torch import load_file

import attex
from attex.foundations.errors import UserError

ROOT = Path(__file__).parent.parent
SMALL = {
    "name": "small",
    "data": {"type": "planted", "task": "majority", "sizes": [60, 20, 30]},
    "model": {"embedding_width": 8, "encoder": {"type": "average", "hidden": 6}},
    "trainer": {"epochs": 2},
    "seeds": [3, 4],
    "analyses": ["truth", "agreement"],
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> attex.Run:
    made = attex.run(SMALL, output_dir=tmp_path_factory.mktemp("out"), device="cpu")
    assert isinstance(made, attex.Run)
    return made


def test_a_run_folder_holds_what_the_seeds_readme_promises(finished: attex.Run) -> None:
    assert finished.path.parent.name == "small"
    for kind in ("png", "svg", "pdf"):
        graph = finished.path / "graphs" / f"kendall_tau.{kind}"
        assert graph.stat().st_size > 1000
    correlation = finished.tables["correlation/attention_gradient_kendall_tau"]
    assert correlation.columns[:4] == ["class", "pval_sig", "mean", "std"]
    weights = load_file(finished.path / "model.safetensors")
    assert weights["embedding.weight"].shape[1] == 8
    assert (finished.path / "model_seed_4.safetensors").exists()
    assert r"\begin{tabular}" in (finished.path / "tables" / "agreement.tex").read_text()


def test_a_run_reads_back_as_it_was(finished: attex.Run) -> None:
    again = attex.load_run(finished.path)
    assert again.config == finished.config
    assert again.config["trainer"]["batch_size"] == 32
    assert set(again.metrics["seeds"]) == {"3", "4"}
    assert again.report.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert set(again.tables["agreement"]["seed"]) == {"3", "4", "all"}


def test_instances_hold_every_score_of_every_text(finished: attex.Run) -> None:
    table = finished.instances
    assert len(table) == 2 * 30
    row = table.row(7, named=True)
    for column in ("truth", "attention", "gradient", "leave_one_out"):
        assert len(row[column]) == len(row["tokens"])
    assert sum(row["attention"]) == pytest.approx(1.0, abs=1e-5)
    right = (table["label"] == table["predicted"]).mean()
    accuracy = finished.tables["performance"].filter(pl.col("seed") == "all")["accuracy"][0]
    assert right == pytest.approx(accuracy)


def test_two_runs_with_one_seed_are_the_same_to_the_byte(finished: attex.Run, tmp_path: Path) -> None:
    again = attex.run(SMALL, output_dir=tmp_path, device="cpu")
    assert isinstance(again, attex.Run)
    for path in [*finished.path.glob("tables/*"), *finished.path.glob("correlation/*")]:
        assert (again.path / path.relative_to(finished.path)).read_bytes() == path.read_bytes()
    assert again.instances.equals(finished.instances, null_equal=True)
    for name in ("model.safetensors", "model_seed_4.safetensors"):
        ours, theirs = load_file(finished.path / name), load_file(again.path / name)
        assert all(torch.equal(ours[key], theirs[key]) for key in ours)


def test_the_steps_of_an_experiment_can_be_taken_one_by_one(tmp_path: Path) -> None:
    experiment = attex.Experiment(**SMALL | {"seeds": [0]})
    where = {"output_dir": tmp_path, "device": "cpu"}
    assert experiment.train(**where) is experiment
    assert not (tmp_path / ".cache" / "2" / "importance").exists()
    assert experiment.evaluate(**where) is experiment
    assert not (tmp_path / "small").exists()
    made = experiment.generate_and_save_artifacts(**where)
    assert made.report.exists()


def test_files_arrays_and_overrides(tmp_path: Path) -> None:
    one = SMALL | {"seeds": [0], "analyses": []}
    file = tmp_path / "sweep.jsonnet"
    file.write_text(f"[{json.dumps(one)} {{ name: n }} for n in ['a', 'b']]")
    made = attex.run(file, overrides=["trainer.epochs=1"], output_dir=tmp_path, device="cpu")
    assert isinstance(made, list)
    assert [run.config["name"] for run in made] == ["a", "b"]
    assert [run.config["trainer"]["epochs"] for run in made] == [1, 1]
    with pytest.raises(UserError, match="holds 2 experiments"):
        attex.Experiment.from_file(file)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run folder"):
        attex.load_run(tmp_path)


def test_run_experiment_runs_one_file_and_fails_on_a_bad_one(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(SMALL | {"seeds": [0], "analyses": []}))
    command = [sys.executable, str(ROOT / "run_experiment.py"), "--output-dir", str(tmp_path)]
    done = subprocess.run([*command, "--experiment_path", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "report.html" in done.stdout
    file.write_text('{"modle": 1}')
    failed = subprocess.run([*command, "--experiment_path", str(file)], capture_output=True, text=True)
    assert failed.returncode != 0
    assert "did you mean 'model'?" in failed.stderr
    assert "Traceback" not in failed.stderr
