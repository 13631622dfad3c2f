"""Lead an experiment through its stages."""

from pathlib import Path

import torch

from attex.config.schema import ExperimentConfig
from attex.data.corpus import Corpus
from attex.data.folder import DataFolder
from attex.foundations.memory import release
from attex.foundations.progress import say
from attex.runner.manifest import manifest
from attex.runner.plan import Plan
from attex.runner.stage import Cache


def execute(
    config: ExperimentConfig,
    data: DataFolder,
    output: Path,
    device: torch.device,
    until: str = "report",
) -> Path | None:
    """Run an experiment; what is in the cache is not computed again.

    Returns the run folder, or None when `until` ends it earlier.
    """
    plan, cache = Plan(config, data, device), Cache(output / ".cache")
    made_now = {stage.key for stage in plan.stages(until) if not cache.has(stage)}
    plan.check(Corpus.load(cache.obtain(plan.corpus)))
    for stage in plan.stages(until):
        cache.obtain(stage)
        release(device)
    if until != "report":
        return None
    # Only the last step draws and lays out: the stages before it run on a bare machine too.
    from attex.runner.folder import write_run_folder

    say(f"report: {config.name}")
    return write_run_folder(plan, cache, output, manifest(plan, cache, device, made_now))


def prepare(config: ExperimentConfig, data: DataFolder, output: Path, device: torch.device) -> None:
    """Make what all seeds share, and check the experiment against it."""
    plan, cache = Plan(config, data, device), Cache(output / ".cache")
    for stage in plan.stages(until="corpus"):
        cache.obtain(stage)
    plan.check(Corpus.load(cache.folder(plan.corpus)))


def outline(config: ExperimentConfig, data: DataFolder, output: Path, device: torch.device) -> str:
    """List the stages of an experiment and which of them are in the cache."""
    plan, cache = Plan(config, data, device), Cache(output / ".cache")
    return "\n".join(
        f"{'cached ' if cache.has(stage) else 'to do  '} {stage.kind:12} {stage.title}"
        for stage in plan.stages()
    )
