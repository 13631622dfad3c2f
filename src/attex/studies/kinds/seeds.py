"""How far attention moves with the seed alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from attex.analyses.headline import Headline
from attex.charts.frontier import LN_2
from attex.foundations.errors import UserError
from attex.studies.designs import Design, every_combination
from attex.studies.ledger_words import in_order, worded
from attex.studies.parts.panels import panels
from attex.studies.parts.seeds import seeds_part
from attex.studies.rivals import OTHER_SEED, asking, other_seeds, trainer_of
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Study

_CHOICE = "beside"


@STUDIES.register("seeds", cite="Wiegreffe & Pinter 2019, §3.2")
class Seeds(Study):
    """JSD of the attention between seeds, against the highest weight and by predicted class.

    The base is a supervised experiment. Every model is held against those of all other seeds of the
    study; one seed against eight others is what Wiegreffe & Pinter show, and here each seed has its
    turn. Text by text, the median over the others counts.
    """

    title = "Seeds"
    cell_by_cell = True

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set every model beside those of the other seeds."""
        if len(base["seeds"]) < 2:
            raise UserError("seeds: a study of seeds needs two or more")
        trainer = trainer_of(base, "seeds")
        keys = other_seeds(base, trainer) | asking(base, {"type": "departure"})
        return {_CHOICE: {OTHER_SEED: keys}}

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a study of seeds")

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the models of all seeds as those of a base: they are."""
        return in_order(worded(row, [_CHOICE], row["quantity"]) for row in rows)

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Lay out how far seeds are apart."""
        every = [*panels(runs, _CHOICE)]
        part = seeds_part(every, OTHER_SEED)
        headlines = []
        for panel in every:
            value, low, high = (
                None if number != number else number for number in panel.of(OTHER_SEED, "jsd(beside)")
            )
            question = f"How far does the attention of {panel.name} move with the seed?"
            headlines.append(Headline(question, "JSD", value, low, high, None, LN_2))
        return Answer(part.sentences[:3], [part], headlines)
