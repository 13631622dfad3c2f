"""Scores of made-up models on made-up texts, for tests of analyses."""

import numpy as np
import torch

from attex.analyses.analysis import Evidence, SeedEvidence
from attex.data.corpus import Corpus, Split, stable_id

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
    )


def evidence(seeds: int = 2, truth: bool = True) -> Evidence:
    texts = split(truth)
    corpus = Corpus([f"w{i}" for i in range(11)], 11, ["no", "yes"], {"test": texts}, {})
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        scores = {m: torch.tensor(rng.random(sum(LENGTHS))) for m in ("attention", "gradient")}
        scores["sparse"] = torch.tensor(np.maximum(rng.random(sum(LENGTHS)) - 0.5, 0))
        logits = torch.tensor(rng.normal(size=(len(LENGTHS), 1)))
        found.append(SeedEvidence(seed, logits, (logits[:, 0] > 0).numpy().astype(int), scores))
    return Evidence(ABOUT, corpus, ("attention", "gradient", "sparse"), tuple(found))
