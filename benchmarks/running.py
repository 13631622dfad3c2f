"""Lead one experiment through its stages, in this process."""

from pathlib import Path

import torch

from attex.config.schema import ExperimentConfig
from attex.data.folder import DataFolder
from attex.runner.engine import choose_engine
from attex.runner.execution import execute
from attex.runner.workspace import Workspace


def run_until(
    config: ExperimentConfig, data: Path, output: Path, device: torch.device, until: str
) -> None:
    """Make its stages up to one kind, as far as they are not in the cache; raise what goes wrong."""
    workspace = Workspace(DataFolder.at(data), output, device)
    engine = choose_engine("serial", 1, {}, workspace)
    for done in execute([config], workspace, engine, until):
        if done.trouble is not None:
            raise done.trouble
