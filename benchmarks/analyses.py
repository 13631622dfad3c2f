"""Everything that is asked of one trained model of SST, from its measures to its tables."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from attex.config.loading import load_experiments
from attex.config.schema import ExperimentConfig
from attex.data.folder import DataFolder
from attex.runner.execution import execute
from benchmarks.timing import Result, within

FILE = Path(__file__).parent.parent / "experiments" / "jain_wallace_2019" / "sst_lstm_tanh.jsonnet"
ANALYSES: tuple[Any, ...] = (
    {"type": "agreement", "statistics": ["kendall_tau", {"type": "top_k", "k": {"fraction": 0.1}}]},
    "permutation",
    "erasure",
)


def experiment(search: bool) -> ExperimentConfig:
    """One seed; a single epoch gives a model that takes as long to examine as any."""
    (found,) = [load_experiments(FILE, ["seeds=[0]", "trainer.epochs=1", "trainer.first_kept_epoch=1"])]
    assert isinstance(found, ExperimentConfig)
    analyses = [*ANALYSES, {"type": "adversarial", "search": search}]
    return ExperimentConfig.model_validate(found.resolved() | {"analyses": analyses})


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time gradient, leave-one-out and all analyses, with and without the search."""
    if data is None:
        return
    folder, device = DataFolder.at(data), torch.device("cpu")
    for search, limit, words in ((False, 10.0, ""), (True, 20.0, ", 500-step search included")):
        with tempfile.TemporaryDirectory() as output:
            config = experiment(search)
            execute(config, folder, Path(output), device, until="training")
            name = f"all analyses of one SST model{words}"
            yield within(
                name,
                lambda c=config, o=Path(output): execute(c, folder, o, device, until="analyses"),
                limit,
            )
