"""Several seeds side by side give what one after the other gives."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from attex.runner.batch import run_files

EXPERIMENT = {
    "name": "side",
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 30]},
    "model": {"embedding_width": 8, "encoder": {"type": "lstm", "hidden": 4}},
    "trainer": {"epochs": 2},
    "seeds": [0, 1, 2],
}


def test_jobs_change_nothing_but_the_time(tmp_path: Path) -> None:
    file = tmp_path / "side.json"
    file.write_text(json.dumps(EXPERIMENT))
    tables = []
    for jobs in (1, 2):
        assert run_files([file], output_dir=tmp_path / str(jobs), device="cpu", jobs=jobs)
        (folder,) = (tmp_path / str(jobs) / "side").iterdir()
        tables.append(pl.read_csv(folder / "tables" / "agreement.csv"))
    numbers = [table.select(pl.selectors.numeric()).to_numpy() for table in tables]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-4, nan_ok=True)


def test_a_failure_in_a_worker_is_named_and_stops_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    broken = EXPERIMENT | {"name": "bad", "trainer": {"epochs": 1, "learning_rate": 1e30}}
    bad.write_text(json.dumps(broken))
    good.write_text(json.dumps(EXPERIMENT | {"name": "good", "seeds": [0]}))
    assert not run_files([bad, good], output_dir=tmp_path, device="cpu", jobs=2)
    told = capsys.readouterr()
    assert "attex: bad: seed " in told.err
    assert "lower trainer.learning_rate" in told.err
    assert "good: open" in told.out


def alive(group: int) -> bool:
    """Say whether a process group has any process left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_interruption_ends_the_workers(tmp_path: Path) -> None:
    """The rest of a sweep must not be worked off before the command returns."""
    file = tmp_path / "long.json"
    long = EXPERIMENT | {"name": "long", "trainer": {"epochs": 100_000}}
    file.write_text(json.dumps(long), encoding="utf-8")
    options = ["--jobs", "2", "--device", "cpu", "--output-dir", str(tmp_path)]
    running = subprocess.Popen(
        [sys.executable, "-m", "attex", "run", str(file), *options],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    while "epoch 1 of" not in running.stderr.readline():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode != 0
    for _ in range(100):
        if not alive(running.pid):
            break
        time.sleep(0.1)
    assert not alive(running.pid)
