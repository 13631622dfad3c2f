"""Which device computes, and how precisely it does."""

import contextlib
import re
from collections.abc import Iterator

import torch

from attex.foundations.errors import UserError
from attex.foundations.memory import keep_to_share


def named_device(name: str) -> torch.device:
    """Turn `auto`, `cpu`, `cuda` or `cuda:1` into a device; auto takes a GPU where there is one.

    Whether it can be used is not tried: it may be that of another machine.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if not re.fullmatch(r"cpu|cuda(:\d+)?", name):
        raise UserError(f"--device {name}: expected auto, cpu, cuda or a numbered GPU as in cuda:1")
    return torch.device(name)


def choose_device(name: str) -> torch.device:
    """Turn a name into a device of this machine that can be used, as `named_device` reads it."""
    device = named_device(name)
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"--device {device} cannot be used here: {reason}") from None
    if device.type == "cuda":
        # TF32 keeps ten bits of a float32's mantissa: CPU and GPU would differ by 1e-3.
        _take_tf32(False, False)
        keep_to_share(device)
    return device


_steps: list[bool] = []
"""Whether the steps that are being made, if any, are exact ones."""


@contextlib.contextmanager
def training_steps(exact: bool) -> Iterator[None]:
    """Make steps of a training: on a GPU by kernels of their own, and in TF32 unless they must be exact.

    A model that is made in TF32 differs from one in float32 no more than either does from itself made
    again (docs/benchmarks.md). All that is measured of a model is computed outside of this, in float32.
    """
    _steps.append(exact)
    before = _take_tf32(not exact, not exact)
    try:
        yield
    finally:
        _steps.pop()
        _take_tf32(*before)


def in_training_steps() -> bool:
    """Say whether a step of a training is being made."""
    return bool(_steps)


def steps_are_exact() -> bool:
    """Say whether products must keep all bits of a float32."""
    return not _steps or _steps[-1]


def _take_tf32(matmul: bool, cudnn: bool) -> tuple[bool, bool]:
    """Choose for products, and for what cuDNN does; return what was chosen before."""
    products = torch.backends.cuda.matmul
    before = products.allow_tf32, torch.backends.cudnn.allow_tf32
    products.allow_tf32, torch.backends.cudnn.allow_tf32 = matmul, cudnn
    return before
