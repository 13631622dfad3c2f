"""Worker processes that are forked from one which has read the libraries."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence

from attex.runner.engine import python_path
from attex.runner.post import show
from attex.runner.task import Outcome, Task
from attex.runner.workspace import Workspace


class Nursery:
    """Starts workers, which are ready a moment later, and hears how each ended."""

    def __init__(self, names: Sequence[str], workspace: Workspace, variables: dict[str, str]) -> None:
        pipes = [(os.pipe(), os.pipe()) for _ in names]
        theirs = [(tasks[0], answers[1]) for tasks, answers in pipes]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "attex.runner.worker",
                json.dumps(workspace.to_json()),
                *(f"{tasks}:{answers}" for tasks, answers in theirs),
            ],
            env=os.environ | variables | {"PYTHONPATH": python_path()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[end for pair in theirs for end in pair],
        )
        for end in (end for pair in theirs for end in pair):
            os.close(end)
        self._ended: list[queue.SimpleQueue[int]] = [queue.SimpleQueue() for _ in names]
        self.workers = [
            Worker(name, tasks[1], answers[0], ended)
            for name, (tasks, answers), ended in zip(names, pipes, self._ended, strict=True)
        ]
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """End all workers at once, whatever they do, and wait until they are gone."""
        for worker in self.workers:
            worker.close()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            place, code = json.loads(line)
            self._ended[place].put(code)
        # If the nursery itself was killed, nobody says how its workers ended.
        for ended in self._ended:
            ended.put(-9)


class Worker:
    """One process and the lines that go to and fro."""

    def __init__(self, name: str, tasks: int, answers: int, ended: "queue.SimpleQueue[int]") -> None:
        self._name = name
        self._tasks = os.fdopen(tasks, "w", encoding="utf-8")
        self._answers = os.fdopen(answers, encoding="utf-8")
        self._ended = ended

    def do(self, task: Task) -> Outcome | None:
        """Have a task done, passing on what is said; None if the process ended before it."""
        try:
            self._tasks.write(json.dumps(task.to_json()) + "\n")
            self._tasks.flush()
            for line in self._answers:
                if (outcome := show(line, self._name)) is not None:
                    return outcome
        except (OSError, ValueError):
            # The pipe was closed, by the process or, when all are sent home, here.
            return None
        return None

    def code(self) -> int:
        """Wait for the end of the process and return its exit code, negative for a signal."""
        return self._ended.get()

    def close(self) -> None:
        """End the process: it does not outlive its pipe."""
        with contextlib.suppress(OSError, ValueError):
            self._tasks.close()
