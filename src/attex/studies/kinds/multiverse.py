"""What a number depends on: the same model under every defensible choice."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from attex.analyses.headline import Headline
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec, did_you_mean
from attex.studies.bounds import bounded
from attex.studies.conclusion import CONCLUSIONS, concluded, missing, possible
from attex.studies.designs import Design, design_for
from attex.studies.leading import ACCURACY, agreements
from attex.studies.parts.concluding import conclusions_part
from attex.studies.parts.dependence import dependence_part
from attex.studies.parts.faithful import faithful_part
from attex.studies.parts.spread import spread_part
from attex.studies.parts.subject import Subject, cell_name
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study import STUDIES, Answer, Offered, Study

Accuracy = Annotated[float, Field(ge=0, le=1)]


@STUDIES.register("multiverse", cite="Steegen et al. 2016; Simonsohn et al. 2020")
class Multiverse(Study):
    """The spread of each number over the settings of all choices, and what it depends on.

    `asks` names conclusions (see `attex list conclusion`); without it, all that the models can answer
    are asked. `quantities` are the numbers whose spread and dependence are laid out: by default how
    attention agrees with each other measure, and accuracy. `least_accuracy` (one, or one by dataset)
    says from which accuracy on development texts on a universe counts as accurate: conclusions are
    counted over all, and over the accurate ones too.
    """

    title = "Multiverse"

    def __init__(
        self,
        *,
        asks: tuple[Annotated[Spec, CONCLUSIONS.choice], ...] | None = None,
        quantities: tuple[str, ...] | None = None,
        least_accuracy: Accuracy | dict[str, Accuracy] = 0.0,
    ) -> None:
        self.asks = asks
        self.quantities = quantities
        self.least_accuracy = least_accuracy

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Take the Golay design and its blocks where they fit."""
        return design_for(levels, blocks, names=names)

    def check(self, cells: Offered) -> None:
        """Refuse a quantity or a conclusion that the models will not have."""
        offered = frozenset(name for _, names in cells for name in names)
        for quantity in self.quantities or ():
            if quantity not in offered:
                near = did_you_mean(quantity, offered)
                raise UserError(f"quantities: no analysis of this study gives '{quantity}'{near}")
        for spec in self.asks or ():
            problem = missing(spec.title, concluded(spec), offered, [about for about, _ in cells])
            if problem is not None:
                raise UserError(f"asks: {problem}")

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Lay out dependence, spread, conclusions, and what agreement says of faithfulness."""
        subject = Subject(runs, self._quantities(runs))
        spread, dependence = spread_part(subject, designs), dependence_part(subject)
        parts = [dependence, spread]
        lead = [*spread.sentences[:1], *dependence.sentences[:1]]
        asked = self._asked(runs)
        if asked:
            cites = {name: CONCLUSIONS[name.partition("(")[0]].cite for name in asked}
            concluding = conclusions_part(subject, asked, cites, self.least_accuracy)
            parts.append(concluding)
            lead += concluding.sentences[:2]
        faithful = faithful_part(subject)
        parts += [] if faithful is None else [faithful]
        return Answer(lead, parts, [_headline(subject, cell) for cell in subject.drawn])

    def _quantities(self, runs: RunSet) -> list[str]:
        if self.quantities is not None:
            return [*self.quantities]
        names = dict.fromkeys(name for cell in runs.cells for name in cell.draws)
        return [*agreements(names), ACCURACY]

    def _asked(self, runs: RunSet) -> dict[str, Any]:
        if self.asks is not None:
            return {spec.title: concluded(spec) for spec in self.asks}
        quantities = {name for cell in runs.cells for name in cell.values}
        return possible(quantities, [cell.cell for cell in runs.cells])


def _headline(subject: Subject, cell: CellRuns) -> Headline:
    """Answer how far the first quantity spreads: its median, with the middle 90 % of the universes."""
    quantity = next(name for name in subject.quantities if name in cell.values)
    values = bounded(cell.values[quantity]).value
    low, middle, high = np.nanpercentile(values, (5, 50, 95)).tolist()
    question = f"How far does {quantity} of {cell_name(cell)} spread over {len(values)} universes?"
    return Headline(question, f"{quantity}, median and 5 to 95 %", middle, low, high, chance=None)
