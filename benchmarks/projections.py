"""Sparse projections by steps against sorting, as in the package `entmax`."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from entmax import entmax15, sparsemax

from attex.models import projections
from benchmarks.timing import Result, compare

HEADS, LENGTHS = 12, (128, 256)


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Project all rows of a layer of self-attention on one text."""
    for length in LENGTHS:
        drawn = torch.Generator().manual_seed(0)
        energies = 2 * torch.randn(HEADS * length, length, generator=drawn)
        mask = torch.ones_like(energies, dtype=torch.bool)
        for name, by_sorting in (("sparsemax", sparsemax), ("entmax15", entmax15)):
            ours = partial(getattr(projections, name), energies, mask)
            theirs = partial(by_sorting, energies, dim=-1)
            assert torch.allclose(ours(), theirs(), atol=1e-6)
            what = f"{name}, {HEADS} heads on {length} positions, against sorting"
            yield compare(what, ours, theirs, at_least=3.0, times=10)
