"""What an engine costs beyond the work itself: seconds a task, once it has started."""

import importlib.util
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from attex.config.loading import validate
from attex.foundations.progress import heard_by
from attex.runner.engine import choose_engine
from attex.runner.plan import Plan
from attex.runner.task import Task
from attex.runner.workspace import Workspace
from benchmarks.timing import Result

TASKS = 40
PROMISED = {"processes": 0.1, "ray": 0.5}


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Have the same small tasks done by each engine, one at a time, and compare with this process."""
    alone = _seconds_a_task("serial")
    for engine, promised in PROMISED.items():
        if engine == "ray" and importlib.util.find_spec("ray") is None:
            continue
        beyond = _seconds_a_task(engine) - alone
        promise = f"< {promised:g} s a task"
        yield Result(f"engine {engine}, beyond the task", beyond, None, promise, beyond < promised)


class _Nobody:
    """Hears nothing."""

    def says(self, line: str) -> None:
        """Let a line go."""

    def goes_on(self, worker: str, what: str, done: int, total: int) -> None:
        """Let news go."""


def _seconds_a_task(engine: str) -> float:
    """Return the time from the first outcome to the last, by task: the start is not counted."""
    with tempfile.TemporaryDirectory() as output, heard_by(_Nobody()):
        workspace = Workspace.at(output=output, device="cpu")
        small = {"type": "planted", "sizes": [8, 4, 4]}
        configs = [validate({"data": small | {"seed": number}}) for number in range(TASKS)]
        tasks = [Task("small", Plan(config, workspace).corpus, workspace) for config in configs]
        with choose_engine(engine, 1, {}, workspace) as chosen:
            times = [time.perf_counter() for outcome in chosen.run(tasks) if outcome.trouble is None]
    assert len(times) == TASKS
    return (times[-1] - times[0]) / (TASKS - 1)
