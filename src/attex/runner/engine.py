"""What an engine is: tasks in, outcomes out, in an order that keeps to what they need."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

import attex
from attex.config.problems import problem_lines
from attex.foundations.errors import UserError
from attex.foundations.registry import Registry
from attex.runner.task import Outcome, Task
from attex.runner.threads import threads_for
from attex.runner.workspace import Workspace


class Engine(ABC):
    """Has tasks done; `jobs` is how many at the same time.

    Each task gets as many threads as cores are there for it, so that the last bits of a result
    depend on that number and not on the engine.
    """

    def __init__(self, jobs: int, workspace: Workspace) -> None:
        self.jobs = jobs
        self.workspace = workspace
        self.threads = threads_for(jobs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def get_ready(self, tasks: int) -> None:
        """Hear that there will be about so many tasks: what takes a moment to start can be started."""
        return

    def close(self) -> None:
        """End whatever is under way; called once, when no more outcomes are wanted."""
        return

    @abstractmethod
    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task, each as soon as it is known.

        A task is done after what it needs; one whose inputs could not be made is not tried.
        """


ENGINES: Registry[Engine] = Registry("engine", "attex.runner.engines", requires={}, elsewhere=False)
"""The facts of an engine: packages or commands that it `requires`, each with what brings it, and
whether tasks may be done `elsewhere`, on a machine with another device than this one has."""

Text = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
"""Words for another program, as an option; `time=30` is one, too."""


def python_path() -> str:
    """Return where a new process finds this very attex, and what this process was told to look at."""
    own = str(Path(attex.__file__).parent.parent)
    return os.pathsep.join([own, *filter(None, [os.environ.get("PYTHONPATH")])])


def workspace_for(
    name: str | None, data: str | Path | None, output: str | Path, device: str
) -> Workspace:
    """Return the workspace of tasks that an engine will do."""
    elsewhere = name is not None and name in ENGINES and bool(ENGINES[name].facts["elsewhere"])
    return Workspace.at(data, output, device, elsewhere=elsewhere)


def choose_engine(
    name: str | None, jobs: int, options: Mapping[str, Any], workspace: Workspace
) -> Engine:
    """Make an engine; without a name it is serial for one job, else processes."""
    name = name or ("serial" if jobs == 1 else "processes")
    try:
        spec = ENGINES.spec({"type": name} | dict(options))
    except PydanticCustomError as problem:
        lines = "; ".join(problem_lines(problem))
        raise UserError(f"--engine {name}: {lines}") from None
    engine: Engine = ENGINES.bind(spec, jobs, workspace)
    return engine
