"""External variables of Jsonnet: the environment's, as AllenNLP has it, and those that are given."""

import json
from pathlib import Path

import pytest
from allennlp_files import of_2020
from experiment_files import file_problem, load, write

from attex.config.loading import load_experiments
from attex.experiment import Experiment

TWO = "{ seeds: [std.parseInt(std.extVar('ONE')), std.parseInt(std.extVar('OTHER'))] }"


def test_variables_are_those_of_the_environment_and_those_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, TWO, "two.jsonnet")
    monkeypatch.setenv("ONE", "1")
    monkeypatch.setenv("OTHER", "2")
    assert load(path).seeds == (1, 2)
    (config,) = load_experiments(path, external={"OTHER": "3"})
    assert config.seeds == (1, 3)
    assert Experiment.from_file(path, external={"ONE": "4"}).config.seeds == (4, 2)


def test_the_working_folder_is_there_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PWD", raising=False)
    monkeypatch.chdir(tmp_path)
    found = load(write(tmp_path, "{ vectors: std.extVar('PWD') }", "v.jsonnet")).vectors
    assert found is not None
    assert found.path == str(tmp_path)


def test_bytes_that_are_no_text_in_the_environment_are_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONE", "\udcff")
    assert load(write(tmp_path, "{ seeds: [3] }", "v.jsonnet")).seeds == (3,)


def test_a_variable_that_is_missing_is_named_with_the_way_to_give_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ONE", raising=False)
    path = write(tmp_path, TWO, "two.jsonnet")
    message = file_problem(path)
    assert message.startswith(f"{path}:1:")
    assert message.endswith(
        "no external variable 'ONE': give it with --ext ONE=VALUE, or in the environment"
    )


def test_imports_of_theirs_are_found_from_the_file_that_names_them(tmp_path: Path) -> None:
    file = of_2020("sst", "tanh", "softmax")
    trainer = file.pop("trainer")
    for folder in ("experiments", "shared/deep"):
        (tmp_path / folder).mkdir(parents=True)
    write(tmp_path / "shared" / "deep", trainer, "trainer.libsonnet")
    write(tmp_path / "shared", "import 'deep/trainer.libsonnet'", "training.libsonnet")
    text = f"{json.dumps(file)} + {{ trainer: import '../shared/training.libsonnet' }}"
    assert load(write(tmp_path / "experiments", text, "theirs.jsonnet")).trainer.epochs == 40


def test_json_of_allennlp_may_have_comments(tmp_path: Path) -> None:
    text = "// theirs\n" + json.dumps(of_2020("sst", "sdp", "softmax")) + "\n# and so on\n"
    assert load(write(tmp_path, text, "theirs.json")).model.attention.type == "sdp"
    assert "theirs.json:1:1" in file_problem(write(tmp_path, "// ours\n{}", "theirs.json"))
