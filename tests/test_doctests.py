"""The examples in docstrings give what they show, and every public name has one."""

import doctest
import importlib
import pkgutil
import tempfile
from functools import reduce
from importlib.util import find_spec
from pathlib import Path

import pytest
from test_house import PUBLIC

import attex

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(attex.__path__, "attex.")
    if not module.name.endswith("__main__")
    # Triton comes with torch where torch has a GPU.
    and (find_spec("triton") or not module.name.endswith("lstm_kernels"))
)


def examples(module: str) -> list[doctest.DocTest]:
    """Find the docstrings of a module that hold an example."""
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module))
    return [test for test in found if test.examples]


EXAMPLES = [test for module in MODULES for test in examples(module)]


@pytest.mark.parametrize("test", EXAMPLES, ids=lambda test: test.name)
def test_an_example_gives_what_it_shows(
    test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # An example begins with its imports: a reader has nothing else.
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(
        doctest.DocTest(test.examples, {}, test.name, test.filename, test.lineno, None), out=told.append
    )
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_an_example(name: str) -> None:
    target = reduce(getattr, name.split("."), attex)
    shown = {test.name for test in EXAMPLES}
    assert f"{target.__module__}.{target.__qualname__}" in shown, (
        f"the docstring of {name} has no example"
    )
