"""A grid over named keys: every number of every setting."""

from collections.abc import Iterator, Sequence

from attex.analyses.headline import Headline
from attex.analyses.summary import frame
from attex.report.study_page import Part
from attex.studies.designs import Design, every_combination
from attex.studies.leading import ACCURACY, agreements
from attex.studies.parts.matrices import matrix_parts
from attex.studies.parts.spread import spread_part
from attex.studies.parts.subject import Subject
from attex.studies.run_set import RunSet
from attex.studies.settings import setting_rows, undefined_everywhere
from attex.studies.study import STUDIES, Answer, Study


@STUDIES.register("sweep")
class Sweep(Study):
    """Every combination of the choices' levels, and what each quantity is there.

    The value of a setting is the mean over its seeds; the interval bounds the mean over texts and
    seeds drawn anew.
    """

    title = "Sweep"

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a sweep")

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Lay out every quantity of every setting."""
        rows = setting_rows(runs)
        part = Part(
            "Every setting",
            "Each value is the mean over a setting's seeds, with a 95 % interval over texts and seeds.",
            [*_undefined(runs)],
            tables={"tables/settings": frame(rows)},
        )
        accuracies = [row["value"] for row in rows if row["quantity"] == ACCURACY]
        headline = Headline(
            "How good are the models?", ACCURACY, max(accuracies), None, None, chance=None
        )
        lead = [f"Accuracy is {min(accuracies):.3f} to {max(accuracies):.3f} over all settings."]
        parts = [part, *matrix_parts(runs)]
        if runs.choices:
            names = dict.fromkeys(name for cell in runs.cells for name in cell.draws)
            spread = spread_part(Subject(runs, [*agreements(names), ACCURACY]), designs)
            lead += spread.sentences[:1]
            parts.append(spread)
        return Answer(lead, parts, [headline])


def _undefined(runs: RunSet) -> Iterator[str]:
    """Say once what is undefined in every setting, and in how many cells."""
    cells = len(runs.cells)
    told = [f"{name} ({count} of {cells} cells)" for name, count in undefined_everywhere(runs).items()]
    if told:
        yield f"Undefined in every setting: {', '.join(told)}."
