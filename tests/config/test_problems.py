"""Experiment files that are wrong: what is said, and where."""

import os
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
from experiment_files import file_problem, load, problem, write

from attex.config.loading import validate


def nested(depth: int) -> dict[str, object]:
    """An object in an object in an object."""
    found: dict[str, object] = {}
    for _ in range(depth):
        found = {"a": found}
    return found


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
        ("importance.3=1", "-o importance.3=1: '3' is not one of the 3 places here"),
        ("importence.0=1", "file.json: unknown key 'importence'; did you mean 'importance'?"),
        ("analyses.0.draw=9", "file.json: analyses[0]: unknown key 'draw'; did you mean 'draws'?"),
        ("vectors.x.y=1", "-o vectors.x.y=1: 'x' cannot be set inside null"),
        ("trainer.epoch=2", "file.json: trainer: unknown key 'epoch'; did you mean 'epochs'?"),
        ("trainr.epochs=2", "file.json: unknown key 'trainr'; did you mean 'trainer'?"),
        (f"seeds.0={'9' * 5_000}", f"-o seeds.0={'9' * 192}…: an integer of 5,000 digits"),
        (f"seeds={'[' * 99_999}", f"-o seeds={'[' * 194}…: nested too deeply"),
        (f"seeds={'[' * 50 + ']' * 50}", "file.json: seeds[0][0]…: nested more than 40 deep"),
        ("a" + ".a" * 99_999 + "=1", "file.json: a.a.a…: nested more than 40 deep"),
        (
            f"seeds.{'9' * 5_000}=1",
            f"-o seeds.{'9' * 194}…: '{'9' * 60}…' is not one of the 2 places here",
        ),
        ("\ud800=1", r"file.json: the key '\ud800' holds half a character"),
        ("name=\ud800", r"file.json: name: '\ud800' holds half a character (a lone surrogate)"),
        (r'name="\ud800"', r"file.json: name: '\ud800' holds half a character (a lone surrogate)"),
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
        ({"model": 3}, "model: expected the name of a model or an object with its 'type', not 3"),
        ({"model": {"encoder": {"hidden": "wide"}}}, "model.encoder.hidden: should be a valid integer"),
        ({"seeds": 3}, "seeds: should be an array"),
        ({"seeds": []}, "seeds: should have at least 1 item"),
        ({"seeds": [1, -1]}, "seeds[1]: should be greater than or equal to 0"),
        ({"seeds": ["x"]}, "seeds[0]: should be a valid integer"),
        ({"seeds": [1, 2, 1]}, "seeds: '1' stands here twice"),
        ({"importance": ["gradient", "gradient"]}, "importance: 'gradient' stands here twice"),
        ({"analyses": ["truth", "truth"]}, "analyses: 'truth' stands here twice"),
        ({"vectors": 5}, "vectors: should be a file's name, or an object with its path"),
        ({"vectors": {"length": 5}}, "vectors.path: is required"),
        (
            {"vectors": {"path": "v", "lenght": 5}},
            "vectors: unknown key 'lenght'; did you mean 'length'?",
        ),
        ({"vectors": {"path": "v", "length": 0}}, "vectors.length: should be greater than 0"),
        ({"name": "a/b"}, "name: should match pattern "),
        ({"name": "../up"}, "name: should match pattern "),
        ({"imports": "alone"}, "imports: should be an array"),
        ({"name": "n" * 121}, "name: should have at most 120 characters"),
        ({"name": "字" * 67}, "name: should have at most 200 bytes in UTF-8, to be a folder's name"),
        ({"name": "😀" * 9}, "name: should match pattern "),
        ({"x" * 9_999: 1}, "unknown key 'xxx"),
        ({"data": "x" * 9_999}, "data: no dataset 'xxx"),
        ({"seeds": [1, 2, 10**5_000]}, "seeds[2]: an integer of 16,610 bits is too large"),
        ({"trainer": 10**5_000}, "trainer: an integer of 16,610 bits is too large"),
        ({1: 2}, "a key must be a text, not int"),
        ({"model": {None: 2}}, "model: a key must be a text, not NoneType"),
        ({"model": {("a", "b"): 2}}, "model: a key must be a text, not tuple"),
        ({"seeds": {1, 2}}, "seeds: expected text, numbers, arrays or objects, not set"),
        ({"vectors": Path("v")}, "vectors: expected text, numbers, arrays or objects, not PosixPath"),
        ({"vectors": b"v"}, "vectors: expected text, numbers, arrays or objects, not bytes"),
        ({"\ud800": 1}, r"the key '\ud800' holds half a character"),
        ({"model": {"\udfff": 1}}, r"model: the key '\udfff' holds half a character"),
        ({"name": "a\ud800"}, r"name: 'a\ud800' holds half a character (a lone surrogate)"),
        ({"vectors": "a\ud800"}, r"vectors: 'a\ud800' holds half a character"),
        ({"data": {"type": "csv", "path": "\ud800"}}, r"data.path: '\ud800' holds half a character"),
        (
            {"data": {"type": "csv", "path": "x", "labels": ["a", "\ud800"]}},
            r"data.labels[1]: '\ud800' holds half a character",
        ),
        ({"imports": ["\ud800"]}, r"imports[0]: '\ud800' holds half a character"),
        ({"model": nested(900)}, "model.a.a…: nested more than 40 deep"),
        ({"seeds": nested(41)}, "seeds.a.a…: nested more than 40 deep"),
        (nested(100_000), "a.a.a…: nested more than 40 deep"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_path(given: object, message: str) -> None:
    found = problem(given)
    assert found.startswith(f"file.json: {message}")
    assert "\n" not in found
    assert len(found) < 1_000
    found.encode()


def test_a_name_may_have_120_letters_or_fewer_wide_ones() -> None:
    for name in ("n" * 120, "字" * 66, "a.b.", "x=1+y-2"):
        assert validate({"name": name}).name == name


def test_data_that_holds_itself_is_said() -> None:
    endless: dict[str, object] = {}
    endless["model"] = endless
    assert problem(endless) == "file.json: model.model.model…: nested more than 40 deep"


def test_tuples_and_other_mappings_are_taken_from_python() -> None:
    given = MappingProxyType({"seeds": (3, 4), "trainer": MappingProxyType({"epochs": 2})})
    config = validate(given)
    assert (config.seeds, config.trainer.options()["epochs"]) == ((3, 4), 2)


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


def test_an_array_without_experiments_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, [])
    assert file_problem(path) == f"{path}: the array has no experiment in it"


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
        ("[" * 100_000, ":1:501", "Exceeded maximum parse depth limit"),
        ("local o = { model: o }; o", ":1:20", "max stack frames exceeded"),
        ("{ model: " + "[" * 400 + "]" * 400 + "}", ": model[0][0]…", "nested more than 40 deep"),
        ("{ seeds: [" + "9" * 5_000 + "]}", ":1:11", "overflow"),
        (r"{ name: '\ud800' }", ":1:9", "Unicode escape"),
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
    ("text", "where"),
    [
        ('{\n  "seeds": [0,]\n}', ":2:15"),
        ("{\n  seeds: 1\n}", ":2:3"),
        ("", ":1:1"),
        ('{"seeds": [%s]}' % ("9" * 5_000), ": an integer of 5,000 digits"),
        ("[" * 100_000, ": nested too deeply"),
        ('{"a":' * 900 + "1" + "}" * 900, ": a.a.a…: nested more than 40 deep"),
        (r'{"name": "\ud800"}', r": name: '\ud800' holds half a character (a lone surrogate)"),
        (r'{"\ud800": 1}', r": the key '\ud800' holds half a character"),
    ],
)
def test_an_error_of_json_is_said_with_file_line_and_column(
    tmp_path: Path, text: str, where: str
) -> None:
    path = write(tmp_path, text)
    assert file_problem(path).startswith(f"{path}{where}")


