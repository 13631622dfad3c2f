"""Every engine gives the same numbers, and what goes wrong in one place stays there."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_runs import (
    EXPERIMENT,
    STUDY,
    finished,
    leftovers,
    numbers,
    run_folders,
    started,
    tables,
    wait_until,
    write,
)

import attex
from attex.foundations.errors import UserError
from attex.runner.threads import cores, threads_for

FEW_TASKS: dict[str, Any] = EXPERIMENT | {"importance": ["attention"], "analyses": []}
"""For tests of how tasks end: for Slurm each is a process of its own, and a chart is none of them."""

ONE_SEED = EXPERIMENT | {"seeds": [0], "importance": ["attention", "gradient"]}
"""Half as many tasks."""

LONG = EXPERIMENT | {"trainer": {"epochs": 100_000, "checkpoint_seconds": 0}}


def living(parent: int) -> list[int]:
    """Processes below one, at any depth, that have not ended."""
    below: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            below.setdefault(int(fields[1]), []).append(int(place.name))
    reached, found = [parent], []
    while reached:
        children = below.get(reached.pop(), [])
        found += children
        reached += children
    return found


def at_work(pid: int) -> bool:
    """Say whether a process lives that does tasks, or may be given some.

    Ray's own helpers do not; they take a minute or so to see that all is over.
    """
    try:
        name = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    of_ray = b"ray::" in name or b"/ray/" in name
    worker = b"_perform" in name or b"default_worker" in name
    return exists(pid) and (worker or not of_ray)


def exists(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_every_engine_gives_the_same_tables_to_the_byte(
    engine: str,
    tmp_path: Path,
    whole: dict[str, bytes],
    study_numbers: dict[str, bytes],
    everything: bool,
) -> None:
    """The undisturbed run was serial; the threads of a task are the same here, by the environment."""
    experiment, output = EXPERIMENT, tmp_path / "out"
    if engine == "slurm" and not everything:
        experiment = ONE_SEED
        alone = attex.run(experiment, output_dir=tmp_path / "alone", device="cpu")
        assert isinstance(alone, attex.Run)
        whole = tables(alone.path)
    # A study starts a Ray of its own, and its tasks travel as those of Slurm do.
    studies = [str(write(tmp_path, STUDY))] if engine != "ray" or everything else []
    done = finished(write(tmp_path, experiment), output, *studies, "--engine", engine, "--jobs", "2")
    opened = [line.partition(" open ")[0] for line in done.stdout.splitlines() if " open " in line]
    assert opened == ["walk:", "study:"][: 1 + len(studies)]
    (folder,) = output.glob("walk/*")
    assert tables(folder) == whole
    assert numbers(output) == (study_numbers if studies else {})
    assert leftovers(output) == []
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {stage["threads"] for stage in manifest["stages"]} == {threads_for(2)}
    last = experiment["seeds"][-1]
    for word in ("training: walk, seed 0", "epoch 2 of 2: loss", f"importance: gradient, seed {last}"):
        assert word in done.stderr, "all workers are heard"


def test_a_failure_is_named_and_stops_nothing_else(engine: str, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    broken = FEW_TASKS | {"name": "bad", "trainer": {"epochs": 1, "learning_rate": 1e30}}
    bad.write_text(json.dumps(broken))
    good.write_text(json.dumps(FEW_TASKS | {"name": "good", "seeds": [0]}))
    command = ["--output-dir", str(tmp_path), "--device", "cpu", "--engine", engine, "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "attex", "run", str(bad), str(good), *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "attex: bad: seed " in done.stderr
    assert "lower trainer.learning_rate" in done.stderr
    assert "Traceback" not in done.stderr
    assert "good: open" in done.stdout
    assert not (tmp_path / "bad").exists()


GREEDY = """
import torch
from attex.importance.measure import MEASURES, only_scorable

