"""Several seeds side by side give what one after the other gives."""

import json
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
