"""Training steps that are recorded once for each shape and replayed, where a GPU can.

A step of these small models is a hundred tiny kernels: launching them takes longer than running
them. A recorded step is launched as one.
"""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.progress import say

Step = Callable[[Batch], Tensor]
"""Forward, backward and optimiser on one batch; returns its loss."""

_WIDTHS = ((64, 4), (128, 8))
_WIDEST = 16
"""Up to a width, what it is padded to a multiple of: a step takes as long as its texts are wide, and
each width is recorded once. Short texts would be half padding, long ones recorded too often."""


def recorded_width(width: int) -> int:
    """Return the width that a recorded step pads a batch to: few recordings serve all batches."""
    multiple = next((each for limit, each in _WIDTHS if width <= limit), _WIDEST)
    return -(-width // multiple) * multiple


_WARM_UP = 3


class RecordedSteps:
    """Runs a step on batches of full size by replaying it, on all others as it is."""

    def __init__(self, step: Step, full_size: int, device: torch.device) -> None:
        self._step = step
        self._full_size = full_size
        self._recordings: dict[tuple[int, ...], tuple[torch.cuda.CUDAGraph, Batch, Tensor]] = {}
        self._done = 0
        self._possible = device.type == "cuda"
        cuda: Any = torch.cuda
        self._stream = cuda.Stream(device) if self._possible else None
        self._pool = torch.cuda.graph_pool_handle() if self._possible else None

    def width(self, width: int) -> int:
        """Return the width that a batch of this one must be padded to."""
        return recorded_width(width) if self._possible else width

    def stream(self) -> AbstractContextManager[object]:
        """Where all steps must run: what is recorded and what is not, on one stream."""
        if self._stream is None:
            return contextlib.nullcontext()
        self._stream.wait_stream(torch.cuda.current_stream())
        return torch.cuda.stream(self._stream)

    def __call__(self, batch: Batch) -> Tensor:
        """Train on a batch and return its loss, which the next call may overwrite."""
        self._done += 1
        # The first steps are not recorded: they make what is made once, as the optimiser's state.
        if not self._possible or self._done <= _WARM_UP or len(batch) != self._full_size:
            return self._step(batch)
        widths = tuple(text.tokens.shape[1] for text in (batch, batch.query) if text is not None)
        if widths not in self._recordings and not self._record(batch, widths):
            return self._step(batch)
        graph, inputs, loss = self._recordings[widths]
        for target, value in zip(inputs.tensors().values(), batch.tensors().values(), strict=True):
            target.copy_(value)
        graph.replay()
        return loss

    def forget(self) -> None:
        """Give back what the recordings keep of the GPU's memory, now and not when it is collected."""
        self._recordings.clear()

    def _record(self, batch: Batch, widths: tuple[int, ...]) -> bool:
        inputs = batch.clone()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, pool=self._pool, stream=self._stream):
                loss = self._step(inputs)
        except RuntimeError as error:
            self._possible = False
            say(f"  steps are not recorded: {str(error).splitlines()[0]}")
            return False
        self._recordings[widths] = graph, inputs, loss
        return True
