"""An experiment with one seed → the numbers of its model, and nothing else that takes room."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from attex.analyses.quantity import Quantity, drawn
from attex.config.loading import validate
from attex.foundations.progress import quietly
from attex.foundations.storage import read_json, write_json, write_tensors
from attex.runner.evidence import findings_of, gather, predictions_of, scores_of
from attex.runner.kept import corpus_in
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.plan import Plan
    from attex.runner.workspace import Workspace

DRAWS = 200
"""Samples of the texts for which every quantity is kept: what intervals of differences are made of."""
_SCRATCH = "scratch"


class NumbersStage(Stage):
    """Settings: a digest of what the model is `made_of`. Inputs: corpus, vectors.

    Unkeyed settings: the `experiment`, the `folder` of its file, and what is `left_out` of it.

    The model is trained, scored and examined as any other, but in a folder of its own that goes when the
    numbers are there; what the cache already has is taken from there. A killed one goes on.
    """

    kind, version = "numbers", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Go through all stages of the experiment, and keep their numbers."""
        from attex.runner.plan import Plan

        place = self.settings["folder"]
        config = validate(self.settings["experiment"], folder=None if place is None else Path(place))
        scratch = workspace.within(folder / _SCRATCH)
        with quietly():
            plan = Plan(config, scratch, self.settings["left_out"])
            for stage in plan.stages("findings"):
                scratch.cache.obtain(stage, scratch)
            quantities = [*_quantities(plan, scratch)]
        bounded = [quantity for quantity in quantities if quantity.above is not None]
        offsets = drawn(bounded, DRAWS) - np.array([quantity.value for quantity in bounded])[:, None]
        # Half precision of the small offset, not of the number, is exact enough to bound it.
        write_tensors(folder / "draws.safetensors", {"offsets": torch.from_numpy(offsets).half()})
        rows = [[q.name, q.class_, q.value if q.value == q.value else None] for q in quantities]
        facts = {"about": plan.about(), "quantities": rows, "drawn": [q.name for q in bounded]}
        write_json(folder / "numbers.json", facts)
        shutil.rmtree(folder / _SCRATCH, ignore_errors=True)


def _quantities(plan: "Plan", workspace: "Workspace") -> Iterator[Quantity]:
    """Yield how good the model was when it was kept, and what each analysis has to say of it."""
    cache = workspace.cache
    ((seed, stages),) = plan.seeds.items()
    history = read_json(cache.folder(stages.training) / "history.json")
    best = history["epochs"][history["best_epoch"] - 1]
    yield Quantity("development_accuracy", best["accuracy"])
    # What an adversary is judged by, beside how far it was trained to be.
    for name in ("tvd", "jsd"):
        if name in best:
            yield Quantity(f"development_{name}", best[name])
    yield Quantity("kept_epoch", history["best_epoch"])
    corpus = corpus_in(cache.folder(plan.corpus))
    for name, method in plan.methods.items():
        inputs = {predictions_of(seed): cache.folder(stages.predictions)}
        if method.reads_scores:
            inputs |= {scores_of(m, seed=seed): cache.folder(s) for m, s in stages.importance.items()}
        if method.examines:
            inputs[findings_of(seed)] = cache.folder(stages.findings[name])
        evidence = gather(plan.about(), corpus, plan.measures, (seed,), inputs)
        yield from method.quantities(evidence)
