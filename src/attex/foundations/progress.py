"""Progress on anything slow: a bar in a terminal, now and then a plain line elsewhere."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

PLAIN_LINE_SECONDS = 10.0
"""How often a log file, where a bar would be noise, hears how far the work is."""


def say(line: str) -> None:
    """Tell the user something, on the stream that progress goes to."""
    print(line, file=sys.stderr, flush=True)


def track(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """Pass items through and show how many of `total` are done."""
    if sys.stderr.isatty():
        yield from _bar(items, what, total)
    else:
        yield from _lines(items, what, total)


def _bar(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import track as rich_track

    console = Console(stderr=True)
    # Or rich would take the brackets of leave_one_out[hidden] for its own.
    shown = escape(f"  {what}")
    yield from rich_track(items, description=shown, total=total, console=console, transient=True)


def _lines(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    started = spoke = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - spoke >= PLAIN_LINE_SECONDS and done < total:
            spoke = now
            left = (now - started) / done * (total - done)
            say(f"  {what}: {done} of {total}, about {left:.0f} s left")
