"""Does a model need its attention, and could it have had another?"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attex.analyses.headline import Headline
from attex.studies.designs import Design, every_combination
from attex.studies.ledger_words import in_order, rival_rows
from attex.studies.parts.frontier import best
from attex.studies.parts.panels import panels
from attex.studies.parts.use_of_attention import use_of_attention_overview, use_of_attention_part
from attex.studies.rivals import (
    BASE,
    GRID,
    UNIFORM,
    Kind,
    Levels,
    Weights,
    adversaries,
    asking,
    trainer_of,
    uniform,
)
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Study

if TYPE_CHECKING:
    import polars as pl

_CHOICE = "variant"


@STUDIES.register("use_of_attention", cite="Neely & Schouten 2020, §7")
class UseOfAttention(Study):
    """The best adversary's JSD at equal accuracy, against the accuracy that even weights lose.

    One point a cell. The base is a supervised experiment. Of each seed of it are trained: the base, the
    same with even weights, and an adversary for each of `weights` (λ). Equally accurate is what is at
    most 0.01 below the base on development texts. `adversaries`, `divergence` and `training` are as of a
    `frontier`, whose models this study finds where they are made.
    """

    title = "Use of attention"
    cell_by_cell = True

    def __init__(
        self,
        *,
        weights: Weights = GRID,
        adversaries: tuple[Kind, ...] = ("free",),
        divergence: Literal["jsd", "kl"] = "jsd",
        training: dict[str, Any] | None = None,
    ) -> None:
        self.weights, self.kinds, self.divergence = weights, adversaries, divergence
        self.training = training or {}

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring the base, the same with even weights, and adversaries."""
        trainer = trainer_of(base, "use_of_attention")
        levels: Levels = {BASE: {}, UNIFORM: uniform(base, trainer)}
        levels |= adversaries(trainer, self.kinds, self.weights, self.divergence, self.training)
        asked = asking(base, {"type": "departure"})
        return {_CHOICE: {name: keys | asked for name, keys in levels.items()}}

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a study of the use of attention")

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the adversaries as their papers do."""
        return in_order(rival_rows(rows, _CHOICE, self.weights, self.divergence))

    def overview(self, tables: "Mapping[str, pl.DataFrame]") -> Mapping[str, dict[str, Any]]:
        """Draw the point of every cell in one figure."""
        return use_of_attention_overview(tables)

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Give every cell its point."""
        every = [*panels(runs, _CHOICE)]
        part = use_of_attention_part(every, self.kinds, self.weights)
        headlines = []
        for panel in every:
            level = best(panel, self.kinds, self.weights, "development")
            value, low, high = (
                None if number != number else number for number in panel.of(level or "", "jsd(base)")
            )
            question = f"How far from {panel.name} does an equally good adversary attend?"
            headlines.append(Headline(question, "JSD", value, low, high, chance=None))
        return Answer(part.sentences[:3], [part], headlines)
