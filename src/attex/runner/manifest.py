"""What a result was made with: versions, hardware, inputs, seconds."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

import attex
from attex.runner.plan import Plan
from attex.runner.stage import Cache

_PACKAGES = ("torch", "numpy", "scipy", "entmax", "pydantic", "polars", "altair", "safetensors")


def manifest(plan: Plan, cache: Cache, device: torch.device, made_now: set[str]) -> dict[str, Any]:
    """Describe a finished run; `made_now` are the keys of stages this run computed itself."""
    return {
        "experiment": plan.config.name,
        "attex": attex.__version__,
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "hardware": {
            "machine": platform.machine(),
            "system": platform.system(),
            "threads": torch.get_num_threads(),
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        },
        "seeds": list(plan.config.seeds),
        "files": plan.files,
        "stages": [
            {
                "kind": stage.kind,
                "title": stage.title,
                "key": stage.key,
                "seconds": cache.seconds(stage),
                "cached": stage.key not in made_now,
            }
            for stage in plan.stages()
        ],
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
