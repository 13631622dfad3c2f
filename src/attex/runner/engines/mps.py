"""Several processes on one NVIDIA GPU share it through MPS, which runs their kernels side by side."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import torch

from attex.foundations.progress import say

_CONTROL = "nvidia-cuda-mps-control"
_PIPE = "CUDA_MPS_PIPE_DIRECTORY"

_GUARD = """
import subprocess, sys
server = subprocess.Popen([sys.argv[1], "-f"], stdin=subprocess.DEVNULL)
sys.stdin.read()
subprocess.run([sys.argv[1]], input=b"quit\\n", timeout=10, check=False)
try:
    server.wait(10)
except subprocess.TimeoutExpired:
    server.kill()
"""
"""Keeps the server in the foreground until its own input ends, which is when the driver does."""


@contextlib.contextmanager
def shared_gpu(device: torch.device, processes: int) -> Iterator[dict[str, str]]:
    """Start MPS for the time being, and yield what processes must find in their environment.

    Nothing is started for one process, without a GPU, where MPS is not installed, or where somebody
    runs it already.
    """
    if device.type != "cuda" or processes < 2 or not shutil.which(_CONTROL) or _PIPE in os.environ:
        yield {}
        return
    # The paths of sockets must be short.
    with tempfile.TemporaryDirectory(prefix="mps-", dir="/tmp") as folder:
        variables = {_PIPE: folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        guard = subprocess.Popen(
            [sys.executable, "-c", _GUARD, _CONTROL],
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        say(f"{processes} processes share the GPU through MPS")
        try:
            yield variables
        finally:
            assert guard.stdin is not None
            guard.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                guard.wait(30)
