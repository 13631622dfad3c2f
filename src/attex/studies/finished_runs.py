"""What run folders hold of their models' numbers, read and checked so that they can be paired."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from attex.analyses.quantity import OVERALL
from attex.foundations.csv_cells import original
from attex.foundations.errors import UserError, brief
from attex.foundations.storage import read_json
from attex.runner.quantities import BELOW, SUMS
from attex.studies.compare import Key, RunNumbers, numbers_on

_NUMBERS, _INSTANCES = "tables/numbers.csv", "instances.parquet"


@dataclass(frozen=True)
class FinishedRun:
    """A run folder: how it came about, and the numbers of its S seeds and N texts.

    `values` [S] has every number by quantity and class, `sums` the numerators and denominators [S,N] of
    those that are ratios of sums over texts. `labels` are by the names of the texts.
    """

    path: Path
    name: str
    config: Mapping[str, Any]
    manifest: Mapping[str, Any]
    seeds: tuple[int, ...]
    texts: tuple[str, ...]
    labels: Mapping[str, str]
    values: Mapping[Key, np.ndarray]
    sums: Mapping[Key, tuple[np.ndarray, np.ndarray]]

    def on(self, kept: Sequence[str]) -> RunNumbers:
        """Work the numbers out on some of the texts.

        Those that are no ratio of sums are known over all texts only: they are there if all are kept.
        """
        numbers = numbers_on(self.name, self.seeds, self.texts, self.sums, kept)
        if set(kept) != set(self.texts):
            return numbers
        others = {key: values for key, values in self.values.items() if key not in self.sums}
        return replace(numbers, values=dict(numbers.values) | others)


def read_runs(paths: Sequence[Path]) -> list[FinishedRun]:
    """Read run folders that are about the same data, and give each a name of its own.

    Raises:
        UserError: if there are not two, one stands here twice, one is no run folder or lacks what is
            compared, or they are about different data.
    """
    if len(paths) < 2:
        raise UserError("one run cannot be compared: name two or more")
    twice = next((path for path, count in Counter(map(Path.resolve, paths)).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{_shown(paths, twice)} stands here twice: name two different runs")
    runs = _named([read_run(path) for path in paths])
    for run in runs[1:]:
        _check_data(runs[0], run)
    return runs


def read_run(path: Path) -> FinishedRun:
    """Read a run folder, named by its experiment."""
    import polars as pl

    if not (path / "manifest.json").is_file():
        raise UserError(f"{path} is not a run folder: it has no manifest.json")
    try:
        manifest, config = read_json(path / "manifest.json"), read_json(path / "config.json")
        if "experiment" not in manifest:
            raise UserError(f"{path} is the folder of a study, not of a run: only runs can be compared")
        for name in (SUMS, _NUMBERS):
            if not (path / name).is_file():
                raise UserError(
                    f"{path} has no {name}: an earlier version of attex made it; run it again"
                )
        seeds, texts, sums = _sums(path / SUMS)
        labels = _labels(path / _INSTANCES, seeds[0])
        values = _values(path / _NUMBERS, seeds)
    except (OSError, ValueError, LookupError, TypeError, pl.exceptions.PolarsError) as trouble:
        raise UserError(f"{path} cannot be read: {brief(trouble)}") from None
    name = str(manifest["experiment"])
    return FinishedRun(path, name, config, manifest, seeds, texts, labels, values, sums)


def _sums(
    path: Path,
) -> tuple[tuple[int, ...], tuple[str, ...], dict[Key, tuple[np.ndarray, np.ndarray]]]:
    """Read seeds, texts, and the sums of every quantity over all classes."""
    import polars as pl

    table = pl.read_parquet(path)
    seeds = tuple(table["seed"].unique(maintain_order=True).to_list())
    of_seeds = [table.filter(table["seed"] == seed) for seed in seeds]
    texts = tuple(of_seeds[0]["name"].to_list())
    names = [name for name in table.columns if name + BELOW in table.columns]

    def column(name: str) -> np.ndarray:
        return np.stack([part[name].to_numpy().astype(float) for part in of_seeds])

    return seeds, texts, {(name, OVERALL): (column(name), column(name + BELOW)) for name in names}


def _values(path: Path, seeds: tuple[int, ...]) -> dict[Key, np.ndarray]:
    """Read every number of every seed; NaN where a model has none."""
    import polars as pl

    read = pl.read_csv(path, schema_overrides={"class": pl.String, "value": pl.Float64})
    table = original(read)
    found: dict[Key, np.ndarray] = {}
    for seed, quantity, class_, value in table.select("seed", "quantity", "class", "value").iter_rows():
        values = found.setdefault((quantity, class_), np.full(len(seeds), np.nan))
        values[seeds.index(seed)] = np.nan if value is None else value
    return found


def _labels(path: Path, seed: int) -> dict[str, str]:
    import polars as pl

    table = pl.read_parquet(path, columns=["name", "seed", "label"])
    table = table.filter(table["seed"] == seed)
    return dict(zip(table["name"], table["label"], strict=True))


def _named(runs: list[FinishedRun]) -> list[FinishedRun]:
    """Call runs by their experiments; where these are the same, by their folders too."""
    for spelled in (
        lambda run: run.name,
        lambda run: f"{run.name}/{run.path.resolve().name}",
        lambda run: str(run.path),
    ):
        names = [spelled(run) for run in runs]
        if len(set(names)) == len(names):
            break
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def _shown(paths: Sequence[Path], resolved: Path) -> Path:
    return next(path for path in paths if path.resolve() == resolved)


def _check_data(base: FinishedRun, run: FinishedRun) -> None:
    """Refuse other data: another dataset, or texts of the same name that are others."""
    ours, theirs = base.config["data"]["type"], run.config["data"]["type"]
    if ours != theirs:
        raise UserError(
            f"run '{brief(run.name)}' is about {brief(theirs)} and '{brief(base.name)}' about "
            f"{brief(ours)}: only runs on the same dataset can be compared"
        )
    other = [text for text, label in run.labels.items() if base.labels.get(text, label) != label]
    if other:
        raise UserError(
            f"text '{brief(other[0], 60)}' has another label in run '{brief(run.name)}' than in "
            f"'{brief(base.name)}' ({len(other):,} such texts): the runs are about different texts"
        )
