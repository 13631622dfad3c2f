"""Experiment files: what they may say, and what is answered where they are wrong."""

import json
from pathlib import Path

import jsonschema
import pytest

from attex.analyses.analysis import ANALYSES
from attex.config.loading import evaluate, load_experiments, validate
from attex.config.registries import REGISTRIES
from attex.config.schema import ExperimentConfig
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError

EXPERIMENTS = sorted((Path(__file__).parents[2] / "experiments").glob("**/*.jsonnet"))

PLUGIN = '''
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from pydantic import Field
from torch import Tensor

from attex.data.reader import READERS, Document, Reader
from attex.importance.measure import MEASURES, only_scorable


@MEASURES.register("from_the_left", aliases=("leftness",))
def from_the_left(model, batch, *, step: Annotated[float, Field(gt=0)] = 1.0) -> Tensor:
    """The earlier the more important."""
    return only_scorable(-step * torch.arange(batch.tokens.shape[1]).expand(batch.tokens.shape), batch)


@READERS.register("digits")
@dataclass(frozen=True, kw_only=True)
class Digits(Reader):
    """Numbers, odd and even."""

    count: int = 12

    def files(self, folder) -> list[Path]:
        return []

    def documents(self, folder) -> Iterator[Document]:
        for n in range(self.count):
            split = ("train", "train", "dev", "test")[n // 2 % 4]
            yield Document(str(n), split, list(str(n)), ("even", "odd")[n % 2])
'''


@pytest.fixture
def plugin(tmp_path: Path, passing_registrations: None) -> str:
    """A module beside the experiment file."""
    name = f"plugin_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(PLUGIN)
    return name


def write(folder: Path, content: object, name: str = "file.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def load(path: Path, *overrides: str) -> ExperimentConfig:
    found = load_experiments(path, overrides)
    assert isinstance(found, ExperimentConfig)
    return found


def problem(value: object, *overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        validate(value, overrides, "file.json")
    return str(caught.value)


def file_problem(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_experiments(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_that_is_shipped_loads_fits_the_schema_and_is_its_own_resolution(
    path: Path,
) -> None:
    found = load_experiments(path)
    written = evaluate(path)
    schema = ExperimentConfig.model_json_schema()
    for config, plain in zip(
        found if isinstance(found, list) else [found],
        written if isinstance(written, list) else [written],
        strict=True,
    ):
        jsonschema.validate(plain, schema)
        jsonschema.validate(config.resolved(), schema)
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
    assert (load(path).seeds, load(path).vectors) == ((7,), "v")


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
    assert isinstance(found, list)
    assert [config.name for config in found] == ["many-0", "own", "many-2"]
    assert [config.seeds for config in found] == [(0,), (1,), (2,)]
    assert all(config.trainer.options()["epochs"] == 3 for config in found)


def test_an_error_in_an_array_says_in_which_place(tmp_path: Path) -> None:
    path = write(tmp_path, [{}, {"seedz": [1]}])
    assert file_problem(path) == f"{path}[1]: unknown key 'seedz'; did you mean 'seeds'?"


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
    assert resolved["importance"][0] == {"type": "attention"}


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("trainer.epochs=2", ("trainer", "epochs"), 2),
        ("trainer.learning_rate=1e-4", ("trainer", "learning_rate"), 1e-4),
        ("trainer.amsgrad=false", ("trainer", "amsgrad"), False),
        ("trainer.patience=null", ("trainer", "patience"), None),
        ("name=plain", ("name",), "plain"),
        ('name="quoted"', ("name",), "quoted"),
        ("vectors=a=b", ("vectors",), "a=b"),
        ("vectors=", ("vectors",), ""),
        ("seeds=[4,5]", ("seeds",), [4, 5]),
        ("seeds.1=9", ("seeds",), [0, 9]),
        ("importance.1.target=gold_loss", ("importance", 1, "target"), "gold_loss"),
        ("importance.1.target=gold_loss", ("importance", 1, "type"), "gradient"),
        ("importance.0=leave_one_out", ("importance", 0, "type"), "leave_one_out"),
        ("model.encoder.hidden=4", ("model", "encoder"), {"type": "average", "hidden": 4}),
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


def test_a_users_module_brings_measures_and_datasets(tmp_path: Path, plugin: str) -> None:
    experiment = {
        "imports": [plugin],
        "data": {"type": "digits", "count": 16},
        "importance": ["attention", {"type": "leftness", "step": 2.5}],
    }
    config = load(write(tmp_path, experiment))
    assert config.importance[1].title == "from_the_left(step=2.5)"
    assert config.resolved()["data"]["count"] == 16
    assert validate(config.resolved()) == config
    corpus = build_corpus(READERS.bind(config.data), DataFolder(tmp_path))
    assert corpus.facts["kept"] == {"train": 8, "dev": 4, "test": 4}
    assert corpus.classes == ["even", "odd"]


def test_options_of_a_users_components_are_checked_like_any(tmp_path: Path, plugin: str) -> None:
    experiment = {"imports": [plugin], "importance": [{"type": "from_the_left", "step": 0}]}
    message = file_problem(write(tmp_path, experiment))
    assert "importance[0].step: should be greater than 0" in message


def test_without_its_module_a_users_measure_is_unknown(tmp_path: Path) -> None:
    path = write(tmp_path, {"importance": ["from_the_left"]})
    assert "no measure 'from_the_left'" in file_problem(path)


@pytest.mark.usefixtures("passing_registrations")
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
        ("def broken(:", "invalid syntax"),
        ("raise ValueError('first\\nsecond')", "first"),
        ("raise ValueError", "ValueError"),
        (
            "from attex.importance.measure import MEASURES\nMEASURES.register('gradient')(print)",
            "there is already a measure 'gradient'",
        ),
    ],
)
def test_a_module_that_cannot_be_imported_is_said_in_one_line(
    tmp_path: Path, source: str, reason: str
) -> None:
    name = f"broken_of_{tmp_path.name}"
    write(tmp_path, source, f"{name}.py")
    path = write(tmp_path, {"imports": [name]})
    assert file_problem(path).startswith(f"{path}: imports: cannot import '{name}': {reason}")


def test_a_module_that_is_not_there_is_said(tmp_path: Path) -> None:
    message = file_problem(write(tmp_path, {"imports": ["not_there_at_all"]}))
    assert "cannot import 'not_there_at_all': No module named" in message


def test_every_kind_has_a_registry_whose_every_name_is_a_valid_choice() -> None:
    assert REGISTRIES["analysis"] is ANALYSES
    for kind, registry in REGISTRIES.items():
        assert registry.kind == kind
        for entry in registry:
            required = {n for n, field in entry.options.model_fields.items() if field.is_required()}
            given = {name: value for name, value in {"path": "x", "k": 5}.items() if name in required}
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
        jsonschema.validate(wrong, ExperimentConfig.model_json_schema())
