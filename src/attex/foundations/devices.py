"""Which device computes, and that it computes in full precision."""

import re

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
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False
        keep_to_share(device)
    return device
