"""Processes that do tasks for a driver.

`python -m attex.runner.worker WORKSPACE IN:OUT…` reads the libraries once and then forks one worker for
each pair of pipes. Tasks come to a worker as lines of JSON; what the work says, how far it is and what
came of it go back as such. A worker ends, whatever it is doing, when its pipe does: so it never outlives
its driver, however that ends.
"""

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from typing import Any, TextIO

from attex.foundations.progress import heard_by

_TELL_SECONDS = 0.2
"""How often to tell how far the work is."""


class Reporter:
    """Passes on what the work says and how far it is, as lines of JSON."""

    def __init__(self, channel: TextIO) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._told: dict[str, float] = {}

    def tell(self, **message: Any) -> None:
        """Write one message."""
        with self._lock:
            self._channel.write(json.dumps(message) + "\n")
            self._channel.flush()

    def says(self, line: str) -> None:
        """Pass a line on."""
        self.tell(says=line)

    def goes_on(self, worker: str, what: str, share: float) -> None:
        """Pass on how far the work is: at its begin and end, and now and then."""
        now = time.monotonic()
        if 0.0 < share < 1.0 and now - self._told.get(what, 0.0) < _TELL_SECONDS:
            return
        self._told[what] = now
        if share >= 1.0:
            del self._told[what]
        self.tell(goes_on=[what, share])


def main() -> None:
    """Fork the workers, and tell how each ended."""
    # An interruption is the driver's to handle; the end of the pipes then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    workspace = json.loads(sys.argv[1])
    pipes = [tuple(map(int, word.split(":"))) for word in sys.argv[2:]]
    # Read before the fork: no worker has to, and none has a GPU's context that a fork would break.
    import attex.runner.stages
    import attex.runner.task  # noqa: F401

    workers = {}
    for place, (tasks, answers) in enumerate(pipes):
        child = os.fork()
        if child == 0:
            for other in {end for pair in pipes for end in pair} - {tasks, answers}:
                os.close(other)
            _work(workspace, tasks, answers)
        workers[child] = place
    for end in (end for pair in pipes for end in pair):
        os.close(end)
    while workers:
        child, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([workers.pop(child), code]), flush=True)


def _work(workspace_fields: dict[str, Any], source: int, sink: int) -> None:
    """Do tasks until there are no more; never returns."""
    # Whatever prints goes where errors go, and not between the messages.
    os.dup2(2, 1)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(source, lines), daemon=True).start()
    reporter = Reporter(os.fdopen(sink, "w", encoding="utf-8"))
    try:
        _do_tasks(workspace_fields, lines, reporter)
    except BrokenPipeError:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _do_tasks(
    workspace_fields: dict[str, Any], lines: "queue.SimpleQueue[str]", reporter: Reporter
) -> None:
    import torch

    from attex.runner.task import Task
    from attex.runner.threads import NAMES
    from attex.runner.workspace import Workspace

    torch.set_num_threads(int(os.environ[NAMES[0]]))
    workspace = Workspace.from_json(workspace_fields)
    while True:
        task = Task.from_json(json.loads(lines.get()), workspace)
        with heard_by(reporter):
            outcome = task.perform()
        reporter.tell(outcome=outcome.to_json())


def _read(source: int, lines: "queue.SimpleQueue[str]") -> None:
    with os.fdopen(source, encoding="utf-8") as tasks:
        for line in tasks:
            lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
