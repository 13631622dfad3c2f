"""What an editor, a type checker and a notebook see of attex."""

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attex
from attex.config.schema import ExperimentConfig
from attex.experiment import Options
from attex.foundations.errors import UserError

ROOT = Path(__file__).parent.parent
SMALL = {
    "data": {"type": "planted", "sizes": [30, 10, 10]},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}},
    "trainer": {"epochs": 1},
    "seeds": [3],
}


def test_an_experiment_takes_the_fields_of_the_schema_with_their_defaults() -> None:
    named = inspect.signature(attex.Experiment).parameters
    *fields, other = named.values()
    assert [field.name for field in fields] == list(ExperimentConfig.model_fields)
    assert other.kind is inspect.Parameter.VAR_KEYWORD
    assert all(field.annotation is not inspect.Parameter.empty for field in fields)
    assert attex.Experiment().config == ExperimentConfig()
    given = {field.name: field.default for field in fields}
    assert attex.Experiment(**given).config == ExperimentConfig()


def test_each_step_takes_the_options_of_run() -> None:
    of_run = [*inspect.signature(attex.run).parameters][1:]
    # An experiment that was read already has no use for the variables of a file.
    of_run.remove("external")
    assert [*Options.__annotations__] == of_run


@pytest.mark.parametrize("make", [lambda fields: attex.Experiment(**fields), attex.run])
def test_a_wrong_key_names_the_nearest(make: object) -> None:
    with pytest.raises(UserError, match="unknown key 'modle'; did you mean 'model'"):
        make({"modle": "attention"})  # type: ignore[operator]


def test_a_type_checker_knows_what_can_be_given(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    right = (
        "import attex\n"
        "experiment = attex.Experiment(data={'type': 'planted'}, seeds=[0, 1])\n"
        "experiment.train(device='cpu', jobs=2).run(output_dir='out').view['agreement'].columns\n"
        "attex.compare(attex.run(experiment), 'other').table.columns\n"
        "attex.run({'study': 'sweep'}).tables['numbers'].columns\n"
    )
    wrong = ["attex.Experiment(modle='x')", "attex.Experiment(seeds='0')"]
    wrong += ["experiment.train(devise='cpu')", "experiment.evaluate(jobs='2')", "attex.run('x', job=1)"]
    file = tmp_path / "snippet.py"
    file.write_text(right + "\n".join(wrong), encoding="utf-8")
    # What `make lint` has found out of the libraries need not be found out again.
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / "cache")
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", "--strict", *settings, "--no-error-summary", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    lines = dict.fromkeys(int(error.split(":")[1]) for error in errors)
    assert [*lines] == [6, 7, 8, 9, 10], done.stdout
    assert 'did you mean "jobs"?' in errors[-2]


def test_a_view_is_looked_up_by_the_name_of_its_table(tmp_path: Path) -> None:
    run = attex.Experiment(**SMALL).run(output_dir=tmp_path, device="cpu")  # type: ignore[arg-type]
    again = attex.load_run(run.path)
    assert [*again.view] == [name for name in run.tables if "/" not in name]
    assert len(again.view) == len([*again.view])
    assert again.view["agreement"] is again.view["agreement"]
    assert again.view["agreement"].columns[:4] == ["pair", "mean", "low", "high"]
    assert "agreement" in repr(again.view)
    assert again.view.get("nothing") is None
    assert "agreement" in again.view
    with pytest.raises(UserError, match="no table 'agrement'; did you mean 'agreement'"):
        again.view["agrement"]
    with pytest.raises(KeyError, match="it has agreement, "):
        again.view["quite another"]
