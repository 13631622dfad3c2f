"""A trained model → what an analysis finds out about it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import ANALYSES, Analysis, Subject
from attex.foundations.storage import write_tensors
from attex.importance.measure import MEASURES
from attex.runner.evidence import read_scores
from attex.runner.kept import corpus_in, source_model, trained_model, untrained_model
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class FindingsStage(Stage):
    """Settings: `analysis`, `model`, `seed`, the `titles` and `variants` that it looks at.

    Inputs: corpus, training, sources; `scores of MEASURE`, and `scores of MEASURE, VARIANT`; vectors,
    where the analysis looks at the untrained model and the experiment has any. If it compares, there is
    `compared` (unkeyed), models beside this one by role and label, and their trainings, `source LABEL`.
    """

    kind, version = "findings", 1
    named_by = ("analysis",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Examine the model."""
        corpus, device, settings = corpus_in(inputs["corpus"]), workspace.device, self.settings
        analysis: Analysis = ANALYSES.bind(ANALYSES.spec(settings["analysis"]))
        measures = tuple(MEASURES.spec(measure) for measure in settings["measures"])
        titles = [measure.title for measure in measures]
        subject = Subject(
            corpus,
            device,
            measures if analysis.examines_scores else (),
            read_scores(inputs, titles),
            {variant: read_scores(inputs, titles, variant) for variant in settings["variants"]},
            lambda: trained_model(settings, corpus, inputs, device),
            query_scores=read_scores(inputs, titles, of="query_scores"),
            query_controls={
                variant: read_scores(inputs, titles, variant, of="query_scores")
                for variant in settings["variants"]
            },
        )
        if analysis.examines_untrained:
            # Only then are the vectors that such a model starts from among the inputs.
            untrained = untrained_model(settings, corpus, inputs, device)
            subject = replace(subject, load_untrained=lambda: untrained)
        if analysis.compares:
            with_itself = {name: {name: source} for name, source in settings["sources"].items()}
            loaders = {
                role: [
                    partial(source_model, one, name, corpus, inputs, device)
                    for name, one in models.items()
                ]
                for role, models in (with_itself | settings["compared"]).items()
            }
            subject = replace(subject, load_others=loaders)
        findings = analysis.examine(subject)
        write_tensors(folder / "findings.safetensors", {k: x.cpu() for k, x in findings.items()})
