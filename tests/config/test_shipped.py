"""Experiments that come with attex are found by their names, and their library from anywhere."""

from pathlib import Path

import pytest
from experiment_files import file_problem, load, write

from attex.config import shipped
from attex.config.loading import load_experiments

FOLDER = Path(__file__).parents[2] / "experiments"


def test_every_experiment_of_the_checkout_has_a_name() -> None:
    assert {FOLDER / f"{name}.jsonnet" for name in shipped.names()} == set(FOLDER.rglob("*.jsonnet"))


@pytest.mark.parametrize("name", ["demo", "jain_wallace_2019/grid", "csv/adr"])
def test_a_name_is_as_good_as_the_path_of_its_file(name: str, tmp_path: Path) -> None:
    assert load_experiments(Path(name)) == load_experiments(FOLDER / f"{name}.jsonnet")


def test_a_file_that_is_there_comes_before_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").write_text("{ seeds: [17] }")
    assert load(Path("demo")).seeds == (17,)


@pytest.mark.parametrize("place", ["sst.libsonnet", "lib/sst.libsonnet"])
def test_the_library_is_imported_from_anywhere(place: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"(import '{place}') {{ seeds: [7] }}", "mine.jsonnet")
    assert (load(path).data.type, load(path).seeds) == ("sst", (7,))


def test_what_lies_beside_the_file_comes_before_the_library(tmp_path: Path) -> None:
    write(tmp_path, "{ data: 'imdb' }", "sst.libsonnet")
    path = write(tmp_path, "(import 'sst.libsonnet') { seeds: [7] }", "mine.jsonnet")
    assert load(path).data.type == "imdb"


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("dem0", "; did you mean 'demo'?"),
        ("experiments/demo.jsonnet", "; did you mean 'demo', which comes with attex?"),
        ("jain_wallace_2019/gird", "; did you mean 'jain_wallace_2019/grid'?"),
        ("nothing of the kind", ""),
        ("../experiments/demo", ""),
    ],
)
def test_a_name_that_is_none_is_said_with_the_nearest(
    path: str, near: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_problem(Path(path)) == f"{path}: no such file{near}"
