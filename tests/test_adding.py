"""The page for those who add a component is right: its code is added to a copy of the house and run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attex.analyses.analysis import Analysis
from attex.config.registries import REGISTRIES
from attex.models.encoder import Encoder
from attex.studies.conclusion import CONCLUSIONS
from attex.studies.study import STUDIES, Study

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FOUND_BY_THEMSELVES = (
    "tests/test_house.py tests/models/test_without_each.py tests/models/test_invariance.py"
    " tests/agreement/test_statistics.py tests/importance/test_influence.py"
)
"""Tests that look for components by themselves."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house with what the page adds."""
    copy = tmp_path_factory.mktemp("house")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for language, text in BLOCK.findall(PAGE):
        if language == "python":
            path, _, code = text.partition("\n")
            target = copy / path.removeprefix("# ")
            assert not target.exists(), f"{target.name} is there already"
            target.write_text(code, encoding="utf-8")
    return copy


def run(command: str, house: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(house / "src")}
    found = subprocess.run(
        command, shell=True, cwd=house, env=environment, capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, (command, found.stdout, found.stderr)
    return found.stdout


def test_what_the_page_adds_passes_the_tests_it_shows(house: Path) -> None:
    commands = [line for kind, text in BLOCK.findall(PAGE) if kind == "sh" for line in text.splitlines()]
    shown = {str(path.relative_to(house)) for path in house.rglob("tests/*/test_*.py")}
    shown -= {str(path.relative_to(ROOT)) for path in ROOT.rglob("tests/*/test_*.py")}
    words = [line.removeprefix("python -m pytest ").split() for line in commands]
    assert sorted(word for line in words for word in line) == sorted(shown)
    # In one process, which loads the libraries once.
    run(f"python -m pytest {' '.join(sorted(shown))}", house)


def test_what_the_page_adds_passes_the_tests_that_find_it(house: Path) -> None:
    # One model of the new parts, and not the new parts with everything there is.
    models = "running_mean-gated-softmax or running_mean and not test_invariance"
    others = "gated.py or rbo or blanking.py or hard.py or every_registered"
    run(f"python -m pytest -x {FOUND_BY_THEMSELVES} -k '{models} or {others}'", house)


def test_what_the_page_adds_is_in_the_style_of_the_house(house: Path) -> None:
    new = [
        text.partition("\n")[0].removeprefix("# ")
        for language, text in BLOCK.findall(PAGE)
        if language == "python"
    ]
    run(f"ruff check {' '.join(new)} && ruff format --check {' '.join(new)}", house)


@pytest.mark.parametrize("kind", [Encoder, Analysis, Study])
def test_the_page_names_all_that_a_component_can_say(kind: type) -> None:
    own = {name for name in {*vars(kind), *kind.__annotations__} if not name.startswith("_")}
    absent = sorted(name for name in own if f"`{name}`" not in PAGE and f"`{name}(" not in PAGE)
    assert not absent, f"docs/adding.md does not say what `{absent[0]}` of {kind.__name__} is"


def test_the_page_adds_nothing_that_is_there() -> None:
    registries = (*REGISTRIES.values(), STUDIES, CONCLUSIONS)
    registered = {entry.name for registry in registries for entry in registry}
    added = set(re.findall(r"\.register\(\"(\w+)\"", PAGE))
    assert len(added) == 7
    assert not added & registered
