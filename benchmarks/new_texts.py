"""What a reader of a run waits for who explains new texts: the command, and a page that is served."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

import attex
from benchmarks.timing import Result, cpu_seconds, seconds

TEXT = "at this inn the staff was not friendly while the breakfast looked clean and the bed felt new"
MODEL = {"encoder": {"type": "lstm", "hidden": 128}, "embedding_width": 300}
IMPORTED = "import torch, numpy, scipy, pydantic, safetensors.torch, entmax, typer, rich, rich.console"
"""What of others' code the command needs: importing it takes as long as it takes."""


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Explain a text of 17 words by three measures: cold, and warm through the server."""
    with tempfile.TemporaryDirectory() as output:
        config = {"data": "sst"} if data is not None else {"data": "planted"}
        config |= {"name": "explained", "model": MODEL, "trainer": {"epochs": 1}, "seeds": [0, 1, 2]}
        run = attex.run(config | {"analyses": []}, output_dir=output, data_dir=data)
        assert isinstance(run, attex.Run)
        command = ["-m", "attex", "explain", str(run.path), TEXT]
        took = base = float("inf")
        for _ in range(3):
            took = min(took, cpu_seconds(lambda: _python(*command)))
            base = min(base, cpu_seconds(lambda: _python("-c", IMPORTED)))
        beyond = took - base
        promise = "≤ 1 s of CPU beyond imports"
        yield Result("attex explain, one text", beyond, None, promise, beyond <= 1)
        yield _served(run)


def _served(run: attex.Run) -> Result:
    """Ask over HTTP, as the page does: the model that is looked at."""
    from starlette.testclient import TestClient

    from attex.serving import TextServer, application

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        client = TestClient(application(TextServer(run)), base_url="http://127.0.0.1")
        question = {"text": TEXT, "seeds": [0]}
        took = seconds(lambda: client.post("/explain", json=question).raise_for_status(), times=20)
    finally:
        torch.set_num_threads(threads)
    return Result("attex serve, a text that is typed", took, None, "< 50 ms", took < 0.05)


def _python(*arguments: str) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)


if __name__ == "__main__":
    named = os.environ.get("ATTEX_DATA")
    for result in benchmarks(Path(named) if named else None):
        print(result.line())
