"""Scores of made-up models on made-up texts, for tests of analyses."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import Analysis, Evidence, Result, SeedEvidence, Subject
from attex.data.corpus import Corpus
from attex.data.split import Split, stable_id
from attex.foundations.registry import Spec
from attex.importance.measure import MEASURES

LENGTHS = [5, 1, 8, 3, 12, 2, 7, 4]
ABOUT = {"experiment": "toy", "dataset": "toy"}


def split(truth: bool = True) -> Split:
    total = sum(LENGTHS)
    generator = torch.Generator().manual_seed(0)
    return Split(
        words=torch.arange(total, dtype=torch.int32) % 7 + 4,
        starts=torch.tensor([0, *np.cumsum(LENGTHS)]),
        labels=torch.arange(len(LENGTHS)) % 2,
        ids=torch.tensor([stable_id(str(i)) for i in range(len(LENGTHS))]),
        names=[str(i) for i in range(len(LENGTHS))],
        truth=torch.rand(total, generator=generator) < 0.4 if truth else None,
        impermissible=torch.arange(total) % 5 == 0,
    )


def specs(*names: str) -> tuple[Spec, ...]:
    return tuple(MEASURES.spec(name) for name in names)


def evidence(seeds: int = 2, truth: bool = True, further: tuple[str, ...] = ()) -> Evidence:
    texts = split(truth)
    corpus = Corpus([f"w{i}" for i in range(11)], 11, ["no", "yes"], {"test": texts}, {})
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        scores = {m: torch.tensor(rng.random(sum(LENGTHS))) for m in ("attention", "gradient")}
        scores["leave_one_out"] = torch.tensor(np.maximum(rng.random(sum(LENGTHS)) - 0.5, 0))
        logits = torch.tensor(rng.normal(size=(len(LENGTHS), 1)))
        scores |= {m: torch.tensor(rng.random(sum(LENGTHS))) for m in further}
        found.append(SeedEvidence(seed, logits, (logits[:, 0] > 0).numpy().astype(int), scores))
    return Evidence(
        ABOUT, corpus, specs("attention", "gradient", "leave_one_out", *further), tuple(found)
    )


Controls = dict[int, dict[str, dict[str, Tensor]]]


def analysed(analysis: Analysis, given: Evidence, controls: Controls | None = None) -> Result:
    """Examine every seed and lay out what was found, as a run does."""

    def no_model() -> None:
        raise AssertionError("nothing here needs the model")

    seeds = []
    for seed in given.seeds:
        of_seed = (controls or {}).get(seed.seed, {})
        subject = Subject(
            given.corpus,
            torch.device("cpu"),
            given.measures,
            seed.scores,
            of_seed,
            no_model,  # type: ignore[arg-type]
        )
        seeds.append(replace(seed, scores={}, findings=analysis.examine(subject)))
    return analysis(replace(given, seeds=tuple(seeds)))
