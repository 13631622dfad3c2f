"""Tasks side by side, each in a process of its own on this machine."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from attex.foundations.errors import UserError
from attex.foundations.memory import shared_by
from attex.foundations.progress import TERMINAL, say
from attex.runner.engine import ENGINES, Engine
from attex.runner.engines.mps import shared_gpu
from attex.runner.engines.nursery import Nursery, Worker
from attex.runner.task import Outcome, Schedule, ShortOfMemory, Task
from attex.runner.threads import environment
from attex.runner.workspace import Workspace

_TRIES = 2
"""How often a task is tried whose process ends before it: memory may be short for a moment."""

_MORE_ROOM = 4
"""How many times as much memory of a GPU a task has when it is tried again, since it ran out."""


@ENGINES.register("processes")
class Processes(Engine):
    """Tasks side by side, in `jobs` processes on this machine.

    A process keeps the libraries, corpora and vectors it has read, and is given what follows from
    what it made last. All end with this one, however it ends. Several on one NVIDIA GPU share it
    through MPS, where that is installed, and its memory in equal parts.
    """

    def __init__(self, jobs: int, workspace: Workspace) -> None:
        super().__init__(jobs, workspace)
        self._stack = contextlib.ExitStack()
        self._variables: dict[str, str] = {}
        self._first: list[Worker] = []

    def get_ready(self, tasks: int) -> None:
        """Start the workers, which take a moment to read their libraries."""
        self._staff(tasks, self.jobs)

    def _staff(self, tasks: int, jobs: int) -> None:
        """Start so many workers, but no more than there are tasks."""
        if not self._first:
            device = self.workspace.device
            self._variables = environment(self.threads) | shared_by(jobs, device)
            self._variables |= self._stack.enter_context(shared_gpu(device, jobs))
        # Called again when all are counted: later experiments may lack more than the first.
        numbers = range(len(self._first) + 1, min(jobs, tasks) + 1)
        if numbers:
            self._first += self._started([f"worker {number}" for number in numbers])

    def close(self) -> None:
        """End the workers, whatever they do."""
        self._stack.close()
        self._first = []
        TERMINAL.close()

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Keep all processes busy; the caller may take its time with an outcome."""
        short = set()
        for outcome in self._round(tasks, self.jobs):
            if isinstance(outcome.trouble, ShortOfMemory) and self.jobs > 1:
                short.add(outcome.key)
            else:
                yield outcome
        if not short:
            return
        fewer = max(1, self.jobs // _MORE_ROOM)
        what = f"{len(short)} stages ran out of memory, or need one that did"
        say(f"{what}: they are tried again, {fewer} at a time")
        # Also before what comes next, which has all processes again.
        self.close()
        yield from self._round([task for task in tasks if task.key in short], fewer)
        self.close()

    def _round(self, tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
        """Try every task once, so many at a time."""
        if not tasks:
            return
        self._staff(len(tasks), jobs)
        crew = _Crew(tasks, lambda name: self._started([name])[0])
        self._stack.callback(crew.dismiss)
        for number, worker in enumerate(self._first[: len(tasks)], 1):
            crew.lead(worker, f"worker {number}")
        for _ in tasks:
            outcome = crew.outcomes.get()
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome

    def _started(self, names: Sequence[str]) -> list[Worker]:
        nursery = Nursery(names, self.workspace, self._variables)
        self._stack.callback(nursery.close)
        return nursery.workers


class _Crew:
    """Workers, each led by a thread that hands it one task after the other."""

    def __init__(self, tasks: Sequence[Task], start: Callable[[str], Worker]) -> None:
        self.outcomes: queue.SimpleQueue[Outcome | Exception] = queue.SimpleQueue()
        self._left = len(tasks)
        self._schedule = Schedule(tasks)
        self._changed = threading.Condition()
        self._start = start
        self._dismissed = False

    def lead(self, worker: Worker, name: str) -> None:
        """Give a worker tasks from now on, and another of its name in its place if it dies."""
        threading.Thread(target=self._guarded, args=(worker, name), daemon=True).start()

    def dismiss(self) -> None:
        """Give out no more tasks."""
        with self._changed:
            self._dismissed = True
            self._changed.notify_all()

    def _guarded(self, worker: Worker, name: str) -> None:
        try:
            self._lead(worker, name)
        except Exception as error:
            if not self._dismissed:
                self.outcomes.put(error)

    def _lead(self, worker: Worker, name: str) -> None:
        made: set[str] = set()
        while (task := self._next(made)) is not None:
            for tried in range(1, _TRIES + 1):
                outcome = worker.do(task)
                if outcome is not None or self._dismissed:
                    break
                why = f"{task.stage.title}: {_ended(worker.code())}"
                again = "; it is tried again" if tried < _TRIES else ""
                say(f"{task.stage.kind}: {why}{again}")
                worker = self._start(name)
            else:
                outcome = Outcome(task.key, UserError(why))
            if outcome is None:
                return
            made.add(task.key)
            with self._changed:
                for each in self._schedule.done(outcome):
                    self._left -= 1
                    self.outcomes.put(each)
                self._changed.notify_all()

    def _next(self, made: set[str]) -> Task | None:
        """Wait for a task that can be done; None when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._schedule or not self._left or self._dismissed)
            return self._schedule.take(made) if self._schedule and not self._dismissed else None


def _ended(code: int) -> str:
    return f"its process was ended by signal {-code}" if code < 0 else f"its process ended with {code}"
