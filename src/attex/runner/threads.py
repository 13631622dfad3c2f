"""How many threads a task computes with: that decides the last bits of its result on CPU."""

import os

NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of linear algebra ask as they load: each would else take all cores in every process."""


def threads_for(jobs: int) -> int:
    """Return the threads of each of `jobs` tasks side by side; `OMP_NUM_THREADS` has the last word."""
    return asked_threads() or max(1, cores() // max(1, jobs))


def asked_threads() -> int | None:
    """Return the number that the environment asks for, if it does."""
    asked = os.environ.get(NAMES[0], "")
    return int(asked) if asked.isdecimal() and int(asked) else None


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment(threads: int) -> dict[str, str]:
    """Return what a process must find in its environment to compute with so many threads."""
    return dict.fromkeys(NAMES, str(threads))
