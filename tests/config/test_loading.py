"""Experiment files: what they may say."""

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from experiment_files import file_problem, load, problem, write

from attex.analyses.analysis import ANALYSES
from attex.config.evaluation import evaluate
from attex.config.loading import load_experiments, validate
from attex.config.registries import REGISTRIES
from attex.config.schema import ExperimentConfig

SHIPPED = sorted((Path(__file__).parents[2] / "experiments").glob("**/*.jsonnet"))
EXPERIMENTS = [path for path in SHIPPED if path.parent.name != "studies"]


@functools.cache
def by_schema() -> jsonschema.Draft202012Validator:
    """The schema, itself checked; once, which takes longer than to hold an experiment against it."""
    schema = ExperimentConfig.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_that_is_shipped_loads_fits_the_schema_and_is_its_own_resolution(
    path: Path,
) -> None:
    found = load_experiments(path)
    written = evaluate(path)
    for config, plain in zip(
        found,
        written if isinstance(written, list) else [written],
        strict=True,
    ):
        by_schema().validate(plain)
        by_schema().validate(config.resolved())
        assert validate(config.resolved()) == config


def test_there_are_experiments_to_ship() -> None:
    assert len(EXPERIMENTS) >= 9


def test_a_file_is_evaluated_as_jsonnet_and_json_as_json(tmp_path: Path) -> None:
    jsonnet = "local two = 1 + 1; { seeds: [two, two + 1], name: 'x' + two } // done"
    config = load(write(tmp_path, jsonnet, "file.jsonnet"))
    assert (config.seeds, config.name) == ((2, 3), "x2")
    assert load(write(tmp_path, {"seeds": [2, 3], "name": "x2"})) == config


def test_jsonnet_imports_are_looked_for_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    write(tmp_path / "lib", "{ seeds: [7] }", "base.libsonnet")
    path = write(tmp_path, "(import 'lib/base.libsonnet') { vectors: 'v' }", "file.jsonnet")
    found = load(path)
    assert found.vectors is not None
    assert (found.seeds, found.vectors.path) == ((7,), "v")


def test_an_empty_object_is_the_default_experiment(tmp_path: Path) -> None:
    config = load(write(tmp_path, {}, "named_so.json"))
    assert config.name == "named_so"
    assert config.data.type == "planted"
    assert [measure.type for measure in config.importance] == ["attention", "gradient", "leave_one_out"]


def test_the_name_is_the_files_unless_given(tmp_path: Path) -> None:
    assert load(write(tmp_path, {}, "sst-2.json")).name == "sst-2"
    assert load(write(tmp_path, {"name": "mine"}, "sst-2.json")).name == "mine"


def test_an_array_is_several_experiments_each_named_by_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, "[{ seeds: [0] }, { seeds: [1], name: 'own' }, { seeds: [2] }]")
    found = load_experiments(path.rename(tmp_path / "many.jsonnet"), ["trainer.epochs=3"])
    assert [config.name for config in found] == ["many-0", "own", "many-2"]
    assert [config.seeds for config in found] == [(0,), (1,), (2,)]
    assert all(config.trainer.options()["epochs"] == 3 for config in found)


def test_an_error_in_an_array_says_in_which_place(tmp_path: Path) -> None:
    path = write(tmp_path, [{}, {"seedz": [1]}])
    assert file_problem(path) == f"{path}[1]: unknown key 'seedz'; did you mean 'seeds'?"


@pytest.mark.parametrize("given", ["v", {"path": "v"}])
def test_a_files_name_stands_for_its_vectors_as_they_are(given: object) -> None:
    whole = {"path": "v", "length": None, "unknown": "zero"}
    assert validate({"vectors": given}).resolved()["vectors"] == whole
    longer = validate({"vectors": given}, ["vectors.length=5.2"]).resolved()["vectors"]
    assert longer == whole | {"length": 5.2}
    by_schema().validate({"vectors": given})


@pytest.mark.parametrize(
    ("override", "found"),
    [
        ("analyses.0.draws=99", {"type": "agreement", "draws": 99}),
        ("analyses.0.statistics.0=spearman", {"type": "agreement", "statistics": ["spearman"]}),
        ("analyses.0.statistics.0.type=tau_ap", {"type": "agreement", "statistics": ["tau_ap"]}),
        ("analyses.0=truth", {"type": "truth"}),
    ],
)
@pytest.mark.parametrize("given", [{}, {"analyses": ["agreement"]}])
def test_an_override_reaches_into_lists_also_those_left_at_their_default(
    override: str, found: dict[str, Any], given: dict[str, Any]
) -> None:
    default = validate({"analyses": ["agreement"]})
    statistics = default.resolved()["analyses"][0]["statistics"]
    if "statistics" in found:
        found = found | {"statistics": found["statistics"] + statistics[1:]}
    assert validate(given, [override]) == validate({"analyses": [found]})


