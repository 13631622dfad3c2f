"""Chance and ceiling of every top-k row of a test set, against drawing for every text on its own."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import torch
from torch import Tensor

from attex.agreement.calibration import against
from attex.agreement.nulls import Shuffles
from attex.agreement.statistic import STATISTICS, Agreement
from attex.data.batch import ordered_batches
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from benchmarks.timing import Result, seconds, within

DRAWS = 999
STATISTIC_NAMES = ("top_k", "top_k_published")
SOME = 40
"""Texts of which the naive way is timed; it takes the same for each."""


def scores(lengths: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """Make up sparse attention and two measures without ties: [N,T] each, mask, k [N]."""
    torch.manual_seed(0)
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    measures = {name: torch.rand(mask.shape).double() for name in ("attention", "gradient", "erasure")}
    support = (lengths * 0.25 + 3 * torch.rand(len(lengths))).long().clamp(min=1).minimum(lengths)
    rank = measures["attention"].masked_fill(~mask, -1).argsort(dim=1, descending=True).argsort(dim=1)
    measures["attention"] = measures["attention"].where(rank < support[:, None], 0.0)
    return measures, mask, support


def rows(measures: dict[str, Tensor], mask: Tensor, ks: list[Tensor]) -> None:
    """Calibrate each statistic at each k for each pair of measures."""
    batches = ordered_batches(mask.sum(dim=1).numpy(), 65_536)
    for name in STATISTIC_NAMES:
        statistic = STATISTICS[name].target
        null = Shuffles(statistic, DRAWS)
        for k in ks:
            for a, b in combinations(measures.values(), 2):
                for chosen in batches:
                    wide = int(mask[chosen].sum(dim=1).max())
                    part = (x[chosen][:, :wide] for x in (a, b, mask))
                    against(statistic, null, *part, None, {"k": k[chosen]})


def each_alone(
    statistic: Callable[..., Agreement], a: Tensor, b: Tensor, mask: Tensor, k: Tensor
) -> None:
    """Shuffle one text after the other and compute the statistic of its draws."""
    for i in range(len(a)):
        x, y = a[i][mask[i]], b[i][mask[i]]
        order = torch.rand(DRAWS, len(y)).argsort(dim=1)
        whole = torch.ones(DRAWS, len(y), dtype=torch.bool)
        statistic(x.expand(DRAWS, -1), y[order], whole, k=int(k[i])).value.mean()


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Calibrate the test set of SST."""
    if data is None:
        return
    corpus = build_corpus(READERS.bind(READERS.spec("sst")), DataFolder.at(data))
    lengths = corpus.splits["test"].lengths
    measures, mask, support = scores(lengths)
    average = torch.full_like(support, int(lengths.double().mean()))
    every = torch.linspace(0, len(lengths) - 1, SOME).long()

    def naive() -> None:
        for name in STATISTIC_NAMES:
            for k in (support, average):
                for a, b in combinations(measures.values(), 2):
                    part = (x[every] for x in (a, b, mask, k))
                    each_alone(STATISTICS[name].target, *part)

    name = f"calibration, 12 top-k rows of SST's {len(lengths):,} texts, {DRAWS} draws"
    ours = within(name, lambda: rows(measures, mask, [support, average]), 5.0)
    yield replace(ours, naive=seconds(naive) * len(lengths) / SOME)
