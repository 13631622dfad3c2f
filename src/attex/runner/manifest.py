"""What a result was made with: versions, hardware, inputs, seconds."""

import platform
from collections.abc import Mapping
from typing import Any

import torch

import attex
from attex.runner.dependencies import version_of
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

_PACKAGES = ("torch", "numpy", "scipy", "entmax", "pydantic", "polars", "altair", "safetensors")


def manifest(
    plan: Plan, workspace: Workspace, written_before: Mapping[str, int | None]
) -> dict[str, Any]:
    """Describe a finished run; what was `written_before` it began, and is still there, was cached."""
    device, cache, stages = workspace.device, workspace.cache, plan.stages()
    records = {stage.key: cache.record(stage) for stage in stages}
    cached = {stage.key: cache.written(stage) == written_before[stage.key] for stage in stages}
    return {
        "experiment": plan.config.name,
        **made_with(device),
        "seeds": list(plan.config.seeds),
        "files": plan.files,
        "left_out": plan.left_out,
        "stages": [
            {
                "kind": record.kind,
                "title": record.title,
                "key": key,
                "content": record.content,
                "inputs": {name: needed["key"] for name, needed in record.inputs.items()},
                "device": record.device,
                "threads": record.threads,
                "seconds": record.seconds,
                "cached": cached[key],
            }
            for key, record in records.items()
        ],
    }


def made_with(device: torch.device) -> dict[str, Any]:
    """Name versions and hardware."""
    return {
        "attex": attex.__version__,
        "python": platform.python_version(),
        "packages": {name: there for name in _PACKAGES if (there := version_of(name))},
        "hardware": {
            "machine": platform.machine(),
            "system": platform.system(),
            "threads": torch.get_num_threads(),
            "device": _device_name(device),
        },
    }


def _device_name(device: torch.device) -> str:
    # A task may have had a GPU where this process has none.
    here = device.type == "cuda" and torch.cuda.is_available()
    return torch.cuda.get_device_name(device) if here else device.type
