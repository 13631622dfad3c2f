"""A study of a thousand finished models, laid out: tables, figures and page."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Result

SECONDS, MEGABYTES = 60.0, 2_000.0
BLOCKS, CELLS, SEEDS = 5, 4, 2
MODELS = 27 * BLOCKS * CELLS * SEEDS
STUDY: dict[str, Any] = {
    "study": "multiverse",
    "name": "thousand",
    "base": {
        "data": {"type": "planted", "sizes": [20, 10, 10]},
        "model": {"embedding_width": 4, "encoder": {"type": "lstm", "hidden": 2}},
        "analyses": [{"type": "agreement", "controls": "permuted"}, "permutation", "truth"],
    },
    "choices": {
        "model.encoder.hidden": [2, 3, 4],
        "trainer.learning_rate": [0.001, 0.002, 0.003],
        "trainer.weight_decay": [0.0, 1e-5, 1e-4],
        "trainer.epochs": [1, 2, 3],
        "trainer.batch_size": [8, 16, 32],
        "trainer.class_weights": [True, False],
        "trainer.first_kept_epoch": [1, 2],
        "trainer.decay_attention": [True, False],
        "model.embedding_width": [4, 5, 6],
    },
    "cells": {
        "model.attention.type": ["tanh", "sdp"],
        "model.attention.projection": ["softmax", "sparsemax"],
        "blocks": BLOCKS,
    },
    "seeds": list(range(SEEDS)),
}


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Take seconds and memory of what remains to be done once the last model is there."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.studies", folder]
        subprocess.run([*command, "make"], check=True, capture_output=True)
        told = subprocess.run([*command, "lay out"], check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, told.split()[-2:])
    name = f"a study of {MODELS:,} finished models, laid out ({megabytes:.0f} MB)"
    kept = seconds < SECONDS and megabytes < MEGABYTES
    yield Result(name, seconds, None, f"< {SECONDS:g} s, < {MEGABYTES:g} MB", kept)


def main(folder: Path, what: str) -> None:
    """Make up the models' numbers, or lay them out and print seconds and megabytes."""
    from attex.runner.engine import choose_engine
    from attex.runner.stages.numbers import NumbersStage
    from attex.runner.workspace import Workspace
    from attex.studies.run_studies import run_studies, told_apart

    file = folder / "thousand.json"
    file.write_text(json.dumps(STUDY))
    until = "report"
    if what == "make":
        # What is timed is not the training.
        NumbersStage.make = made_up  # type: ignore[method-assign, assignment]
        until = "findings"
    started = time.perf_counter()
    studies, _ = told_apart([file], [], {})
    workspace = Workspace.at(output=folder, device="cpu")
    assert run_studies(studies, workspace, choose_engine(None, 1, {}, workspace), until)
    took = time.perf_counter() - started
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


def made_up(stage: Any, folder: Path, inputs: Mapping[str, Path], workspace: Any) -> None:
    """Write numbers of the size and the names that a model's have."""
    import torch

    from attex.config.loading import validate
    from attex.foundations.storage import write_json, write_tensors
    from attex.runner.plan import Plan

    draw = np.random.default_rng(abs(hash(stage.key)) % 2**32)
    plan = Plan(validate(stage.settings["experiment"]), workspace, stage.settings["left_out"])
    names = sorted({"development_accuracy", *plan.offers()})
    rows = [[name, "overall", float(draw.random())] for name in names]
    write_json(folder / "numbers.json", {"about": plan.about(), "quantities": rows, "drawn": names})
    offsets = torch.from_numpy(draw.normal(scale=0.01, size=(len(names), 200))).half()
    write_tensors(folder / "draws.safetensors", {"offsets": offsets})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
