"""Seeds side by side, each in a process of its own."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import torch

from attex.config.loading import validate
from attex.config.schema import ExperimentConfig
from attex.data.folder import DataFolder
from attex.foundations.devices import choose_device
from attex.foundations.progress import say
from attex.runner.execution import execute, prepare
from attex.runner.plan import UNTIL

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of linear algebra ask as they load: each would else take all cores in every worker."""


def compute_seeds(
    configs: Sequence[ExperimentConfig],
    data: DataFolder,
    output: Path,
    device: torch.device,
    until: str,
    jobs: int,
) -> list[BaseException | None]:
    """Fill the cache with all seeds of all experiments, up to `jobs` of them at a time.

    What they share is made first, here. Returns what went wrong with each experiment, if anything.
    A worker has its share of the threads, so that on CPU the last bits depend on `jobs`. An
    interruption ends the workers at once; what they had finished is kept.
    """
    troubles: list[BaseException | None] = [None] * len(configs)
    asked = os.environ.get(_THREADS[0], "")
    threads = int(asked) if asked.isdigit() else max(1, (os.cpu_count() or 1) // jobs)
    last = UNTIL[min(UNTIL.index(until), UNTIL.index("findings"))]
    waiting: dict[Future[None], tuple[int, int]] = {}
    with _few_threads(threads), _workers(jobs) as pool:
        for number, config in enumerate(configs):
            try:
                prepare(config, data, output, device)
                for seed in config.seeds:
                    one = config.resolved() | {"seeds": [seed]}
                    task = pool.submit(_compute, one, data, output, str(device), last, threads)
                    waiting[task] = number, seed
            except Exception as trouble:
                troubles[number] = trouble
        for task in as_completed(waiting):
            number, seed = waiting[task]
            failure = task.exception()
            if failure is not None:
                say(f"{configs[number].name}, seed {seed}: {type(failure).__name__}: {failure}")
                troubles[number] = failure
    return troubles


@contextmanager
def _few_threads(count: int) -> Iterator[None]:
    """Let what is started here find its number of threads in the environment, unless one is there."""
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, str(count)))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start workers, and end them at once if their work is interrupted here."""
    others = active_children()
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        yield pool
    except BaseException:
        # Left alone, the pool would first work off everything that it was given.
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            if worker not in others:
                worker.terminate()
        raise
    pool.shutdown()


def _compute(
    experiment: dict[str, Any], data: DataFolder, output: Path, device: str, until: str, threads: int
) -> None:
    torch.set_num_threads(threads)
    execute(validate(experiment), data, output, choose_device(device), until)
