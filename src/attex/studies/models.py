"""All models of a study: what is to be made of them, and their numbers."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from attex.analyses.quantity import OVERALL
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import MissingData
from attex.foundations.progress import say, track
from attex.foundations.storage import digest, read_json, read_tensors
from attex.runner.kept import corpus_in
from attex.runner.masking import seeds_apart
from attex.runner.plan import Plan
from attex.runner.stage import Stage
from attex.runner.stages.numbers import DRAWS, NumbersStage
from attex.runner.task import Task
from attex.runner.workspace import Workspace
from attex.studies.universes import Cell


@dataclass(frozen=True)
class Numbers:
    """What one model came to: values by quantity and class, and draws [D] of those that have any."""

    values: Mapping[tuple[str, str], float]
    draws: Mapping[str, np.ndarray]


class Keys(NamedTuple):
    """The keys of models: of those that are there, and of all that are asked for."""

    there: tuple[str, ...]
    asked: tuple[str, ...]


class Models:
    """The models of a study's cells, each a stage that leaves numbers only.

    Planning reads the corpora and checks every experiment on them; nothing is trained.
    `wanted` are all cells of the study. `planned` has those whose data is there, with their stages, and
    `asked` says how many models that are, also when some of them are left out later.
    """

    def __init__(
        self, cells: Sequence[Cell], seeds: Sequence[int], workspace: Workspace, name: str = ""
    ) -> None:
        self.name = name
        self.seeds = tuple(seeds)
        self.wanted = tuple(cells)
        self.cells: list[Cell] = []
        self.stages: list[list[dict[int, Stage]]] = []
        self.offered: list[frozenset[str]] = []
        self.files: dict[str, str] = {}
        self.left_out: dict[str, str] = {}
        self._workspace = workspace
        self._tasks: dict[str, Task] = {}
        for cell in track(cells, "planning", len(cells), [len(cell.configs) for cell in cells]):
            try:
                self._add(cell)
            except MissingData as missing:
                if len(cells) == 1:
                    raise
                say(f"cell {', '.join(cell.about.values())} skipped: {missing}")
        if not self.cells:
            raise MissingData("no cell of this study has its data")
        self.planned = [*zip(self.cells, self.stages, strict=True)]
        self.asked = len(self.distinct())
        workspace.write_down_digests()

    def _add(self, cell: Cell) -> None:
        planned, offered = [], None
        for config in cell.configs:
            stages, names = self._planned(config)
            planned.append(stages)
            offered = names if offered is None else offered & names
        self.cells.append(cell)
        self.stages.append(planned)
        self.offered.append(offered or frozenset())

    def _planned(self, config: ExperimentConfig) -> tuple[dict[int, Stage], frozenset[str]]:
        """Plan an experiment seed by seed; return the stages, and the names of their quantities."""
        stages: dict[int, Stage] = {}
        offered = frozenset[str]()
        for one in seeds_apart(config):
            planned, offered = self._planned_together(one)
            stages |= planned
        return stages, offered

    def _planned_together(self, config: ExperimentConfig) -> tuple[dict[int, Stage], frozenset[str]]:
        """Plan an experiment whose seeds have the same texts."""
        workspace = self._workspace
        plan = Plan(config, workspace)
        self.files |= plan.files
        left_out = plan.check(corpus_in(workspace.cache.obtain(plan.whole, workspace)))
        if left_out:
            plan = Plan(config, workspace, left_out)
        for name, reason in left_out.items():
            if name not in self.left_out:
                say(f"analysis '{name}' is left out where it has nothing to say: {reason}")
                self.left_out[name] = reason
        stages = {seed: _numbers_stage(plan, seed) for seed in config.seeds}
        # Where others are trained against this very model, it is trained for them and taken from there.
        after = {one.key: frozenset({plan.seeds[seed].training.key}) for seed, one in stages.items()}
        known = {plan.whole.key}
        for stage in (needed for one in stages.values() for needed in one.and_before(known)):
            before = after.get(stage.key, frozenset())
            self._tasks[stage.key] = Task(config.name, stage, workspace, config.imports, before)
        return stages, plan.offers()

    def missing(self, elsewhere: Container[str] = (), named: bool = False) -> list[Task]:
        """Say how many models there are, and return what is to be made, in the order of the study.

        Models whose keys another machine has, `elsewhere`, are not made here. A model follows what it
        needs. Beside other studies this one is `named`.
        """
        cache = self._workspace.cache
        numbers = self.distinct()
        lacking = [key for key in numbers if not cache.has(self._tasks[key].stage)]
        missing = [key for key in lacking if key not in elsewhere]
        wanted = set(missing)
        for key in missing:
            needed = (one.key for one in self._tasks[key].stage.and_before(set()))
            wanted |= {one for one in needed if one in self._tasks}
        there, others = len(numbers) - len(lacking), len(lacking) - len(missing)
        start = f"{self.name}: " if named else ""
        to_make = f"{len(missing):,} to make"
        say(f"{start}{len(numbers):,} models: {there:,} are there{_made(others)}, {to_make}")
        return [task for key, task in self._tasks.items() if key in wanted and not cache.has(task.stage)]

    def leave_out_unfinished(self, keep_parts: bool = False) -> None:
        """Leave every cell out of which a model is missing, or only those that have none."""
        has, enough = self._workspace.cache.has, any if keep_parts else all
        there = [enough(has(one) for s in planned for one in s.values()) for planned in self.stages]
        self.cells = list(compress(self.cells, there))
        self.offered = list(compress(self.offered, there))
        self.stages = list(compress(self.stages, there))

    def tell(self, elsewhere: Container[str] = ()) -> None:
        """Say which models there are, here and `elsewhere`, and which are to be made."""
        for cell, planned in zip(self.cells, self.stages, strict=True):
            stages = [stage for of_seeds in planned for stage in of_seeds.values()]
            lacking = [stage.key for stage in stages if not self._workspace.cache.has(stage)]
            others = sum(key in elsewhere for key in lacking)
            print(
                f"{', '.join(cell.about.values())}: {len(planned):,} settings × {len(self.seeds)} seeds "
                f"({cell.design.kind}); {len(stages) - len(lacking):,} models are there"
                f"{_made(others)}, {len(lacking) - others:,} to make"
            )

    def read(self) -> Iterator[tuple[Cell, list[dict[int, Numbers | None]]]]:
        """Yield the cells with the numbers of each universe by seed; None where there is no model."""
        sizes = [float(len(planned)) for planned in self.stages]
        for cell, planned in track(
            zip(self.cells, self.stages, strict=True), "reading", len(sizes), sizes
        ):
            yield cell, [{seed: self._numbers(s) for seed, s in stages.items()} for stages in planned]

    def _numbers(self, stage: Stage) -> Numbers | None:
        cache = self._workspace.cache
        if not cache.has(stage):
            return None
        folder = cache.folder(stage)
        facts = read_json(folder / "numbers.json")
        offsets = read_tensors(folder / "draws.safetensors")[0]["offsets"].float().numpy()
        values = {(q, c): float("nan") if v is None else v for q, c, v in facts["quantities"]}
        draws = {
            name: values[name, OVERALL] + row for name, row in zip(facts["drawn"], offsets, strict=True)
        }
        return Numbers(values, draws)

    def distinct(self) -> dict[str, Stage]:
        """Return every model once, by its key: settings may share one, as one with nothing masked."""
        return {key: one for planned in self.stages for key, one in _once(planned).items()}

    def keys(self) -> dict[str, Keys]:
        """Return the keys of the models of every planned cell, by its name.

        A model that settings share is there once, and one that cells share in each of them.
        """
        has = self._workspace.cache.has
        every = {cell.name: _once(planned) for cell, planned in self.planned}
        return {
            name: Keys(tuple(key for key, stage in once.items() if has(stage)), tuple(once))
            for name, once in every.items()
        }

    def records(self) -> Iterable[dict[str, Any]]:
        """Say of every model that was made which key it has, and what it took."""
        cache = self._workspace.cache
        for key, stage in self.distinct().items():
            if cache.has(stage):
                yield {"title": stage.title, "key": key, "seconds": cache.record(stage).seconds}


def _made(others: int) -> str:
    return f", {others:,} elsewhere" if others else ""


def _once(planned: Sequence[Mapping[int, Stage]]) -> dict[str, Stage]:
    """Return every model of a cell once, by its key."""
    return {one.key: one for of_seeds in planned for one in of_seeds.values()}


def _numbers_stage(plan: Plan, seed: int) -> Stage:
    inputs = {"corpus": plan.corpus} | ({} if plan.vectors is None else {"vectors": plan.vectors})
    # Many models of a study may be trained against the same one: it is trained once, and stays.
    inputs |= {
        f"source {name}": source.at(seed).training for name, source in plan.every_source().items()
    }
    inputs |= plan.compared_with(seed) if any(m.compares for m in plan.methods.values()) else {}
    if plan.config.masked is not None and plan.config.masked.scored_again:
        inputs |= {"training": plan.seeds[seed].training}
    folder = plan.config.folder
    made_of = digest([stage.key for stage in plan.seeds[seed].every()])
    return NumbersStage.planned(
        f"{plan.config.name}, seed {seed}",
        {"made_of": made_of, "draws": DRAWS},
        inputs,
        unkeyed={
            "experiment": plan.config.resolved() | {"seeds": [seed]},
            "folder": None if folder is None else str(folder.absolute()),
            "left_out": plan.left_out,
        },
    )
