"""All that is known of an experiment's models → an analysis' tables, charts and headlines."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import ANALYSES
from attex.importance.measure import MEASURES
from attex.runner.evidence import gather, write_result
from attex.runner.kept import corpus_in
from attex.runner.quantities import write_quantities
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class AnalysisStage(Stage):
    """Settings: `analysis`, what the experiment is `about`, its `seeds`, the `titles` of its measures.

    Inputs: corpus; for each seed its predictions, and the scores and findings that the analysis reads
    (see `evidence` for their names).
    """

    kind, version = "analysis", 5
    named_by = ("analysis",)

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Lay the evidence out."""
        settings = self.settings
        evidence = gather(
            settings["about"],
            corpus_in(inputs["corpus"]),
            tuple(MEASURES.spec(measure) for measure in settings["measures"]),
            settings["seeds"],
            inputs,
        )
        analysis = ANALYSES.bind(ANALYSES.spec(settings["analysis"]))
        write_result(folder, analysis(evidence))
        write_quantities(folder, analysis, evidence)
