"""Experiment files that are wrong: what is said, and where."""

from pathlib import Path

import pytest
from experiment_files import file_problem, problem, write

from attex.config.loading import validate


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("epochs", "-o epochs: expected KEY=VALUE, as in trainer.epochs=2"),
        ("=3", "-o =3: expected KEY=VALUE, as in trainer.epochs=2"),
        ("seeds.2=1", "-o seeds.2=1: '2' is not one of the 2 places here"),
        ("seeds.-1=1", "-o seeds.-1=1: '-1' is not one of the 2 places here"),
        ("seeds.²=1", "-o seeds.²=1: '²' is not one of the 2 places here"),
        ("seeds.first=1", "-o seeds.first=1: 'first' is not one of the 2 places here"),
        ("seeds.0.x=1", "-o seeds.0.x=1: 'x' cannot be set inside 0"),
        ("vectors.x.y=1", "-o vectors.x.y=1: 'x' cannot be set inside null"),
        ("trainer.epoch=2", "file.json: trainer: unknown key 'epoch'; did you mean 'epochs'?"),
        ("trainr.epochs=2", "file.json: unknown key 'trainr'; did you mean 'trainer'?"),
    ],
)
def test_an_override_that_cannot_be_followed_is_said(override: str, message: str) -> None:
    assert problem({"seeds": [0, 1], "vectors": None}, override) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": [1]}, "unknown key 'seed'; did you mean 'seeds'?"),
        ({"model": {"hidden": 3}}, "model: unknown key 'hidden'; known: attention, decoder, "),
        ({"trainer": {"epoch": 3}}, "trainer: unknown key 'epoch'; did you mean 'epochs'?"),
        ({"model": {"encoder": "lsmt"}}, "model.encoder: no encoder 'lsmt'; did you mean 'lstm'?"),
        ({"data": "imdv"}, "data: no dataset 'imdv'; did you mean 'imdb'?"),
        ({"analyses": [{"statistics": []}]}, "analyses[0]: the analysis has no 'type'"),
        ({"data": {"type": "planted", "task": "keywrod"}}, "data.task: should be 'keyword', 'majority'"),
        ({"data": {"type": "csv"}}, "data.path: is required"),
        (
            {"importance": ["gradiant"]},
            "importance[0]: no measure 'gradiant'; did you mean 'gradient'?",
        ),
        (
            {"model": {"attention": {"projection": {"type": "sofmax"}}}},
            "model.attention.projection: no projection 'sofmax'; did you mean 'softmax'?",
        ),
        (
            {"analyses": [{"type": "agreement", "statistics": ["kendal_tau"]}]},
            "analyses[0].statistics[0]: no statistic 'kendal_tau'; did you mean 'kendall_tau'?",
        ),
        ({"trainer": {"epochs": "many"}}, "trainer.epochs: should be a valid integer"),
        ({"trainer": {"epochs": 0}}, "trainer.epochs: should be greater than or equal to 1"),
        ({"trainer": {"epochs": 1.5}}, "trainer.epochs: should be a valid integer"),
        ({"trainer": 3}, "trainer: expected the name of a trainer or an object with its 'type', not 3"),
        ({"model": 3}, "model: should be an object"),
        ({"model": {"encoder": {"hidden": "wide"}}}, "model.encoder.hidden: should be a valid integer"),
        ({"seeds": 3}, "seeds: should be an array"),
        ({"seeds": []}, "seeds: should have at least 1 item"),
        ({"seeds": [1, -1]}, "seeds[1]: should be greater than or equal to 0"),
        ({"seeds": [1, 2, 1]}, "seeds: '1' stands here twice"),
        ({"importance": ["gradient", "gradient"]}, "importance: 'gradient' stands here twice"),
        ({"analyses": ["truth", "truth"]}, "analyses: 'truth' stands here twice"),
        ({"vectors": 5}, "vectors: should be a valid string"),
        ({"name": "a/b"}, "name: should match pattern "),
        ({"name": "../up"}, "name: should match pattern "),
        ({"imports": "alone"}, "imports: should be an array"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_path(given: object, message: str) -> None:
    found = problem(given)
    assert found.startswith(f"file.json: {message}")
    assert "\n" not in found


def test_the_same_measure_with_other_options_is_not_twice() -> None:
    other = {"type": "gradient", "target": "gold_loss"}
    assert len(validate({"importance": ["gradient", other]}).importance) == 2


def test_several_wrong_values_are_a_line_each() -> None:
    found = problem({"seeds": 3, "trainer": {"epochs": 0, "batch_size": "x"}}).splitlines()
    assert [line.split(": ")[:2] for line in found] == [
        ["file.json", "trainer.epochs"],
        ["file.json", "trainer.batch_size"],
        ["file.json", "seeds"],
    ]


@pytest.mark.parametrize(("value", "kind"), [(3, "int"), ("text", "str"), (None, "NoneType")])
def test_an_experiment_is_an_object(tmp_path: Path, value: object, kind: str) -> None:
    path = write(tmp_path, value if value != "text" else '"text"')
    assert file_problem(path) == f"{path}: an experiment is an object, not {kind}"


def test_a_file_that_is_not_there_is_answered_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, {}, "demo.jsonnet")
    path = tmp_path / "deom.jsonnet"
    assert file_problem(path) == f"{path}: no such file; did you mean 'demo.jsonnet'?"
    assert file_problem(tmp_path / "no" / "x.json").endswith("x.json: no such file")
    assert file_problem(tmp_path).endswith("no such file")


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("{\n  seeds: [0\n  model: {},\n}\n", ":3:3", "expected a comma"),
        ("{\n  seeds: nought,\n}\n", ":2:10", "nought"),
        ("{\n  seeds: error 'no seeds today',\n}\n", ":2:10", "no seeds today"),
        ("{\n  assert 1 > 2 : 'too small',\n}\n", ":2", "too small"),
        ("\nimport 'gone.libsonnet'\n", ":2:1", "gone.libsonnet"),
        ("function(x) x", "", "function"),
    ],
)
def test_an_error_of_jsonnet_is_said_in_one_line_with_file_and_line(
    tmp_path: Path, text: str, where: str, what: str
) -> None:
    path = write(tmp_path, text, "file.jsonnet")
    message = file_problem(path)
    assert message.startswith(f"{path}{where}")
    assert what in message


def test_an_error_in_an_imported_file_names_that_file(tmp_path: Path) -> None:
    inner = write(tmp_path, "{\n\n  a: [\n}", "inner.libsonnet")
    outer = write(tmp_path, "import 'inner.libsonnet'", "file.jsonnet")
    assert file_problem(outer).startswith(f"{inner}:4:")


@pytest.mark.parametrize(
    ("text", "where"), [('{\n  "seeds": [0,]\n}', ":2:15"), ("{\n  seeds: 1\n}", ":2:3"), ("", ":1:1")]
)
def test_an_error_of_json_is_said_with_file_line_and_column(
    tmp_path: Path, text: str, where: str
) -> None:
    path = write(tmp_path, text)
    assert file_problem(path).startswith(f"{path}{where}: ")


def test_a_file_that_is_not_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'{"name": "\xff"}')
    assert file_problem(path) == f"{path}: not UTF-8 text (invalid start byte)"
