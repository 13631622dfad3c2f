"""A run killed at any moment, run again, ends as if nothing had happened."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from small_runs import STUDY, finished, leftovers, numbers, run_folders, started, tables, write
from test_engines import at_work, living

KILLS = {"serial": 2, "processes": 2, "ray": 1}
ALL_KILLS = {"serial": 80, "processes": 80, "ray": 40}
"""How many runs are killed, each at a moment of its own, and how many with `--all`."""

IN_A_ROW = 4
"""At most so many of one output folder: what one kill left is in the way of the next."""


def finished_stages(output: Path) -> list[Path]:
    return [*output.glob(".cache/2/*/*/stage.json")]


def options(engine: str) -> list[str]:
    return ["--engine", engine, "--jobs", "1" if engine == "serial" else "2"]


@pytest.mark.parametrize("engine", KILLS)
def test_kills_at_random_moments_change_nothing(
    engine: str,
    tmp_path: Path,
    undisturbed: Path,
    whole: dict[str, bytes],
    everything: bool,
) -> None:
    """A moment is so many finished stages, up to all of them, and a little later."""
    if engine == "ray":
        pytest.importorskip("ray", reason="needs ray: pip install 'attex[ray]'")
    file = write(tmp_path)
    stages = len(finished_stages(undisturbed))
    rng = random.Random(engine)
    left = (ALL_KILLS if everything else KILLS)[engine]
    while left > 0:
        output = tmp_path / f"out-{left}"
        in_a_row = min(left, rng.randint(1, IN_A_ROW)) if everything else left
        left -= in_a_row
        for _ in range(in_a_row):
            with started(file, output, *options(engine)) as run:
                enough = rng.randint(min(len(finished_stages(output)) + 1, stages), stages)
                while run.poll() is None and len(finished_stages(output)) < enough:
                    time.sleep(0.01)
                time.sleep(rng.uniform(0, 0.5))
                below = living(run.pid)
                os.kill(run.pid, signal.SIGKILL)
                run.communicate()
                deadline = time.monotonic() + 60
                while any(map(at_work, below)):
                    assert time.monotonic() < deadline, "a process outlived its driver"
                    time.sleep(0.05)
        done = finished(file, output, *options(engine))
        assert "Traceback" not in done.stderr
        for folder in run_folders(output):
            assert tables(folder) == whole
        assert leftovers(output) == []


def test_a_killed_study_goes_on(tmp_path: Path, study_numbers: dict[str, bytes]) -> None:
    file, output = write(tmp_path, STUDY), tmp_path / "out"
    with started(file, output, *options("serial"), "--until", "findings") as run:
        deadline = time.monotonic() + 120
        while not [*output.glob(".cache/2/numbers/*.partial/scratch/training/*")]:
            assert time.monotonic() < deadline, "no model was begun"
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
    finished(file, output, *options("serial"), "--until", "findings")
    assert numbers(output) == study_numbers
    assert leftovers(output) == []
