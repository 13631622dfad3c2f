"""What a result was made from: files, settings and stages."""

import platform
from typing import Any

import torch

import attex
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace


def record(plan: Plan, workspace: Workspace) -> dict[str, Any]:
    """Describe how an experiment came about, as far as its stages are in the cache."""
    return {
        # Where the tables were laid out; models may have been trained elsewhere.
        "laid_out_with": {
            "attex": attex.__version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
        },
        "seeds": list(plan.config.seeds),
        "files": {path.rsplit("/", 1)[-1]: digest for path, digest in sorted(plan.files.items())},
        "stages": [
            {
                "kind": stage.kind,
                "title": stage.title,
                "key": stage.key,
                "seconds": workspace.cache.record(stage).seconds,
            }
            for stage in plan.stages("analyses")
            if workspace.cache.has(stage)
        ],
    }
