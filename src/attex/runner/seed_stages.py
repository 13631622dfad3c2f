"""What is computed for one seed of an experiment."""

from dataclasses import dataclass

from attex.runner.stage import Stage


@dataclass(frozen=True)
class SeedStages:
    """What is computed for one seed.

    `controls` are the measures of each variant of its model, `findings` what analyses examined,
    `explored` what a page shows of single texts.
    """

    training: Stage
    predictions: Stage
    importance: dict[str, Stage]
    controls: dict[str, dict[str, Stage]]
    findings: dict[str, Stage]
    explored: Stage

    def every(self) -> list[Stage]:
        """Return all of them that numbers are made of."""
        scores = [
            stage for each in (self.importance, *self.controls.values()) for stage in each.values()
        ]
        return [self.training, self.predictions, *scores, *self.findings.values()]