def test_resolving_fills_in_every_default_and_loses_nothing() -> None:
    given = {
        "data": {"type": "csv", "path": "own.csv", "labels": ["b", "a"]},
        "model": {"encoder": "bilstm", "attention": {"type": "dot", "projection": "sparsemax"}},
        "trainer": {"epochs": 3, "patience": 2},
        "importance": ["attention", {"type": "gradient", "target": "gold_loss"}],
        "analyses": [{"type": "agreement", "statistics": ["kendall_tau"]}],
    }
    config = validate(given)
    resolved = config.resolved()
    assert json.loads(json.dumps(resolved)) == resolved
    assert validate(resolved) == config
    assert resolved["model"]["encoder"] == {"type": "lstm", "hidden": 128}
    assert resolved["model"]["attention"] == {"type": "sdp", "projection": {"type": "sparsemax"}}
    assert resolved["data"]["labels"] == ["b", "a"]
    assert resolved["data"]["tokenizer"] == "words_and_marks"
    assert resolved["trainer"]["patience"] == 2
    assert resolved["importance"][0] == {"type": "attention", "layer": None, "head": None}


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("trainer.epochs=2", ("trainer", "epochs"), 2),
        ("trainer.learning_rate=1e-4", ("trainer", "learning_rate"), 1e-4),
        ("trainer.amsgrad=false", ("trainer", "amsgrad"), False),
        ("trainer.patience=null", ("trainer", "patience"), None),
        ("name=plain", ("name",), "plain"),
        ('name="quoted"', ("name",), "quoted"),
        ("vectors=a=b", ("vectors", "path"), "a=b"),
        ("vectors=", ("vectors", "path"), ""),
        ("seeds=[4,5]", ("seeds",), [4, 5]),
        ("seeds.1=9", ("seeds",), [0, 9]),
        ("importance.1.target=gold_loss", ("importance", 1, "target"), "gold_loss"),
        ("importance.1.target=gold_loss", ("importance", 1, "type"), "gradient"),
        ("importance.0=leave_one_out", ("importance", 0, "type"), "leave_one_out"),
        ("model.encoder.hidden=4", ("model", "encoder", "hidden"), 4),
        ("model.encoder.hidden=4", ("model", "encoder", "type"), "average"),
        ("model.encoder=lstm", ("model", "encoder", "type"), "lstm"),
        (
            "model.attention.projection=sparsemax",
            ("model", "attention", "projection", "type"),
            "sparsemax",
        ),
        ('data={"type":"sst","limit":5}', ("data", "limit"), 5),
    ],
)
def test_an_override_sets_one_key(override: str, path: tuple[str | int, ...], value: object) -> None:
    given = {"seeds": [0, 1], "importance": ["attention", "gradient"], "model": {"encoder": "average"}}
    found = validate(given, [override]).resolved()
    for part in path:
        found = found[part]
    assert found == value


def test_an_override_changes_nothing_else_and_later_ones_win() -> None:
    given = {"seeds": [0, 1], "trainer": {"epochs": 5}}
    before = validate(given)
    after = validate(given, ["seeds.0=8", "trainer.epochs=6", "seeds.0=9"])
    assert given == {"seeds": [0, 1], "trainer": {"epochs": 5}}
    assert after.resolved() == before.resolved() | {
        "seeds": [9, 1],
        "trainer": before.resolved()["trainer"] | {"epochs": 6},
    }


def test_every_kind_has_a_registry_whose_every_name_is_a_valid_choice() -> None:
    assert REGISTRIES["analysis"] is ANALYSES
    for kind, registry in REGISTRIES.items():
        assert registry.kind == kind
        for entry in registry:
            required = {n for n, field in entry.options.model_fields.items() if field.is_required()}
            known = {"path": "x", "k": 5, "base": {}, "guide": {}}
            given = {name: value for name, value in known.items() if name in required}
            assert registry.spec({"type": entry.name} | given).type == entry.name


@pytest.mark.parametrize(
    "wrong",
    [
        {"seedz": [1]},
        {"seeds": []},
        {"seeds": ["a"]},
        {"data": "imdv"},
        {"trainer": {"epochs": 0}},
        {"model": {"attention": {"projection": "sofmax"}}},
        {"importance": [{"type": "gradient", "target": "loss?"}]},
    ],
)
def test_the_json_schema_refuses_what_loading_refuses(wrong: object) -> None:
    problem(wrong)
    with pytest.raises(jsonschema.ValidationError):
        by_schema().validate(wrong)
