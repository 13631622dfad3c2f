"""A trained model → what a page shows of single texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import Subject
from attex.analyses.exploring import explore
from attex.foundations.storage import write_tensors
from attex.importance.measure import MEASURES
from attex.runner.evidence import read_scores
from attex.runner.kept import corpus_in, trained_model
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class ExploredStage(Stage):
    """Settings: `model`, the `titles` of the measures; unkeyed `measures`, `trainer` and `sources`.

    Inputs: corpus, training, sources; `scores of MEASURE`.
    """

    kind, version = "explored", 2
    named_by = ("model",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Read all texts once more, and keep what their outputs are made of."""
        corpus, device, settings = corpus_in(inputs["corpus"]), workspace.device, self.settings
        measures = tuple(MEASURES.spec(measure) for measure in settings["measures"])
        scores = read_scores(inputs, [measure.title for measure in measures])
        model = trained_model(settings, corpus, inputs, device)
        asked = read_scores(inputs, [*scores], of="query_scores")
        subject = Subject(corpus, device, measures, scores, {}, lambda: model, query_scores=asked)
        found = explore(subject)
        form = model.decoder.formula()
        names = {"head": "" if form is None else form[0]}
        tensors = {name: value.cpu().contiguous() for name, value in found.items()}
        write_tensors(folder / "explored.safetensors", tensors, names)
