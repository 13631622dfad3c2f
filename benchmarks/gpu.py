"""`python -m benchmarks.gpu`: what is promised of a GPU; the data of `ATTEX_DATA` for the last part."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from scipy.stats import kendalltau

from attex.agreement.kendall import kendall_tau
from attex.config.loading import validate
from attex.config.schema import ExperimentConfig
from attex.foundations.devices import choose_device
from attex.importance.leaving_out import leave_one_out
from benchmarks import adversary, influence
from benchmarks.deletion import make, texts
from benchmarks.influence import sst
from benchmarks.running import run_until
from benchmarks.timing import Result, compare, finished, seconds, within
from benchmarks.training import corpus_of

PAIRS_A_SECOND = 80e6
PROMISED = {"lstm": 50.0, "transformer": 50.0}
MODEL: dict[str, Any] = {
    "vectors": None,
    "model": {"encoder": {"type": "lstm", "hidden": 128}},
    "trainer": {"type": "supervised", "epochs": 1},
    "importance": ["attention", "gradient", "leave_one_out"],
    "seeds": [0],
}
"""One epoch gives a model that takes as long to examine as any."""


def ranking(device: torch.device) -> Iterator[Result]:
    """Kendall's τ with p-values against a loop over SciPy."""
    for length in (20, 200, 400):
        torch.manual_seed(0)
        a, b = torch.rand(2000, length).double(), torch.rand(2000, length).double()
        rows = list(zip(a.numpy(), b.numpy(), strict=True))
        there = a.to(device), b.to(device), torch.ones(2000, length, dtype=torch.bool, device=device)
        ours = finished(lambda there=there: kendall_tau(*there))
        ours()
        yield compare(
            f"kendall_tau, 2,000 texts of {length} tokens",
            ours,
            lambda rows=rows: [kendalltau(x, y) for x, y in rows],
            100.0,
        )


def deletion(device: torch.device) -> Iterator[Result]:
    """Leave-one-out in pairs of deleted and read positions a second."""
    for encoder in ("lstm", "gru", "cnn", "average"):
        model, batch = make(encoder).to(device), texts(2048, 180).to(device)
        work = finished(lambda m=model, b=batch: leave_one_out(m, b))
        work()
        took = seconds(work, times=3)
        speed = 2048 * 180 * 180 / took
        name = f"leave-one-out, {encoder}, 2,048 texts of 180 tokens: {speed / 1e6:.0f} million pairs/s"
        yield Result(name, took, None, "≥ 80 million pairs/s", speed >= PAIRS_A_SECOND)


def experiment(dataset: str, search: bool) -> ExperimentConfig:
    """Return every question that is asked of one model."""
    statistics = ["kendall_tau", {"type": "top_k", "k": {"fraction": 0.1}}]
    analyses = [
        {"type": "agreement", "statistics": statistics},
        "permutation",
        "erasure",
        {"type": "adversarial", "search": search},
    ]
    return validate(MODEL | {"name": dataset, "data": dataset, "analyses": analyses})


def examining(device: torch.device, data: Path) -> Iterator[Result]:
    """Measures and findings of one model, the libraries already loaded."""
    for dataset, search, limit in (
        ("sst", True, 5.0),
        ("sst", False, 2.0),
        ("imdb", False, 30.0),
    ):
        config = experiment(dataset, search)
        with tempfile.TemporaryDirectory() as output:
            run_until(config, data, Path(output), device, "training")
            name = f"all analyses of one model of {dataset}{', 500-step search included' * search}"
            work = finished(lambda c=config, o=Path(output): run_until(c, data, o, device, "findings"))
            yield within(name, work, limit)


def main() -> int:
    """Run all; 1 if a promise is not kept."""
    device, kept = choose_device("cuda"), True
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
    print("| what | attex | naive | ratio | promised | kept |\n|---|---:|---:|---:|---|---|")
    named = os.environ.get("ATTEX_DATA")
    parts = [ranking(device), deletion(device)]
    if named:
        data = Path(named)
        trained = adversary.compared(corpus_of("sst", data), "SST", device)
        parts += [influence.compared(sst(data), device, PROMISED), examining(device, data), trained]
    for part in parts:
        for result in part:
            print(result.line(), flush=True)
            kept &= result.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
