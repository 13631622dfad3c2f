"""A model and a measure → a score for every token of a split."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import PERMUTED, UNTRAINED
from attex.data.batch import Batcher
from attex.foundations.storage import write_tensors
from attex.importance.measure import MEASURES, growth
from attex.importance.scoring import score_texts
from attex.models.imposed import PermutedAttention
from attex.runner.kept import corpus_in, trained_model, untrained_model
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class ImportanceStage(Stage):
    """Settings: `measure`, `model`, `split`; of a variant of the model also `variant` and `seed`.

    Inputs: corpus, sources; training, or for the untrained model vectors, if the experiment has any.
    """

    kind, version = "importance", 2
    named_by = ("measure",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Score all texts, in pieces that survive a kill."""
        corpus, device = corpus_in(inputs["corpus"]), workspace.device
        variant = self.settings.get("variant")
        load = untrained_model if variant == UNTRAINED else trained_model
        examined = load(self.settings, corpus, inputs, device)
        if variant == PERMUTED:
            examined = PermutedAttention(examined, self.settings["seed"])
        spec = MEASURES.spec(self.settings["measure"])
        power = growth(spec, examined.encoder)
        texts = Batcher(corpus, self.settings["split"], device)
        scores = score_texts(examined, MEASURES.bind(spec), texts, folder, self.title, power)
        write_tensors(folder / "scores.safetensors", {"scores": scores})
        for piece in folder.glob("piece-*"):
            piece.unlink()
