"""One stage to be made, in words that can be sent to another process or machine, and what came of it."""

import importlib
import sys
import traceback
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from attex.foundations.errors import MissingData, UserError
from attex.foundations.memory import release
from attex.runner.stage import Stage
from attex.runner.workspace import Workspace


@dataclass(frozen=True)
class Task:
    """A stage, where it is made, and the user's modules that it may need.

    It depends on other tasks by the keys of its inputs; it also comes `after` those whose keys these
    are, if they are made at all: what they leave is not made again here.
    """

    experiment: str
    stage: Stage
    workspace: Workspace
    imports: tuple[str, ...] = ()
    after: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The key of the stage."""
        return self.stage.key

    @property
    def needs(self) -> set[str]:
        """The keys of what must be made before."""
        return {needed.key for needed in self.stage.inputs.values()} | self.after

    def to_json(self) -> dict[str, Any]:
        """Say all of it in plain JSON."""
        return {
            "experiment": self.experiment,
            "stage": self.stage.to_json(),
            "workspace": self.workspace.to_json(),
            "imports": list(self.imports),
            # Where the modules are looked for: beside the experiment, where it was started, installed.
            "path": [str(Path(place).absolute()) for place in sys.path],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any], workspace: Workspace | None = None) -> "Task":
        """Read what `to_json` said, with a workspace at hand or the one that it names."""
        sys.path += [place for place in fields["path"] if place not in sys.path]
        return cls(
            fields["experiment"],
            Stage.from_json(fields["stage"]),
            workspace or Workspace.from_json(fields["workspace"]),
            tuple(fields["imports"]),
        )

    def perform(self) -> "Outcome":
        """Make the stage, unless it is in the cache, and say what came of it."""
        try:
            for name in self.imports:
                importlib.import_module(name)
            self.workspace.cache.obtain(self.stage, self.workspace)
        except torch.OutOfMemoryError as trouble:
            # Of many models that share a GPU one may be too large, and the others go on.
            short = f"the memory of {self.workspace.device} ran out; run it again with fewer --jobs"
            return Outcome(self.key, ShortOfMemory(f"{short} ({str(trouble).partition(' GPU')[0]})"))
        except Exception as trouble:
            return Outcome(self.key, trouble)
        finally:
            release(self.workspace.device)
        return Outcome(self.key)


class NotTried(UserError):
    """What a task needs could not be made."""


class ShortOfMemory(UserError):
    """A task, or one that it needs, ran out of memory: with more room it may go well."""


def _not_tried(trouble: BaseException) -> UserError:
    """Say that a task was not tried, and why the first one failed of all that it needs."""
    kind = ShortOfMemory if isinstance(trouble, ShortOfMemory) else NotTried
    return kind(f"not tried: {str(trouble).removeprefix('not tried: ')}")


@dataclass(frozen=True)
class Outcome:
    """What came of a task: nothing but its key if all went well."""

    key: str
    trouble: BaseException | None = None

    def to_json(self) -> dict[str, Any]:
        """Say it in plain JSON; trouble that is not the user's with the lines of code it came from."""
        trouble = self.trouble
        if trouble is None:
            return {"key": self.key}
        known = next((k for k, kind in _KNOWN.items() if isinstance(trouble, kind)), None)
        lines = [] if known else traceback.format_exception(trouble)
        name = type(trouble).__name__
        return {"key": self.key, "known": known, "name": name, "says": str(trouble), "lines": lines}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Outcome":
        """Read what `to_json` said."""
        if "says" not in fields:
            return cls(fields["key"])
        if fields["known"]:
            return cls(fields["key"], _KNOWN[fields["known"]](fields["says"]))
        trouble = WorkerError(f"{fields['name']}: {fields['says']}")
        trouble.add_note("".join(fields["lines"]))
        return cls(fields["key"], trouble)


class WorkerError(RuntimeError):
    """Something unexpected in another process; its lines of code stand in the note."""


_KNOWN: dict[str, type[UserError]] = {
    "not tried": NotTried,
    "short of memory": ShortOfMemory,
    "missing data": MissingData,
    "user": UserError,
}
"""Trouble that is told in one line, the narrowest first."""


class Schedule:
    """Which task is next: one whose inputs are made, or were there before, in the order given."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.key: task for task in tasks}
        self._place = {key: number for number, key in enumerate(self._tasks)}
        self._users: dict[str, list[Task]] = {key: [] for key in self._tasks}
        self._waits_for = {key: task.needs & set(self._tasks) for key, task in self._tasks.items()}
        for key, needed in self._waits_for.items():
            for one in needed:
                self._users[one].append(self._tasks[key])
        self._ready = {key: task for key, task in self._tasks.items() if not self._waits_for[key]}
        self._given_up: set[str] = set()

    def __bool__(self) -> bool:
        """Say whether a task can be taken now."""
        return bool(self._ready)

    def take(self, near: Container[str] = ()) -> Task:
        """Return the next task; one that needs what is `near`, if there is any, before all others."""
        chosen = min(
            self._ready.values(),
            key=lambda task: (not any(key in near for key in task.needs), self._place[task.key]),
        )
        return self._ready.pop(chosen.key)

    def done(self, outcome: Outcome) -> Iterator[Outcome]:
        """Note an outcome; yield it, and those of the tasks that can no longer be tried."""
        yield outcome
        for task in self._users[outcome.key]:
            if outcome.trouble is None:
                self._waits_for[task.key].discard(outcome.key)
                if not self._waits_for[task.key] and task.key not in self._given_up:
                    self._ready[task.key] = task
            elif task.key not in self._given_up:
                self._given_up.add(task.key)
                yield from self.done(Outcome(task.key, _not_tried(outcome.trouble)))
