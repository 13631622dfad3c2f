"""One undisturbed run to compare with, and a cluster where one can be had."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import slurm_cluster
import small_runs


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a run that nothing has disturbed; not to be changed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    small_runs.finished(small_runs.write(folder), folder / "out")
    return folder / "out"


@pytest.fixture(scope="session")
def whole(undisturbed: Path) -> dict[str, bytes]:
    """The numbers of the undisturbed run."""
    (folder,) = small_runs.run_folders(undisturbed)
    return small_runs.tables(folder)


@pytest.fixture(scope="session")
def study_numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The numbers of a small study that nothing has disturbed."""
    folder = tmp_path_factory.mktemp("study")
    file = small_runs.write(folder, small_runs.STUDY)
    small_runs.finished(file, folder / "out", "--until", "findings")
    found = small_runs.numbers(folder / "out")
    assert len(found) == 4, "two files of two models each"
    return found


@pytest.fixture
def copied(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of the undisturbed run's cache in an output folder of its own."""
    output = tmp_path / "out"
    shutil.copytree(undisturbed / ".cache", output / ".cache")
    return output


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the commands of a running Slurm need in their environment."""
    with slurm_cluster.cluster(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture(params=["serial", "processes", "ray", "slurm"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each engine, where it is installed."""
    name: str = request.param
    if name == "ray":
        pytest.importorskip("ray", reason="needs ray: pip install 'attex[ray]'")
    if name == "slurm":
        for variable, value in request.getfixturevalue("slurm").items():
            monkeypatch.setenv(variable, value)
    return name
