"""One undisturbed run to compare with, and a cluster where one can be had."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import slurm_cluster
import small_runs

import attex
from attex.runner.engine import choose_engine
from attex.runner.workspace import Workspace
from attex.studies.running import run_study
from attex.studies.study_file import find_study


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a run that nothing has disturbed, in this process; not to be changed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    attex.run(small_runs.EXPERIMENT, output_dir=folder, device="cpu")
    return folder


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
    study, workspace = find_study(file), Workspace.at(output=folder / "out", device="cpu")
    assert study is not None
    run_study(study, workspace, choose_engine(None, 1, {}, workspace), until="findings")
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
