"""Modules of a user's own that an experiment file names."""

import py_compile
import statistics
import sys
import zipfile
from pathlib import Path

import pytest
from experiment_files import file_problem, load, write

from attex.config.loading import validate
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS

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
        ("raise GeneratorExit", "GeneratorExit"),
        ("class Odd(BaseException): pass\nraise Odd('very')", "very"),
        ("raise ValueError('x' * 50_000)", "x" * 200 + "…"),
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


@pytest.mark.parametrize("code", ["0", "1", "'goodbye'", ""])
def test_a_module_that_ends_the_program_is_said(tmp_path: Path, code: str) -> None:
    name = f"ending_of_{tmp_path.name}"
    write(tmp_path, f"import sys\nsys.exit({code})", f"{name}.py")
    path = write(tmp_path, {"imports": [name]})
    said = f"{path}: imports: '{name}' ends the program when imported (sys.exit)"
    assert file_problem(path) == said


@pytest.mark.usefixtures("passing_registrations")
def test_an_interruption_is_not_taken_for_a_fault_of_the_module(tmp_path: Path) -> None:
    name = f"slow_of_{tmp_path.name}"
    write(tmp_path, "raise KeyboardInterrupt", f"{name}.py")
    with pytest.raises(KeyboardInterrupt):
        load(write(tmp_path, {"imports": [name]}))


@pytest.mark.usefixtures("passing_registrations")
@pytest.mark.parametrize("kind", ["built in", "C", "folder", "zip", "compiled"])
def test_a_module_without_a_source_file_is_refused(tmp_path: Path, kind: str) -> None:
    name = f"odd_of_{tmp_path.name}"
    if kind == "built in":
        name = "sys"
    elif kind == "C":
        name = "numpy._core._multiarray_umath"
    elif kind == "folder":
        (tmp_path / name).mkdir()
    elif kind == "zip":
        with zipfile.ZipFile(tmp_path / "modules.zip", "w") as archive:
            archive.writestr(f"{name}.py", "")
        sys.path.insert(0, str(tmp_path / "modules.zip"))
    else:
        source = write(tmp_path, "", "source.py")
        py_compile.compile(str(source), cfile=str(tmp_path / f"{name}.pyc"))
    path = write(tmp_path, {"imports": [name]})
    said = f"{path}: imports: '{name}' has no source file (.py) that results could be traced to"
    assert file_problem(path) == said


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "imports: '' is not the name of a module"),
        (".near", "imports: '.near' is not the name of a module"),
        ("a..b", "imports: 'a..b' is not the name of a module"),
        ("a\0b", r"imports: cannot import 'a\x00b': "),
        (3, "imports[0]: should be a valid string"),
        (None, "imports[0]: should be a valid string"),
        (["x"], "imports[0]: should be a valid string"),
        ({"x": 1}, "imports[0]: should be a valid string"),
    ],
)
def test_what_is_no_name_of_a_module_is_said(tmp_path: Path, name: object, problem: str) -> None:
    path = write(tmp_path, {"imports": [name]})
    assert file_problem(path).startswith(f"{path}: {problem}")


@pytest.mark.usefixtures("passing_registrations")
def test_a_module_that_failed_after_registering_can_be_mended_and_imported(tmp_path: Path) -> None:
    name = f"mended_of_{tmp_path.name}"
    path = write(tmp_path, {"imports": [name], "importance": ["attention", "from_the_left"]})
    write(tmp_path, PLUGIN + "\n1 / 0\n", f"{name}.py")
    assert "division by zero" in file_problem(path)
    # Of another length, or Python could take the compiled file of the same second for this one.
    write(tmp_path, PLUGIN, f"{name}.py")
    assert load(path).importance[1].type == "from_the_left"


def test_where_nothing_is_imported_no_folder_is_searched_for_modules(tmp_path: Path) -> None:
    before = list(sys.path)
    load(write(tmp_path, {}))
    assert sys.path == before


@pytest.mark.usefixtures("passing_registrations")
def test_a_module_that_another_of_its_name_hides_is_said(tmp_path: Path) -> None:
    name = f"twin_of_{tmp_path.name}"
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "", f"{name}.py")
        write(tmp_path / folder, {"imports": [name]})
    load(tmp_path / "first/file.json")
    first, path = tmp_path / f"first/{name}.py", tmp_path / "second/file.json"
    said = f"{path}: imports: '{name}' is the name of another module too, {first}: rename yours"
    assert file_problem(path) == said
    write(tmp_path, "", "statistics.py")
    hidden = write(tmp_path, {"imports": ["statistics"]})
    assert f"'statistics' is the name of another module too, {statistics.__file__}" in file_problem(
        hidden
    )
