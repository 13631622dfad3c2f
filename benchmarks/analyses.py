"""Everything that is asked of one trained model of SST, from its measures to its tables."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from attex.config.loading import load_experiments
from attex.config.schema import ExperimentConfig
from benchmarks.running import run_until
from benchmarks.timing import Result, within

FILE = Path(__file__).parent.parent / "experiments" / "jain_wallace_2019" / "sst_lstm_tanh.jsonnet"
ANALYSES: tuple[Any, ...] = (
    {"type": "agreement", "statistics": ["kendall_tau", {"type": "top_k", "k": {"fraction": 0.1}}]},
    "permutation",
    "erasure",
)


def experiment(search: bool) -> ExperimentConfig:
    """One seed; a single epoch gives a model that takes as long to examine as any."""
    overrides = ["seeds=[0]", "trainer.epochs=1", "trainer.first_kept_epoch=1"]
    (found,) = load_experiments(FILE, overrides)
    analyses = [*ANALYSES, {"type": "adversarial", "search": search}]
    return ExperimentConfig.model_validate(found.resolved() | {"analyses": analyses})


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time gradient, leave-one-out and all analyses, with and without the search."""
    if data is None:
        return
    device = torch.device("cpu")
    for search, limit, words in ((False, 10.0, ""), (True, 20.0, ", 500-step search included")):
        with tempfile.TemporaryDirectory() as output:
            config = experiment(search)
            run_until(config, data, Path(output), device, "training")
            name = f"all analyses of one SST model{words}"
            yield within(
                name,
                lambda c=config, o=Path(output): run_until(c, data, o, device, "analyses"),
                limit,
            )
