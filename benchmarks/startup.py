"""What a user waits for before anything happens, for the demo, and for what was computed before."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Result, cpu_seconds, within

DEMO = Path(__file__).parent.parent / "experiments" / "demo.jsonnet"

PLANNING = "import torch, numpy, scipy, pydantic, safetensors.torch, entmax, typer, _jsonnet"
REPORTING = f"{PLANNING}, polars, jinja2"
"""What of others' code a plan needs, and a report: importing it takes as long as it takes."""

EXPERIMENTS = 500
RUNS = 500


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time imports, lists, plans and the demo, the first time and the second, each in a process."""
    yield within("import attex", lambda: _python("-c", "import attex"), 0.5, times=3)
    yield within("attex --help", lambda: _python("-m", "attex", "--help"), 1.0, times=3)
    for verb in ("list", "list measure"):
        yield _cpu(f"attex {verb}", verb.split(), 1.0)
    with tempfile.TemporaryDirectory() as output:
        _run_folders(Path(output))
        runs = ["-m", "attex", "runs", "--output-dir", output]
        yield within(f"attex runs, {RUNS} run folders", lambda: _python(*runs), 1.0, times=3)
    with tempfile.TemporaryDirectory() as output:
        made = Path(output) / "many.json"
        for name, fields in _sweeps(data).items():
            made.write_text(json.dumps([{"name": f"of-{i}"} | _rate(fields, i) for i in _numbers()]))
            dry = ["run", str(made), "--dry-run", "--output-dir", output]
            yield _cpu(f"{EXPERIMENTS} experiments on {name}, planned", dry, 5.0, PLANNING)
        demo = ["run", str(DEMO), "--device", "cpu", "--output-dir", output]
        first = "attex run experiments/demo.jsonnet"
        yield within(first, lambda: _python("-m", "attex", *demo), 60.0)
        yield _cpu("the demo again, all in the cache", demo, 2.0, REPORTING)


def _run_folders(output: Path) -> None:
    """Run one small experiment, and copy what `attex runs` reads of its folder."""
    small = output / "small.json"
    small.write_text(json.dumps({"name": "run-0", "data": {"type": "planted", "sizes": [20, 10, 10]}}))
    epochs = ["-o", "trainer.epochs=1"]
    _python("-m", "attex", "run", str(small), *epochs, "--output-dir", str(output))
    (made,) = output.glob("run-0/*")
    for number in range(1, RUNS):
        copy = output / f"run-{number % 50}" / f"2026-01-01T00-{number // 60:02}-{number % 60:02}"
        copy.mkdir(parents=True)
        for name in ("manifest.json", "headlines.csv"):
            shutil.copyfile(made / name, copy / name)


def _numbers() -> range:
    return range(1, EXPERIMENTS + 1)


def _sweeps(data: Path | None) -> dict[str, dict[str, object]]:
    """Experiments on generated texts, and on real ones with vectors."""
    sweeps: dict[str, dict[str, object]] = {"planted texts": {}}
    if data is not None:
        width = {"embedding_width": 300}
        vectors = "vectors/word2vec.300d.vec.gz"
        sweeps["SST with vectors"] = {"data": "sst", "vectors": vectors, "model": width}
    return sweeps


def _rate(fields: dict[str, object], number: int) -> dict[str, object]:
    return fields | {"trainer": {"learning_rate": number * 1e-5}}


def _cpu(name: str, arguments: list[str], limit: float, libraries: str | None = None) -> Result:
    """Take the CPU seconds of a command, less those of importing the libraries that it needs."""
    took = base = float("inf")
    for _ in range(3):
        # In turn: a slow spell of the machine hits both.
        took = min(took, cpu_seconds(lambda: _alone("-m", "attex", *arguments)))
        base = min(base, cpu_seconds(lambda: _alone("-c", libraries)) if libraries else 0.0)
    beyond = " beyond imports" if libraries else ""
    took -= base
    return Result(name, took, None, f"< {limit:g} s of CPU{beyond}", took < limit)


def _alone(*arguments: str) -> None:
    """Run Python with one thread: others would only wait, and waiting is CPU time too."""
    _python(*arguments, threads={"OMP_NUM_THREADS": "1"})


def _python(*arguments: str, threads: dict[str, str] | None = None) -> None:
    environment = os.environ | (threads or {})
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
