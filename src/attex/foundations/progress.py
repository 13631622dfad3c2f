"""Progress on anything slow: bars in a terminal, now and then a plain line elsewhere.

Work tells a listener what it says and how far it is. The listener is the terminal, unless the work
is done for somebody else, as in a worker, which passes both on.
"""

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")

PLAIN_LINE_SECONDS = 10.0
"""How often a log file, where a bar would be noise, hears how far the work is."""


class Listener(Protocol):
    """Hears of the work: of one worker, or of several that are told apart by their name."""

    def says(self, line: str) -> None:
        """Hear a line."""

    def goes_on(self, worker: str, what: str, done: int, total: int) -> None:
        """Hear that `done` of `total` are done; what is all done needs no more to be shown."""


def say(line: str) -> None:
    """Tell the user something, on the stream that progress goes to."""
    _listeners[-1].says(line)


def pass_on(worker: str, what: str, done: int, total: int) -> None:
    """Tell how far another's work is."""
    _listeners[-1].goes_on(worker, what, done, total)


def track(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """Pass items through and tell how many of `total` are done."""
    listener = _listeners[-1]
    done = 0
    listener.goes_on("", what, 0, total)
    try:
        for item in items:
            yield item
            done += 1
            listener.goes_on("", what, done, total)
    finally:
        if done < total:
            listener.goes_on("", what, total, total)


@contextlib.contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let another listener hear what is told in here."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


class Terminal:
    """Shows what it hears: a bar for each worker where there is a screen, else lines."""

    def __init__(self) -> None:
        self._bars: Any = None
        # By worker and what it does: a piece of work may itself have pieces.
        self._tasks: dict[tuple[str, str], Any] = {}
        self._began: dict[tuple[str, str], tuple[float, float]] = {}

    def says(self, line: str) -> None:
        """Print a line to stderr, above the bars if there are any."""
        if self._bars is not None:
            # Rich knows where its bars are; the line itself is plain text.
            self._bars.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def goes_on(self, worker: str, what: str, done: int, total: int) -> None:
        """Draw the worker's bar further, or print a line if the last was long ago."""
        if sys.stderr.isatty():
            self._draw(worker, what, done, total)
        else:
            self._tell(worker, what, done, total)

    def close(self) -> None:
        """Leave the screen as it was."""
        if self._bars is not None:
            self._bars.stop()
        self._bars = None
        self._tasks.clear()
        self._began.clear()

    def _draw(self, worker: str, what: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        work = worker, what
        if done >= total:
            if work in self._tasks:
                self._bars.remove_task(self._tasks.pop(work))
            if not self._tasks:
                self.close()
            return
        if self._bars is None:
            self._bars = Progress(console=Console(stderr=True), transient=True)
            self._bars.start()
        # Or rich would take the brackets of leave_one_out[hidden] for its own.
        shown = escape(f"  {_named(worker, what)}")
        if work not in self._tasks:
            self._tasks[work] = self._bars.add_task(shown, total=total)
        self._bars.update(self._tasks[work], completed=done, total=total)

    def _tell(self, worker: str, what: str, done: int, total: int) -> None:
        now, work = time.monotonic(), (worker, what)
        began, spoke = self._began.setdefault(work, (now, now))
        if done >= total:
            del self._began[work]
        elif done and now - spoke >= PLAIN_LINE_SECONDS:
            self._began[work] = began, now
            left = (now - began) / done * (total - done)
            self.says(f"  {_named(worker, what)}: {done} of {total}, about {left:.0f} s left")


def _named(worker: str, what: str) -> str:
    return f"{worker}: {what}" if worker else what


TERMINAL = Terminal()
"""The listener where nobody else listens."""

_listeners: list[Listener] = [TERMINAL]
