"""Work in pieces that fit a memory budget."""

from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

import torch
from pydantic import Field

Budget = Annotated[int, Field(ge=1, le=2**50)]
"""Bytes of memory, as an option; it changes no result, so an option with it is `RUNTIME`."""

DEFAULT_BUDGET = 256 * 2**20
"""Bytes that one piece of a computation may take unless told otherwise."""

GPU_BUDGET = 8 * 2**30
"""The same on a GPU, whose work must come in large pieces to be worth launching."""


_SMALLEST_BUDGET = 2**24
"""Where there is no room for this much, there is none for anything."""

Result = TypeVar("Result")


def budget_on(device: torch.device) -> int:
    """Return the budget of a device."""
    return GPU_BUDGET if device.type == "cuda" else DEFAULT_BUDGET


def release(device: torch.device) -> None:
    """Give back what a GPU's allocator keeps for later: other processes may need it now."""
    if device.type == "cuda":
        torch.cuda.empty_cache()


def backing_off(compute: Callable[[int], Result], budget: int) -> Result:
    """Call compute(budget), with half the budget again and again while a GPU runs out of memory."""
    while True:
        try:
            return compute(budget)
        except torch.OutOfMemoryError:
            if budget < _SMALLEST_BUDGET:
                raise
        # Outside the handler: the error holds on to the tensors that were in the way.
        torch.cuda.empty_cache()
        budget //= 2


def spans(total: int, bytes_each: int, budget: int = DEFAULT_BUDGET) -> Iterator[slice]:
    """Cut `range(total)` into slices of at most `budget` bytes, one item at the least."""
    step = max(1, budget // max(1, bytes_each))
    for start in range(0, total, step):
        yield slice(start, min(start + step, total))
