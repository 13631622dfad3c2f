"""Any registered analysis, led through everything that a run does with it, on two toy models."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from toy_evidence import LENGTHS, split
from toys import make_model

from attex.analyses.analysis import (
    ANALYSED,
    ANALYSES,
    VARIANTS,
    Analysis,
    Evidence,
    Result,
    SeedEvidence,
    Subject,
)
from attex.data.corpus import Corpus
from attex.foundations.storage import read_tensors, write_tensors
from attex.importance.measure import MEASURES

ABOUT = {
    "experiment": "toy",
    "dataset": "toy",
    "encoder": "lstm",
    "attention": "tanh",
    "projection": "softmax",
}
SEEDS = (0, 1)
MEASURED = ("attention", "gradient", "gradient_norm", "gradient_norm[hidden]")
"""One of each kind that an analysis may ask for."""
EVERY = [entry.name for entry in ANALYSES]
CPU = torch.device("cpu")
BOUNDED = ("agreement", "truth")
"""Analyses whose numbers have chance beside them if asked for: here they do."""
ENCODERS = {"stacked_attention": "transformer"}
"""What an analysis is shown that has nothing to say of an LSTM."""


def _corpus(classes: int) -> Corpus:
    texts = {name: split() for name in ("train", "dev", ANALYSED)}
    return Corpus([f"w{i}" for i in range(11)], 11, ["no", "yes", "maybe"][:classes], texts, {})


def _stored(findings: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Give findings back as files do: by name, in the order of the alphabet."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "findings.safetensors"
        write_tensors(path, findings)
        return dict(sorted(read_tensors(path)[0].items()))


@cache
def led_through(name: str, classes: int = 2, constant: bool = False) -> Result | None:
    """Return what the analysis as it comes lays out; None where it lacks something."""
    prepared = examined(name, classes, constant)
    return None if prepared is None else prepared[0](prepared[1])


@cache
def examined(name: str, classes: int = 2, constant: bool = False) -> tuple[Analysis, Evidence] | None:
    """Return the analysis and all that it found out of two models; None where it lacks something.

    With `constant`, all tokens of a text have the same score: much is undefined, nothing may fail.
    """
    bounds = {"bounds": True} if name in BOUNDED else {}
    analysis: Analysis = ANALYSES.bind(ANALYSES.spec({"type": name} | bounds))
    corpus = _corpus(classes)
    measures = tuple(MEASURES.spec(measure) for measure in MEASURED)
    encoder = ENCODERS.get(name, "lstm")
    models = [make_model(encoder, classes=classes, seed=seed) for seed in SEEDS]
    if analysis.lacks(models[0], corpus) is not None:
        return None
    analysis.check(corpus, measures)
    wanted = analysis.requires(measures, type(models[0].encoder))
    assert set(wanted) <= set(VARIANTS)
    seeds = []
    for seed, model in zip(SEEDS, models, strict=True):
        rng = np.random.default_rng(seed)

        def scores(rng: np.random.Generator = rng) -> dict[str, torch.Tensor]:
            spread = 0.0 if constant else 1.0
            return {m.title: 1 + spread * torch.tensor(rng.random(sum(LENGTHS))) for m in measures}

        own = scores()
        findings: dict[str, torch.Tensor] = {}
        if analysis.examines:
            subject = Subject(
                corpus,
                CPU,
                measures if analysis.examines_scores else (),
                own if analysis.examines_scores else {},
                {variant: scores() for variant in wanted},
                lambda model=model: model,  # type: ignore[misc]
            )
            if analysis.examines_untrained:
                fresh = make_model(classes=classes, seed=100 + seed)
                subject = Subject(**vars(subject) | {"load_untrained": lambda fresh=fresh: fresh})
            findings = _stored(analysis.examine(subject))
        logits = torch.tensor(rng.normal(size=(len(LENGTHS), 1 if classes == 2 else classes)))
        predicted = (logits[:, 0] > 0).long() if classes == 2 else logits.argmax(dim=1)
        read = own if analysis.reads_scores else {}
        seeds.append(SeedEvidence(seed, logits, predicted.numpy(), read, findings))
    return analysis, Evidence(ABOUT, corpus, measures, tuple(seeds))
