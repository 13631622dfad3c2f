"""What the scripts of the results share: run what is missing, read what was found."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from torch import Tensor

from attex.analyses.summary import ALL_SEEDS
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import MissingData
from attex.foundations.progress import say
from attex.foundations.storage import read_tensors
from attex.runner.engine import choose_engine
from attex.runner.execution import execute
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace
from results.records import record


def options(description: str | None) -> argparse.ArgumentParser:
    """Return the options that every script has."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--output-dir", type=Path, default=Path("outputs"))
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--at-hand", action="store_true", help="compute nothing: use the seeds in the cache"
    )
    return parser


class Found:
    """What one experiment found: its tables by name, and what was found of each model."""

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        cache = workspace.cache
        self.name = plan.config.name
        self.record = record(plan, workspace)
        self.tables: dict[str, pl.DataFrame] = {}
        for stage in plan.analyses.values():
            folder = cache.obtain(stage, workspace)
            for path in sorted(folder.glob("tables/*.parquet")):
                self.tables[f"tables/{path.stem}"] = pl.read_parquet(path)
        self._plan, self._cache = plan, cache
        self._findings: dict[str, dict[int, dict[str, Tensor]]] = {}

    def findings(self, analysis: str) -> dict[int, dict[str, Tensor]]:
        """Return what an analysis found of the model of each seed."""
        if analysis not in self._findings:
            stages = {seed: each.findings[analysis] for seed, each in self._plan.seeds.items()}
            self._findings[analysis] = {
                seed: read_tensors(self._cache.folder(stage) / "findings.safetensors")[0]
                for seed, stage in stages.items()
            }
        return self._findings[analysis]

    def pooled(self, table: str) -> pl.DataFrame:
        """Return the rows over all seeds, or of the only one."""
        whole = self.tables[f"tables/{table}"]
        rows = whole.filter(pl.col("seed") == ALL_SEEDS)
        return whole if rows.is_empty() else rows


def stacked(findings: Sequence[dict[int, dict[str, Tensor]]], name: str) -> np.ndarray:
    """Put one finding of several experiments side by side, of the seeds that all have: [E,S,N]."""
    shared = sorted(set.intersection(*(set(each) for each in findings)))
    return np.array([[each[seed][name].numpy() for seed in shared] for each in findings])


def _at_hand(plan: Plan, workspace: Workspace) -> ExperimentConfig:
    """Leave out the seeds of which something is still to be found."""
    has = workspace.cache.has
    seeds = [n for n, seed in plan.seeds.items() if all(has(s) for s in seed.findings.values())]
    if not seeds:
        raise MissingData(f"no seed of {plan.config.name} is in the cache")
    return ExperimentConfig.model_validate(plan.config.resolved() | {"seeds": seeds})


def obtain(configs: Sequence[ExperimentConfig], asked: argparse.Namespace) -> dict[str, Found]:
    """Run what the cache lacks and read all, by experiment; absent data is skipped with a line."""
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    wanted = []
    for config in configs:
        try:
            if asked.at_hand:
                config = _at_hand(Plan(config, workspace), workspace)
            wanted.append(config)
        except MissingData as missing:
            say(f"{config.name} skipped: {missing}")
    engine = choose_engine(None, asked.jobs, {}, workspace)
    found = {}
    for done in () if asked.at_hand else execute(wanted, workspace, engine, "findings"):
        if isinstance(done.trouble, MissingData):
            say(f"{done.config.name} skipped: {done.trouble}")
            wanted.remove(done.config)
        elif done.trouble is not None:
            raise done.trouble
    for config in wanted:
        found[config.name] = Found(Plan(config, workspace), workspace)
    return found
