"""A killed run, run again, ends as if nothing had happened."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attex.experiment import Run, run

EXPERIMENT = {
    "name": "walk",
    "data": {"type": "planted", "task": "keyword", "sizes": [300, 60, 3000]},
    "model": {"embedding_width": 16, "encoder": {"type": "lstm", "hidden": 8}},
    "trainer": {"epochs": 6},
    "seeds": [0, 1],
    "analyses": ["truth", "agreement"],
}
KILL_AT = {
    "training": ".cache/training/*.partial/checkpoint.safetensors",
    "importance": ".cache/importance/*.partial/piece-00002.safetensors",
    "report": "walk/*.partial/tables/*.csv",
}


def tables(output: Path) -> dict[str, bytes]:
    (folder,) = (path for path in (output / "walk").iterdir() if not path.name.endswith(".partial"))
    files = [*folder.glob("tables/*"), *folder.glob("correlation/*"), folder / "metrics.json"]
    assert len(files) > 6
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@contextlib.contextmanager
def started(tmp_path: Path, output: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the experiment in a process that does not outlive the test."""
    file = tmp_path / "walk.json"
    file.write_text(json.dumps(EXPERIMENT))
    command = [sys.executable, "-m", "attex", "run", str(file), "--output-dir", str(output)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], output: Path, pattern: str) -> None:
    deadline = time.monotonic() + 300
    while not list(output.glob(pattern)):
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    output = tmp_path_factory.mktemp("undisturbed")
    run(EXPERIMENT, output_dir=output, device="cpu")
    return tables(output)


@pytest.mark.parametrize("stage", KILL_AT)
def test_a_kill_changes_nothing(stage: str, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    output = tmp_path / "out"
    with started(tmp_path, output) as process:
        wait_for(process, output, KILL_AT[stage])
        os.kill(process.pid, signal.SIGKILL)
    with started(tmp_path, output) as process:
        process.communicate(timeout=300)
        assert process.returncode == 0
    assert tables(output) == undisturbed


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    output = tmp_path / "out"
    with started(tmp_path, output) as process:
        wait_for(process, output, KILL_AT["training"])
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "attex: interrupted; the same command goes on from here"


def test_a_second_run_computes_nothing_again(tmp_path: Path) -> None:
    small = EXPERIMENT | {"data": {"type": "planted", "sizes": [40, 20, 20]}, "seeds": [0]}
    first = run(small, output_dir=tmp_path, device="cpu")
    second = run(small, output_dir=tmp_path, device="cpu")
    assert isinstance(first, Run)
    assert isinstance(second, Run)
    assert first.path != second.path
    stages = json.loads((second.path / "manifest.json").read_text())["stages"]
    assert all(stage["cached"] for stage in stages)
    more = small | {"importance": ["attention", "gradient", {"type": "gradient", "target": "gold_loss"}]}
    third = run(more, output_dir=tmp_path, device="cpu")
    assert isinstance(third, Run)
    stages = json.loads((third.path / "manifest.json").read_text())["stages"]
    again = {stage["kind"] for stage in stages if not stage["cached"]}
    assert again == {"importance", "findings", "analysis"}, "a new measure must not train again"
