"""Work in pieces that fit a memory budget."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

Budget = Annotated[int, Field(ge=1, le=2**50)]
"""Bytes of memory, as an option."""

DEFAULT_BUDGET = 256 * 2**20
"""Bytes that one piece of a computation may take unless told otherwise."""


def spans(total: int, bytes_each: int, budget: int = DEFAULT_BUDGET) -> Iterator[slice]:
    """Cut `range(total)` into slices of at most `budget` bytes, one item at the least."""
    step = max(1, budget // max(1, bytes_each))
    for start in range(0, total, step):
        yield slice(start, min(start + step, total))
