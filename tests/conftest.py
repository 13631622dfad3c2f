"""Fixtures that tests of several rooms share."""

import os
import sys
from pathlib import Path

# One thread for each process: the models here are tiny, and threads that wait for a busy core spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from attex.config.registries import REGISTRIES
from attex.data.folder import DataFolder

settings.register_profile("attex", deadline=None)
settings.load_profile("attex")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="all of what is else tested by a sample")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest: at the end no process waits for another's last long test."""
    if not config.getoption("--all"):
        items[:] = [item for item in items if item.get_closest_marker("only_with_all") is None]
    items.sort(key=lambda item: item.path.parent.name != "runner" and item.path.suffix == ".py")


@pytest.fixture(scope="session")
def everything(pytestconfig: pytest.Config) -> bool:
    """Whether to test all of what takes long, instead of a sample."""
    return bool(pytestconfig.getoption("--all"))


@pytest.fixture(scope="session")
def real_data() -> DataFolder:
    """The folder of real datasets, which are not ours to commit."""
    root = os.environ.get("ATTEX_DATA")
    if not root:
        pytest.skip("needs real data: set ATTEX_DATA to the folder of raw datasets")
    return DataFolder(Path(root))


@pytest.fixture
def passing_registrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget after the test what it registered, and where it looked for modules."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for registry in REGISTRIES.values():
        list(registry)
        for table in ("_entries", "_names"):
            monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
