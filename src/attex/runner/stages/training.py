"""A corpus → a trained model, and the history of its training."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.foundations.storage import write_json, write_tensors
from attex.runner.kept import corpus_in, fresh_model, source_models
from attex.runner.stage import Stage
from attex.training.trainer import TRAINERS, Trainer

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class TrainingStage(Stage):
    """Settings: `model`, `trainer`, `seed`, and how the `sources` were made, by name.

    Inputs: corpus; vectors, if the experiment has any; for each source its training, `source NAME`, and
    for those that it has in turn theirs, `source NAME.INNER`.
    """

    kind, version = "training", 1
    named_by = ("trainer", "model")

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Train from the last checkpoint on, if a killed training has left one."""
        corpus, device, settings = corpus_in(inputs["corpus"]), workspace.device, self.settings
        trainer: Trainer = TRAINERS.bind(TRAINERS.spec(settings["trainer"]))
        model = fresh_model(settings, corpus, inputs, device)
        sources = source_models(settings, corpus, inputs, device)
        checkpoint = folder / "checkpoint.safetensors"
        progress = trainer.fit(model, corpus, settings["seed"], checkpoint, device, sources)
        write_tensors(folder / "model.safetensors", progress.best_state)
        history = {"best_epoch": progress.best_epoch, "epochs": progress.history}
        write_json(folder / "history.json", history)
        checkpoint.unlink(missing_ok=True)
