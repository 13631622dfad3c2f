"""Time two ways of doing the same, in turn, and compare."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Result:
    """A line of the table: our seconds, the other way's, and what was promised."""

    name: str
    seconds: float
    naive: float | None
    promise: str
    kept: bool

    @property
    def ratio(self) -> str:
        """How many times faster than the naive way."""
        return "–" if self.naive is None else f"{self.naive / self.seconds:.1f}×"

    def line(self) -> str:
        """The result as a line of a Markdown table."""
        took = f"{self.seconds:.2f} s" if self.seconds >= 0.1 else f"{1000 * self.seconds:.1f} ms"
        naive = "–" if self.naive is None else f"{self.naive:.2f} s"
        kept = "yes" if self.kept else "NO"
        return f"| {' | '.join((self.name, took, naive, self.ratio, self.promise, kept))} |"


def finished(work: Callable[[], object]) -> Callable[[], None]:
    """Wait for a GPU, where there is one, as part of the work."""

    def whole() -> None:
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    return whole


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Return the shortest of several runs: what the machine does when nothing disturbs it."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that the processes which work starts, and waits for, have computed."""
    before = os.times()
    work()
    after = os.times()
    system = after.children_system - before.children_system
    return after.children_user - before.children_user + system


def compare(
    name: str,
    ours: Callable[[], object],
    naive: Callable[[], object],
    at_least: float,
    times: int = 3,
) -> Result:
    """Run both ways in turn, so that a slow spell of the machine hits both."""
    us = them = float("inf")
    for _ in range(times):
        us, them = min(us, seconds(ours)), min(them, seconds(naive))
    return Result(name, us, them, f"≥ {at_least:g}× naive", them / us >= at_least)


def within(name: str, work: Callable[[], object], limit: float, times: int = 1) -> Result:
    """Time one thing against a limit in seconds."""
    took = seconds(work, times)
    return Result(name, took, None, f"< {limit:g} s", took < limit)
