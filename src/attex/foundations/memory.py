"""Work in pieces that fit a memory budget, and how much may be held for longer."""

import os
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

_HELD_BUDGET = 2**30
"""Bytes that may be kept as long as a training takes, where there is no GPU."""

_SHARERS = "ATTEX_GPU_SHARERS"

_SMALLEST_BUDGET = 2**24
"""Where there is no room for this much, there is none for anything."""

Result = TypeVar("Result")


def shared_by(processes: int, device: torch.device) -> dict[str, str]:
    """Return what processes must find in their environment to share a GPU's memory in equal parts."""
    return {_SHARERS: str(processes)} if device.type == "cuda" and processes > 1 else {}


def sharers() -> int:
    """Return how many processes share the GPU that this one computes on."""
    return max(1, int(os.environ.get(_SHARERS, "1")))


def budget_on(device: torch.device) -> int:
    """Return the budget of a device, of which a GPU that others use too has only a part."""
    if device.type != "cuda":
        return DEFAULT_BUDGET
    return min(GPU_BUDGET, _part_of(device) // 4)


def held_budget_on(device: torch.device) -> int:
    """Return how much may be kept as long as a training takes: half of this process's part of a GPU.

    The other half is for the work itself. How many processes share another machine is not known.
    """
    return _part_of(device) // 2 if device.type == "cuda" else _HELD_BUDGET


def _part_of(device: torch.device) -> int:
    return int(torch.cuda.get_device_properties(device).total_memory) // sharers()


def keep_to_share(device: torch.device) -> None:
    """Let this process have no more than its part of a GPU's memory: else one starves the others."""
    if device.type == "cuda" and sharers() > 1:
        number = torch.cuda.current_device() if device.index is None else device.index
        torch.cuda.set_per_process_memory_fraction(1.0 / sharers(), number)


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
