"""Kendall's τ with p-values against a loop over SciPy."""

from collections.abc import Iterator
from pathlib import Path

import torch
from scipy.stats import kendalltau

from attex.agreement.kendall import kendall_tau
from benchmarks.timing import Result, compare


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare at the lengths of SST and IMDB."""
    for length, texts, at_least in ((20, 2000, 5.0), (200, 1000, 5.0), (400, 500, 3.0)):
        torch.manual_seed(0)
        a, b = torch.rand(texts, length).double(), torch.rand(texts, length).double()
        mask = torch.ones(texts, length, dtype=torch.bool)
        rows = list(zip(a.numpy(), b.numpy(), strict=True))
        yield compare(
            f"kendall_tau, {texts:,} texts of {length} tokens",
            lambda a=a, b=b, mask=mask: kendall_tau(a, b, mask),
            lambda rows=rows: [kendalltau(x, y) for x, y in rows],
            at_least,
        )
