"""Progress on anything slow: bars in a terminal, now and then a plain line elsewhere.

Work tells a listener what it says and how far it is. The listener is the terminal, unless the work
is done for somebody else, as in a worker, which passes both on.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")

PLAIN_LINE_SECONDS = 10.0
"""How often a log file, where a bar would be noise, hears how far the work is."""

STAGES = "stages"
"""What an experiment's stages are tracked as. A log file hears of each as it begins, and not how many
are done: they take so different times that nothing follows of what is left.
"""


class Listener(Protocol):
    """Hears of the work: of one worker, or of several that are told apart by their name."""

    def says(self, line: str) -> None:
        """Hear a line."""

    def goes_on(self, worker: str, what: str, share: float) -> None:
        """Hear which share of the work is done; what is all done (1) needs no more to be shown."""


def say(line: str) -> None:
    """Tell the user something, on the stream that progress goes to."""
    _listeners[-1].says(line)


def pass_on(worker: str, what: str, share: float) -> None:
    """Tell how far another's work is."""
    _listeners[-1].goes_on(worker, what, share)


def track(
    items: Iterable[Item], what: str, total: int, sizes: Sequence[float] | None = None
) -> Iterator[Item]:
    """Pass `total` items through and tell which share of the work is done.

    `sizes` says how much work each item is, where they differ. While an item is worked on, `steps`
    inside tells how far it is.
    """
    listener = _listeners[-1]
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        # An item that is worked on in several rounds does not go back to its beginning.
        told = max(told, min(share, 1.0))
        listener.goes_on("", what, told)

    tell(0.0)
    try:
        yield from _through(items, [1.0] * total if sizes is None else sizes, tell)
    finally:
        if told < 1.0:
            tell(1.0)


def steps(items: Iterable[Item], sizes: Sequence[float] | None = None) -> Iterator[Item]:
    """Pass the steps of one item through, and tell whoever tracks it how far the item is."""
    if sizes is None:
        items = [*items]
        sizes = [1.0] * len(items)
    tell = _works[-1].tell_of_item if _works else lambda share: None
    return _through(items, sizes, tell)


def duration(seconds: float) -> str:
    """Say how long something takes, about as exactly as it can be known."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if seconds < 595:
        minutes, rest = divmod(round(seconds / 10), 6)
        return f"{minutes} min {rest * 10} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


@contextlib.contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let another listener hear what is told in here."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Let nobody hear the lines that are said in here; how far the work is, is told as ever."""
    with heard_by(_Quiet(_listeners[-1])):
        yield


class _Quiet:
    """Passes on how far the work is, and no line."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def says(self, line: str) -> None:
        return

    def goes_on(self, worker: str, what: str, share: float) -> None:
        self._listener.goes_on(worker, what, share)


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

    def goes_on(self, worker: str, what: str, share: float) -> None:
        """Draw the worker's bar further, or print a line if the last was long ago."""
        if sys.stderr.isatty():
            self._draw(worker, what, share)
        else:
            self._tell(worker, what, share)

    def close(self) -> None:
        """Leave the screen as it was."""
        if self._bars is not None:
            self._bars.stop()
        self._bars = None
        self._tasks.clear()
        self._began.clear()

    def _draw(self, worker: str, what: str, share: float) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        work = worker, what
        if share >= 1.0:
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
            self._tasks[work] = self._bars.add_task(shown, total=1.0)
        self._bars.update(self._tasks[work], completed=share)

    def _tell(self, worker: str, what: str, share: float) -> None:
        if what == STAGES:
            return
        now, work = time.monotonic(), (worker, what)
        began, spoke = self._began.setdefault(work, (now, now))
        if share >= 1.0:
            del self._began[work]
        elif share and now - spoke >= PLAIN_LINE_SECONDS:
            self._began[work] = began, now
            left = (now - began) / share * (1 - share)
            self.says(f"  {_named(worker, what)}: {100 * share:.0f} %, about {duration(left)} left")


class _Work:
    """Work in items of known size, of which one is worked on."""

    def __init__(self, sizes: Sequence[float], tell: Callable[[float], None]) -> None:
        self._total = sum(sizes) or 1.0
        self._done, self._size = 0.0, 0.0
        self._tell = tell

    def begin(self, size: float) -> None:
        self._size = size

    def end(self) -> None:
        self._done += self._size
        self._size = 0.0
        self._tell(self._done / self._total)

    def tell_of_item(self, share: float) -> None:
        self._tell((self._done + share * self._size) / self._total)


def _through(
    items: Iterable[Item], sizes: Sequence[float], tell: Callable[[float], None]
) -> Iterator[Item]:
    work = _Work(sizes, tell)
    _works.append(work)
    try:
        for item, size in zip(items, sizes, strict=False):
            work.begin(size)
            yield item
            work.end()
    finally:
        _works.remove(work)


def _named(worker: str, what: str) -> str:
    return f"{worker}: {what}" if worker else what


TERMINAL = Terminal()
"""The listener where nobody else listens."""

_listeners: list[Listener] = [TERMINAL]

_works: list[_Work] = []
"""What is worked on in this process, the innermost last."""