@MEASURES.register("greedy")
@torch.no_grad()
def greedy(model, batch):
    if model.encoder.width > 8:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.86 GiB. GPU 0 has …")
    return only_scorable(model(batch).attention, batch)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_model_too_large_for_memory_is_named_and_the_others_go_on(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "greedy_measure.py").write_text(GREEDY)
    base = FEW_TASKS | {"imports": ["greedy_measure"], "importance": ["greedy"]}
    study = STUDY | {"base": base, "choices": {"model.encoder.hidden": [4, 8]}}
    command = [sys.executable, "-m", "attex", "run", str(write(tmp_path, study)), "--device", "cpu"]
    done = subprocess.run(
        [*command, "--output-dir", str(tmp_path / "outputs"), "--jobs", jobs],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "the memory of cpu ran out; run it again with fewer --jobs" in done.stderr
    assert "(CUDA out of memory. Tried to allocate 1.86 GiB.)" in done.stderr
    assert "Traceback" not in done.stderr
    assert len([path for path in numbers(tmp_path / "outputs") if path.endswith(".json")]) == 1


MOMENTARY = GREEDY.replace("model.encoder.width > 8", "not room()").replace(
    "import torch",
    """
from pathlib import Path
import torch

def room():
    # The first to ask finds none.
    asked = Path("asked").exists()
    Path("asked").touch()
    return asked
""",
)


def test_what_runs_out_of_memory_is_tried_again_in_fewer_processes(tmp_path: Path) -> None:
    (tmp_path / "greedy_measure.py").write_text(MOMENTARY)
    base = FEW_TASKS | {"imports": ["greedy_measure"], "importance": ["greedy"]}
    study = STUDY | {"base": base, "choices": {"model.encoder.hidden": [4, 8]}}
    command = [sys.executable, "-m", "attex", "run", str(write(tmp_path, study)), "--device", "cpu"]
    done = subprocess.run(
        [*command, "--output-dir", str(tmp_path / "outputs"), "--jobs", "2"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "ran out of memory, or need one that did: they are tried again, 1 at a time" in done.stderr
    assert len([path for path in numbers(tmp_path / "outputs") if path.endswith(".json")]) == 2


ENDS = [
    ("processes", signal.SIGINT),
    ("processes", signal.SIGKILL),
    ("ray", signal.SIGTERM),
    ("ray", signal.SIGKILL),
]
"""Ray has a way of its own with SIGTERM; the other pairs are tried with `--all`."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("how", ["processes", "ray"])
def test_workers_end_with_their_driver_however_it_ends(
    how: str, number: signal.Signals, tmp_path: Path, everything: bool
) -> None:
    if not everything and (how, number) not in ENDS:
        pytest.skip("tried with --all")
    if how == "ray":
        pytest.importorskip("ray", reason="needs ray: pip install 'attex[ray]'")
    with started(write(tmp_path, LONG), tmp_path / "out", "--engine", how, "--jobs", "2") as run:
        pattern = ".cache/2/training/*.partial/checkpoint.safetensors"
        wait_until(lambda: len(list((tmp_path / "out").glob(pattern))) == 2, 120)
        workers = [pid for pid in living(run.pid) if at_work(pid)]
        assert len(workers) >= 2
        # The driver alone: nobody tells its workers.
        os.kill(run.pid, number)
        _, errors = run.communicate(timeout=60)
        wait_until(lambda: not any(map(at_work, workers)), 60)
    if number != signal.SIGKILL:
        assert run.returncode == 130
        assert errors.splitlines()[-1] == "attex: interrupted; the same command goes on from here"
        assert "Traceback" not in errors


def test_a_killed_worker_loses_only_its_task(tmp_path: Path) -> None:
    """It is tried again, in a new process, and goes on where it was."""
    experiment = EXPERIMENT | {"data": EXPERIMENT["data"] | {"sizes": [600, 20, 30]}}
    experiment |= {"analyses": ["truth"]}
    output, file = tmp_path / "out", write(tmp_path, experiment)
    with started(file, output, "--jobs", "2") as run:
        wait_until(lambda: list(output.glob(".cache/2/training/*.partial/*")), 120)
        claim = next(iter(output.glob(".cache/2/training/*.claim")))
        os.kill(json.loads(claim.read_text())["pid"], signal.SIGKILL)
        _, errors = run.communicate(timeout=300)
    assert run.returncode == 0, errors
    assert "its process was ended by signal 9; it is tried again" in errors
    assert leftovers(output) == []
    again = attex.run(file, output_dir=tmp_path / "again", device="cpu")
    assert isinstance(again, attex.Run)
    (folder,) = run_folders(output)
    assert tables(folder) == tables(again.path)


def test_a_killed_ray_worker_loses_only_its_task(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs ray: pip install 'attex[ray]'")
    experiment = FEW_TASKS | {"data": EXPERIMENT["data"] | {"sizes": [600, 20, 30]}}
    output, file = tmp_path / "out", write(tmp_path, experiment)
    with started(file, output, "--engine", "ray", "--jobs", "2") as run:
        wait_until(lambda: list(output.glob(".cache/2/training/*.partial/*")), 120)
        claim = next(iter(output.glob(".cache/2/training/*.claim")))
        os.kill(json.loads(claim.read_text())["pid"], signal.SIGKILL)
        _, errors = run.communicate(timeout=300)
    assert run.returncode == 0, errors
    assert leftovers(output) == []


SLOW = FEW_TASKS | {
    "data": EXPERIMENT["data"] | {"sizes": [1500, 20, 30]},
    "trainer": {"epochs": 12, "checkpoint_seconds": 0},
}
CHECKPOINT = ".cache/2/training/*.partial/checkpoint.safetensors"


def running_jobs() -> list[str]:
    command = ["squeue", "--me", "--array", "--noheader", "--states=RUNNING", "--format=%i"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture
def in_slurm(slurm: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in slurm.items():
        monkeypatch.setenv(variable, value)


def test_jobs_of_a_killed_driver_are_adopted(in_slurm: None, tmp_path: Path) -> None:
    output, file = tmp_path / "out", write(tmp_path, SLOW)
    options = ("--engine", "slurm", "--jobs", "2")
    with started(file, output, *options) as run:
        wait_until(lambda: list(output.glob(CHECKPOINT)), 120)
        jobs = running_jobs()
        for job in jobs:
            # Or they might be done before the next driver looks.
            subprocess.run(["scontrol", "suspend", job], check=True)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
    with started(file, output, *options) as run:
        assert run.stderr is not None
        while "is still there" not in run.stderr.readline():
            assert run.poll() is None
        for job in jobs:
            subprocess.run(["scontrol", "resume", job], check=True)
        _, errors = run.communicate(timeout=300)
    assert run.returncode == 0, errors
    assert leftovers(output) == []


def test_a_killed_job_is_submitted_again_and_goes_on(in_slurm: None, tmp_path: Path) -> None:
    output, file = tmp_path / "out", write(tmp_path, SLOW | {"seeds": [0]})
    with started(file, output, "--engine", "slurm", "--jobs", "2") as run:
        wait_until(lambda: list(output.glob(CHECKPOINT)), 120)
        (job,) = running_jobs()
        subprocess.run(["scancel", "--signal=KILL", "--full", job], check=True)
        _, errors = run.communicate(timeout=300)
    assert run.returncode == 0, errors
    assert "ended without an outcome" in errors
    assert "it is submitted again" in errors
    assert errors.count("epoch 1 of 12") == 1, "it went on from its checkpoint"
    assert leftovers(output) == []


def test_an_interruption_cancels_the_jobs(in_slurm: None, tmp_path: Path) -> None:
    output, file = tmp_path / "out", write(tmp_path, LONG)
    with started(file, output, "--engine", "slurm", "--jobs", "2") as run:
        wait_until(lambda: list(output.glob(CHECKPOINT)), 120)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        assert run.returncode == 130
        wait_until(lambda: not running_jobs(), 60)


def test_slurms_words_are_passed_on(in_slurm: None, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"sbatch says: .*invalid partition"):
        attex.run(
            EXPERIMENT,
            output_dir=tmp_path,
            device="cpu",
            engine="slurm",
            engine_options={"partition": "no-such-one"},
        )


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("proceses", {}, "did you mean 'processes'?"),
        ("slurm", {"partitoin": "x"}, "did you mean 'partition'?"),
        ("slurm", {"gpus": 0}, "gpus: should be greater than or equal to 1"),
        ("serial", {"address": "x"}, "unknown key 'address'"),
    ],
)
def test_a_wrong_engine_or_option_is_one_line(
    name: str, options: dict[str, object], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as caught:
        attex.run(EXPERIMENT, output_dir=tmp_path, engine=name, engine_options=options)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_threads_are_the_cores_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads_for(1) == cores() == len(os.sched_getaffinity(0))
    assert threads_for(cores()) == threads_for(10 * cores()) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads_for(1) == threads_for(50) == 3
