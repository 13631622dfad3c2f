"""Modules of a user's own that an experiment file names."""

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
