"""What a notebook imports: experiments, and how to run them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, TypedDict, Unpack, overload

from attex.config.loading import load_experiments, validate
from attex.config.schema import ExperimentConfig
from attex.finished_run import Run
from attex.foundations.errors import UserError
from attex.foundations.progress import say
from attex.runner.closing import closing_line
from attex.runner.engine import choose_engine, workspace_for
from attex.runner.execution import execute
from attex.runner.plan import UNTIL
from attex.runner.recompute import Recompute
from attex.studies.study_file import StudyFile, find_study, is_study, read_study

if TYPE_CHECKING:
    from attex.finished_study import FinishedStudy

_STEPS = {"training": "trained", "importance": "trained and measured", "report": "reported"}
"""What an experiment is after each step that a notebook can take."""


Choice = str | Mapping[str, Any]
"""A component: its name, or a mapping with its name under `type` and its options beside it."""


class Options(TypedDict, total=False):
    """How an experiment is run: what every step and `attex.run` take, described there."""

    overrides: Sequence[str]
    data_dir: str | Path | None
    output_dir: str | Path
    device: str
    jobs: int
    engine: str | None
    engine_options: Mapping[str, Any] | None
    recompute: Sequence[str]


class Experiment:
    """One experiment; its steps can be taken one by one or all at once.

    The keys are those of an experiment file. Each step computes only what is not yet in the cache of
    `output_dir`.

    Args:
        name: the folder of its runs.
        imports: modules of your own that register further components.
        data: the dataset.
        vectors: a file of pretrained word vectors, in the data folder or anywhere; or a dict with its
            `path`, and `length` or `unknown`.
        model: what reads the texts.
        trainer: how it is trained.
        seeds: one model is trained for each.
        importance: the measures that give each token a score.
        analyses: what is asked of the trained models.

    Raises:
        UserError: if something is wrong with it; the message says where, and what was meant.

    Example:
        >>> from attex import Experiment
        >>> experiment = Experiment(data="planted", seeds=[0, 1])
        >>> experiment.config.seeds, experiment.config.model.attention.title
        ((0, 1), 'tanh')
    """

    def __init__(
        self,
        *,
        name: str = "experiment",
        imports: Sequence[str] = (),
        data: Choice = "planted",
        masked: Mapping[str, Any] | None = None,
        vectors: str | Mapping[str, Any] | None = None,
        model: Choice = "attention",
        trainer: Choice = "supervised",
        seeds: Sequence[int] = (0,),
        importance: Sequence[Choice] = ("attention", "gradient", "leave_one_out"),
        analyses: Sequence[Choice] = ("agreement",),
        **other: Never,
    ) -> None:
        fields = {
            "name": name,
            "imports": imports,
            "data": data,
            "masked": masked,
            "vectors": vectors,
            "model": model,
            "trainer": trainer,
            "seeds": seeds,
            "importance": importance,
            "analyses": analyses,
        }
        # A type checker refuses others; without one, the message names the nearest.
        self.config: ExperimentConfig = validate(fields | other)
        self._reached = "corpus"

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        overrides: Sequence[str] = (),
        external: Mapping[str, str] | None = None,
    ) -> "Experiment":
        """Read an experiment file; one that holds several is for `attex.run`."""
        configs = load_experiments(Path(path), overrides, external)
        if len(configs) != 1:
            raise UserError(f"{path} holds {len(configs)} experiments; attex.run takes those")
        return cls._of(configs[0])

    @classmethod
    def _of(cls, config: ExperimentConfig) -> "Experiment":
        experiment = cls.__new__(cls)
        experiment.config = config
        experiment._reached = "corpus"
        return experiment

    def run(self, **options: Unpack[Options]) -> Run:
        """Train, measure, analyse and write the run folder; options as for `attex.run`."""
        (path,) = self._until("report", **options)
        assert path is not None
        return Run(path)

    def train(self, **options: Unpack[Options]) -> "Experiment":
        """Train the model of every seed; options as for `attex.run`."""
        self._until("training", **options)
        return self

    def evaluate(self, **options: Unpack[Options]) -> "Experiment":
        """Train where needed, and compute every importance measure; options as for `attex.run`."""
        self._until("importance", **options)
        return self

    def generate_and_save_artifacts(self, **options: Unpack[Options]) -> Run:
        """Write tables, graphs and report; options as for `attex.run`."""
        return self.run(**options)

    def __repr__(self) -> str:
        config = self.config
        about = f"{config.name!r}, {config.data.title}, {config.model.title}"
        seeds = f"{len(config.seeds)} seed{'s' * (len(config.seeds) > 1)}"
        return f"Experiment({about}, {seeds}: {_STEPS.get(self._reached, 'nothing done yet')})"

    def _until(self, stage: str, overrides: Sequence[str] = (), **options: Any) -> list[Path | None]:
        config = self.config
        if overrides:
            config = validate(config.resolved(), overrides, config.name, folder=config.folder)
        paths = _execute([config], stage, **options)
        self._reached = max(self._reached, stage, key=UNTIL.index)
        return paths


class FileOptions(Options, total=False):
    """What `attex.run` takes beside: the variables of a file."""

    external: Mapping[str, str] | None


@overload
def run(experiment: Experiment, **options: Unpack[FileOptions]) -> Run: ...


@overload
def run(experiment: Mapping[str, Any], **options: Unpack[FileOptions]) -> "Run | FinishedStudy": ...


@overload
def run(experiment: str | Path, **options: Unpack[FileOptions]) -> "Run | list[Run] | FinishedStudy": ...


def run(
    experiment: "str | Path | Mapping[str, Any] | Experiment",
    *,
    overrides: Sequence[str] = (),
    external: Mapping[str, str] | None = None,
    data_dir: str | Path | None = None,
    output_dir: str | Path = "outputs",
    device: str = "auto",
    jobs: int = 1,
    engine: str | None = None,
    engine_options: Mapping[str, Any] | None = None,
    recompute: Sequence[str] = (),
) -> "Run | list[Run] | FinishedStudy":
    """Run an experiment or a study, from a file or a dict; a list for a file with several.

    Args:
        experiment: the path of a `.jsonnet` or `.json` file, its content, or an `Experiment`. What has a
            `study` key is a study: of that a `FinishedStudy` is returned.
        overrides: `KEY=VALUE` each, as `-o` of the command line; of a study they change the base.
        external: variables that a file finds with `std.extVar`, beside the environment's.
        data_dir: the folder of raw datasets; else the environment's `ATTEX_DATA`, else `data`.
        output_dir: where runs and their cache go.
        device: `auto`, `cpu`, `cuda` or `cuda:1`.
        jobs: how many stages are computed side by side.
        engine: who computes them (`serial`, `processes`, `ray`, `slurm`); without a name `serial`
            for one job, else `processes`.
        engine_options: options of the engine, as `{"partition": "gpu"}`.
        recompute: kinds of cached stages to make anew, as `importance` or `importance=gradient`; not
            of a study.

    Raises:
        UserError: if the experiment is wrong, before any training, or something it needs is not
            there; the message says what.

    Example:
        >>> import attex
        >>> attex.run({"data": "planted"}, overrides=["trainer.epoch=2"])
        Traceback (most recent call last):
            ...
        attex.foundations.errors.UserError: ... unknown key 'epoch'; did you mean 'epochs'?
    """
    options: dict[str, Any] = {
        "data_dir": data_dir,
        "output_dir": output_dir,
        "device": device,
        "jobs": jobs,
        "engine": engine,
        "engine_options": engine_options,
        "recompute": recompute,
    }
    study = _study_in(experiment, overrides, external)
    if study is not None:
        return _run_study(study, **options)
    if isinstance(experiment, str | Path):
        configs = load_experiments(Path(experiment), overrides, external)
        runs = [Run(path) for path in _execute(configs, "report", **options) if path is not None]
        return runs[0] if len(configs) == 1 else runs
    if isinstance(experiment, Mapping):
        experiment = Experiment._of(validate(experiment))
    return experiment.run(overrides=overrides, **options)


def load_run(path: str | Path) -> Run:
    """Open a finished run's folder.

    Raises:
        UserError: if it is none.

    Example:
        >>> import attex
        >>> attex.load_run("outputs")
        Traceback (most recent call last):
            ...
        attex.foundations.errors.UserError: outputs is not a run folder: it has no manifest.json
    """
    return Run(path)


def _study_in(
    given: "str | Path | Mapping[str, Any] | Experiment",
    overrides: Sequence[str],
    external: Mapping[str, str] | None,
) -> StudyFile | None:
    """Read a study from a file or its content; None if it is none."""
    if isinstance(given, str | Path):
        return find_study(Path(given), overrides, external)
    return read_study(given, overrides) if isinstance(given, Mapping) and is_study(given) else None


def _run_study(
    file: StudyFile,
    data_dir: str | Path | None,
    output_dir: str | Path,
    device: str,
    jobs: int,
    engine: str | None,
    engine_options: Mapping[str, Any] | None,
    recompute: Sequence[str],
) -> "FinishedStudy":
    from attex.finished_study import FinishedStudy
    from attex.studies.running import run_study

    if recompute:
        raise UserError("recompute is for experiments; a study's models are not made anew by it")
    workspace = workspace_for(engine, data_dir, output_dir, device)
    path, _ = run_study(file, workspace, choose_engine(engine, jobs, engine_options or {}, workspace))
    assert path is not None
    return FinishedStudy(path)


def _execute(
    configs: Sequence[ExperimentConfig],
    until: str,
    data_dir: str | Path | None = None,
    output_dir: str | Path = "outputs",
    device: str = "auto",
    jobs: int = 1,
    engine: str | None = None,
    engine_options: Mapping[str, Any] | None = None,
    recompute: Sequence[str] = (),
) -> list[Path | None]:
    """Run experiments, and raise what went wrong with the first that did not go well."""
    workspace = workspace_for(engine, data_dir, output_dir, device)
    chosen = choose_engine(engine, jobs, engine_options or {}, workspace)
    done = {}
    for one in execute(configs, workspace, chosen, until, Recompute.of(recompute)):
        done[id(one.config)] = one
        if one.path is not None:
            say(f"{one.config.name}: {closing_line(one.path)}")
    in_order = [done[id(config)] for config in configs]
    for one in in_order:
        if one.trouble is not None:
            raise one.trouble
    return [one.path for one in in_order]
