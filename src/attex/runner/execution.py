"""Lead experiments through their stages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attex.analyses.analysis import ANALYSED
from attex.config.schema import ExperimentConfig
from attex.foundations.progress import STAGES, say, track
from attex.runner.cache import ABSENT
from attex.runner.engine import Engine
from attex.runner.estimates import Estimates
from attex.runner.kept import corpus_in
from attex.runner.manifest import manifest
from attex.runner.plan import UNTIL, Plan
from attex.runner.recompute import Recompute
from attex.runner.stage import Stage
from attex.runner.task import NotTried, Outcome, Task
from attex.runner.workspace import Workspace


@dataclass(frozen=True)
class Done:
    """What came of an experiment: its run folder, if it went so far, or what was in the way."""

    config: ExperimentConfig
    path: Path | None = None
    trouble: BaseException | None = None


@dataclass
class _Underway:
    """An experiment in the making: its plan, and the keys of the tasks that it still waits for."""

    config: ExperimentConfig
    plan: Plan | None = None
    waits_for: set[str] = field(default_factory=set)
    written_before: dict[str, int | None] = field(default_factory=dict)
    trouble: BaseException | None = None


def execute(
    configs: Sequence[ExperimentConfig],
    workspace: Workspace,
    engine: Engine,
    until: str = "report",
    recompute: Recompute | None = None,
) -> Iterator[Done]:
    """Run experiments; what is in the cache is not computed again.

    All are planned and checked on their corpora before the first is trained. The engine then makes
    what is missing, of all of them, and each is laid out as soon as its last piece is there. What goes
    wrong with one does not stop the others.
    """
    workspace.cache.sweep()
    experiments: list[_Underway] = []
    tasks: dict[str, Task] = {}
    with engine:
        for config in configs:
            left = len(configs) - len(experiments)
            experiments.append(_planned(config, workspace, until, recompute, engine, left))
            tasks |= {task.key: task for task in _tasks(experiments[-1], workspace, until)}
        workspace.write_down_digests()
        estimates = Estimates(engine)
        for experiment in experiments:
            if experiment.plan is not None:
                own = [tasks[key] for key in experiment.waits_for]
                estimates.tell(experiment.plan, own, ANALYSED)
        yield from _finished(experiments, workspace, until)
        for outcome in track(engine.run([*tasks.values()]), STAGES, len(tasks)):
            for experiment in experiments:
                _note(experiment, outcome)
            yield from _finished(experiments, workspace, until)


def outline(config: ExperimentConfig, workspace: Workspace) -> str:
    """List the stages of an experiment and which of them are in the cache."""
    lines = []
    for stage in Plan(config, workspace).stages():
        fault = workspace.cache.fault(stage)
        state = "cached " if fault is None else "to do  " if fault == ABSENT else "damaged"
        lines.append(f"{state} {stage.kind:12} {stage.title}")
    return "\n".join(lines)


def _checked(plan: Plan, workspace: Workspace) -> Plan:
    """Make the corpus, check the experiment on it, and leave out what cannot be said of it."""
    config = plan.config
    corpus = corpus_in(workspace.cache.obtain(plan.whole, workspace))
    lacking = plan.check(corpus)
    for name, reason in lacking.items():
        say(f"{config.name}: analysis '{name}' is left out: {reason}")
    return Plan(config, workspace, lacking) if lacking else plan


def _planned(
    config: ExperimentConfig,
    workspace: Workspace,
    until: str,
    recompute: Recompute | None,
    engine: Engine,
    experiments_left: int,
) -> _Underway:
    experiment = _Underway(config)
    try:
        plan = Plan(config, workspace)
        # The corpus itself is read here.
        stages = [s for s in plan.stages(_last_task(until)) if s.key != plan.whole.key]
        missing = sum(recompute is not None or not workspace.cache.has(stage) for stage in stages)
        if missing:
            # Workers read their libraries while the corpus is read here.
            engine.get_ready(missing * experiments_left)
        plan = _checked(plan, workspace)
        if recompute is not None:
            recompute.discard(plan.stages(until), workspace.cache)
        else:
            _tell_changed_code(plan.stages(until), workspace)
        experiment.plan = plan
        cache = workspace.cache
        experiment.written_before = {stage.key: cache.written(stage) for stage in plan.stages(until)}
    except Exception as trouble:
        experiment.trouble = trouble
    return experiment


def _tasks(experiment: _Underway, workspace: Workspace, until: str) -> Iterable[Task]:
    """Return tasks for the stages that are missing, and for those that depend on one.

    The latter may turn out to be good still: what they were made of may come out the same.
    """
    if experiment.plan is None:
        return
    for stage in experiment.plan.stages(_last_task(until)):
        needed = {one.key for one in stage.inputs.values()}
        if needed & experiment.waits_for or not workspace.cache.has(stage):
            experiment.waits_for.add(stage.key)
            imports = experiment.config.imports
            yield Task(experiment.config.name, stage, workspace, imports)


def _last_task(until: str) -> str:
    """Say how far the engine goes: what comes after findings is laid out in this process."""
    return UNTIL[min(UNTIL.index(until), UNTIL.index("findings"))]


def _note(experiment: _Underway, outcome: Outcome) -> None:
    if outcome.key in experiment.waits_for:
        experiment.waits_for.discard(outcome.key)
        first = experiment.trouble is None or isinstance(experiment.trouble, NotTried)
        if outcome.trouble is not None and first:
            experiment.trouble = outcome.trouble


def _finished(experiments: list[_Underway], workspace: Workspace, until: str) -> Iterator[Done]:
    """Lay out the experiments that wait for nothing any more, and drop them from the list."""
    for experiment in [one for one in experiments if not one.waits_for]:
        experiments.remove(experiment)
        path, trouble = None, experiment.trouble
        if trouble is None:
            assert experiment.plan is not None
            try:
                path = _laid_out(experiment.plan, workspace, until, experiment.written_before)
            except Exception as error:
                trouble = error
        yield Done(experiment.config, path, trouble)


def _laid_out(
    plan: Plan, workspace: Workspace, until: str, written_before: Mapping[str, int | None]
) -> Path | None:
    for stage in plan.stages(until):
        workspace.cache.obtain(stage, workspace)
    if until != "report":
        return None
    # Only the last step draws and lays out: the stages before it run on a bare machine too.
    from attex.runner.run_folder import write_run_folder

    say(f"report: {plan.config.name}")
    return write_run_folder(plan, workspace, manifest(plan, workspace, written_before))


def _tell_changed_code(stages: Sequence[Stage], workspace: Workspace) -> None:
    """Say in one line a module which cached results were made with other code than there is now."""
    changed: dict[tuple[str, str], int] = {}
    for stage in stages:
        if workspace.cache.fault(stage) is None:
            for module in workspace.cache.changed_code(stage):
                changed[stage.kind, module] = changed.get((stage.kind, module), 0) + 1
    for (kind, module), count in changed.items():
        say(
            f"{kind}: {module} has changed since {count} cached result{'s' * (count > 1)} of this "
            f"experiment came about; --recompute {kind} makes them anew"
        )
