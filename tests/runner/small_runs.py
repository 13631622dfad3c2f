"""A small experiment, ways to run it as a user would, and what came of it."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXPERIMENT: dict[str, Any] = {
    "name": "walk",
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 30]},
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 2, "checkpoint_seconds": 0},
    "seeds": [0, 1],
    "analyses": ["truth", "agreement"],
}
"""Small enough to be run many times."""


STUDY: dict[str, Any] = {
    "name": "study",
    "study": "sweep",
    "base": EXPERIMENT,
    "choices": {"trainer.learning_rate": [0.001, 0.01]},
    "seeds": [0],
}
"""Two models of it, of which only numbers stay."""


def numbers(output: Path) -> dict[str, bytes]:
    """Return what the models of a study have left, by file."""
    place = output / ".cache" / "2" / "numbers"
    files = (path for path in place.glob("*/*") if path.is_file() and path.name != "stage.json")
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}


def command(file: Path, output: Path, *more: str) -> list[str]:
    options = ["--output-dir", str(output), "--device", "cpu", *more]
    return [sys.executable, "-m", "attex", "run", str(file), *options]


def write(folder: Path, experiment: dict[str, Any] = EXPERIMENT) -> Path:
    file = folder / f"{experiment['name']}.json"
    file.write_text(json.dumps(experiment), encoding="utf-8")
    return file


@contextlib.contextmanager
def started(file: Path, output: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run, in a process group of its own, that does not outlive the test."""
    with subprocess.Popen(
        command(file, output, *more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)


def finished(file: Path, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run to the end, which must be a good one."""
    done = subprocess.run(
        command(file, output, *more), capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def run_folders(output: Path, name: str = "walk") -> list[Path]:
    return sorted(path for path in (output / name).iterdir() if path.suffix != ".partial")


def tables(folder: Path) -> dict[str, bytes]:
    """Every number of a run folder, as its files have it."""
    files = [*folder.glob("tables/*"), *folder.glob("correlation/*"), folder / "metrics.json"]
    files.append(folder / "headlines.csv")
    assert len(files) >= 5
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def leftovers(output: Path) -> list[str]:
    """Whatever only a run under way may have."""
    ends = (".partial", ".claim", ".discarded", ".question", ".answer", ".list")
    return [str(path) for path in output.rglob("*") if path.name.endswith(ends)]


def wait_until(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)
