"""Seeds side by side, each in a process of its own."""

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
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
    threads = max(1, (os.cpu_count() or 1) // jobs)
    last = UNTIL[min(UNTIL.index(until), UNTIL.index("findings"))]
    waiting: dict[Future[None], tuple[int, int]] = {}
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        for number, config in enumerate(configs):
            try:
                prepare(config, data, output, device)
            except Exception as trouble:
                troubles[number] = trouble
                continue
            for seed in config.seeds:
                one = config.resolved() | {"seeds": [seed]}
                task = pool.submit(_compute, one, data, output, str(device), last, threads)
                waiting[task] = number, seed
        for task in as_completed(waiting):
            number, seed = waiting[task]
            failure = task.exception()
            if failure is not None:
                say(f"{configs[number].name}, seed {seed}: {type(failure).__name__}: {failure}")
                troubles[number] = failure
    except BaseException:
        # Left alone, the pool would first work off everything that it was given.
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            worker.terminate()
        raise
    pool.shutdown()
    return troubles


def _compute(
    experiment: dict[str, Any], data: DataFolder, output: Path, device: str, until: str, threads: int
) -> None:
    torch.set_num_threads(threads)
    execute(validate(experiment), data, output, choose_device(device), until)