def test_a_file_that_is_not_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'{"name": "\xff"}')
    assert file_problem(path) == f"{path}: not UTF-8 text (invalid start byte)"


def test_a_byte_order_mark_before_json_is_no_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b'\xef\xbb\xbf{"name": "marked"}')
    assert load(path).name == "marked"


@pytest.mark.parametrize("suffix", ["json", "jsonnet"])
def test_a_file_whose_name_is_no_text_is_said(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(b"\xff." + suffix.encode())
    path.write_text("{}")
    assert "name" in file_problem(path)


def test_jsonnet_without_its_package_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_jsonnet", None)
    path = write(tmp_path, "{}", "file.jsonnet")
    said = f"{path}: Jsonnet needs the package `jsonnet`; a .json file goes without"
    assert file_problem(path) == said


def test_of_very_many_wrong_values_the_first_are_said() -> None:
    lines = problem({"seeds": ["x"] * 20_001}).splitlines()
    assert len(lines) == 11
    assert lines[9].startswith("file.json: seeds[9]: ")
    assert lines[10] == "file.json: … and 19,991 more like these"


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("seeds", [*range(100_000), 7]),
        ("importance", ["gradient"] * 20_001),
        ("analyses", ["truth"] * 20_001),
    ],
)
def test_what_stands_twice_is_found_in_one_pass(key: str, values: list[object]) -> None:
    # Comparing each with each, the first of these would take a quarter of an hour.
    assert problem({key: values}).endswith(f"'{values[-1]}' stands here twice")
