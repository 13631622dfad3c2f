"""IMDB from its archive to a cached corpus, the first time and the second."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

from attex.config.loading import validate
from benchmarks.running import run_until
from benchmarks.timing import Result, within


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time the corpus stage with an empty cache and with a full one."""
    if data is None:
        return
    config, cpu = validate({"data": "imdb"}), torch.device("cpu")
    with tempfile.TemporaryDirectory() as output:

        def read() -> None:
            run_until(config, data, Path(output), cpu, "corpus")

        yield within("IMDB read, tokenised and cached", read, 60.0)
        yield within("IMDB from the cache", read, 2.0)
