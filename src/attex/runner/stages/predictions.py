"""A trained model → its logits on the analysed texts, and how good they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import ANALYSED
from attex.data.batch import Batcher
from attex.foundations.progress import say
from attex.foundations.storage import write_json, write_tensors
from attex.runner.kept import corpus_in, trained_model
from attex.runner.stage import Stage
from attex.training.metrics import classification_metrics
from attex.training.prediction import predict

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class PredictionsStage(Stage):
    """Settings: `model`; unkeyed `trainer` and `sources`. Inputs: corpus, training, sources."""

    kind, version = "predictions", 1
    named_by = ("model",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Run the model over the texts."""
        corpus, device = corpus_in(inputs["corpus"]), workspace.device
        model = trained_model(self.settings, corpus, inputs, device)
        logits = predict(model, Batcher(corpus, ANALYSED, device))
        write_tensors(folder / "logits.safetensors", {"logits": logits})
        scores = classification_metrics(logits, corpus.splits[ANALYSED].labels)
        write_json(folder / "metrics.json", scores)
        say(f"  {ANALYSED} accuracy {scores['accuracy']:.4f}")
