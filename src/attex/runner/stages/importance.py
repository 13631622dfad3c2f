"""A model and a measure → a score for every token of a split."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from attex.analyses.analysis import PERMUTED, UNTRAINED
from attex.data.batch import Batcher
from attex.foundations.storage import write_tensors
from attex.importance.measure import MEASURES, Measure, growth, made
from attex.importance.scoring import score_texts
from attex.models.classifier import AttentionModel
from attex.models.imposed import PermutedAttention
from attex.runner.kept import corpus_in, trained_model, untrained_model
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


_QUERIES = "queries"
"""Where pieces of the scores of queries lie until all are there."""


class ImportanceStage(Stage):
    """Settings: `measure`, `model`, `split`; of a variant of the model also `variant` and `seed`.

    Inputs: corpus, sources; training, or for the untrained model vectors, if the experiment has any.
    """

    kind, version = "importance", 2
    named_by = ("measure",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Score all texts, and queries that are attended to, in pieces that survive a kill."""
        corpus, device = corpus_in(inputs["corpus"]), workspace.device
        variant = self.settings.get("variant")
        load = untrained_model if variant == UNTRAINED else trained_model
        model = load(self.settings, corpus, inputs, device)
        texts = Batcher(corpus, self.settings["split"], device)
        measure = made(MEASURES.spec(self.settings["measure"]), corpus)
        scores = {"scores": self._scored(model, measure, texts, folder, "")}
        if model.attends_to_query:
            asked = folder / _QUERIES
            asked.mkdir(exist_ok=True)
            turned = model.turned(), measure, texts.turned()
            scores["query_scores"] = self._scored(*turned, asked, ", of queries")
        write_tensors(folder / "scores.safetensors", scores)
        shutil.rmtree(folder / _QUERIES, ignore_errors=True)
        for piece in folder.glob("piece-*"):
            piece.unlink()

    def _scored(
        self, model: AttentionModel, measure: Measure, texts: Batcher, folder: Path, also: str
    ) -> Tensor:
        if self.settings.get("variant") == PERMUTED:
            model = PermutedAttention(model, self.settings["seed"])
        power = growth(MEASURES.spec(self.settings["measure"]), model.encoder)
        return score_texts(model, measure, texts, folder, self.title + also, power)
