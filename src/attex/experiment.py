"""What a notebook imports: experiments, and the runs they leave behind."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.config.loading import load_experiments, validate
from attex.config.schema import ExperimentConfig
from attex.data.folder import DataFolder
from attex.foundations.devices import choose_device
from attex.foundations.errors import UserError
from attex.foundations.storage import read_json
from attex.runner.execution import execute

if TYPE_CHECKING:
    import polars as pl


class Run:
    """A finished run: its folder, read when asked."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not (self.path / "manifest.json").is_file():
            raise UserError(f"{self.path} is not a run folder: it has no manifest.json")

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved configuration."""
        return dict(read_json(self.path / "config.json"))

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Facts of the data, and every seed's scores and training history."""
        return dict(read_json(self.path / "metrics.json"))

    @cached_property
    def tables(self) -> "dict[str, pl.DataFrame]":
        """Every table by name; those of `correlation/` keep that prefix."""
        import polars as pl

        own = {path.stem: path for path in sorted(self.path.glob("tables/*.csv"))}
        own |= {f"correlation/{p.stem}": p for p in sorted(self.path.glob("correlation/*.csv"))}
        return {name: pl.read_csv(path, schema_overrides=_texts(path)) for name, path in own.items()}

    @cached_property
    def instances(self) -> "pl.DataFrame":
        """One row for each text and seed: its tokens and every score."""
        import polars as pl

        return pl.read_parquet(self.path / "instances.parquet")

    @property
    def report(self) -> Path:
        """The page to open."""
        return self.path / "report.html"

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


class Experiment:
    """One experiment; its steps can be taken one by one or all at once.

    `Experiment(**fields)` takes the keys of an experiment file. Each step computes only what is
    not yet in the cache of `output_dir`.
    """

    def __init__(self, **fields: Any) -> None:
        self.config: ExperimentConfig = validate(fields)

    @classmethod
    def from_file(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Experiment":
        """Read an experiment file; one that evaluates to an array is for `attex.run`."""
        config = load_experiments(Path(path), overrides)
        if isinstance(config, list):
            raise UserError(f"{path} is an array of experiments; attex.run takes those")
        return cls._of(config)

    @classmethod
    def _of(cls, config: ExperimentConfig) -> "Experiment":
        experiment = cls.__new__(cls)
        experiment.config = config
        return experiment

    def run(
        self,
        *,
        overrides: Sequence[str] = (),
        data_dir: str | Path | None = None,
        output_dir: str | Path = "outputs",
        device: str = "auto",
    ) -> Run:
        """Train, measure, analyse and write the run folder."""
        return Run(self._until("report", overrides, data_dir, output_dir, device))

    def train(self, **options: Any) -> "Experiment":
        """Train the model of every seed; options as for `run`."""
        self._until("training", **options)
        return self

    def evaluate(self, **options: Any) -> "Experiment":
        """Train where needed, and compute every importance measure; options as for `run`."""
        self._until("importance", **options)
        return self

    def generate_and_save_artifacts(self, **options: Any) -> Run:
        """Write tables, graphs and report; options as for `run`."""
        return self.run(**options)

    def _until(
        self,
        stage: str,
        overrides: Sequence[str] = (),
        data_dir: str | Path | None = None,
        output_dir: str | Path = "outputs",
        device: str = "auto",
    ) -> Any:
        config = self.config
        if overrides:
            config = validate(config.resolved(), overrides, config.name)
        folder = DataFolder.at(data_dir)
        return execute(config, folder, Path(output_dir), choose_device(device), stage)


def run(
    experiment: "str | Path | Mapping[str, Any] | Experiment",
    *,
    overrides: Sequence[str] = (),
    data_dir: str | Path | None = None,
    output_dir: str | Path = "outputs",
    device: str = "auto",
) -> "Run | list[Run]":
    """Run an experiment from a file, a dict or an `Experiment`; a list for a file with an array."""
    if isinstance(experiment, str | Path):
        configs = load_experiments(Path(experiment), overrides)
        if isinstance(configs, list):
            options: dict[str, Any] = {"data_dir": data_dir, "output_dir": output_dir}
            return [Experiment._of(config).run(**options, device=device) for config in configs]
        experiment, overrides = Experiment._of(configs), ()
    elif isinstance(experiment, Mapping):
        experiment = Experiment(**experiment)
    return experiment.run(overrides=overrides, data_dir=data_dir, output_dir=output_dir, device=device)


def load_run(path: str | Path) -> Run:
    """Open a finished run's folder."""
    return Run(path)


def _texts(path: Path) -> "dict[str, pl.DataType]":
    """Name the columns that are text even where all of their values look like numbers."""
    import polars as pl

    with path.open(encoding="utf-8") as file:
        columns = file.readline().rstrip("\n").split(",")
    return {name: pl.String() for name in ("seed", "class") if name in columns}
