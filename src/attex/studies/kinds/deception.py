"""Can a model be trained to hide what it decides by?"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from attex.analyses.headline import Headline
from attex.analyses.impermissible import MASS, NEUTRALISED, REMOVED, SHARE, ZEROED
from attex.analyses.summary import frame
from attex.foundations.errors import UserError
from attex.report.study_page import Part
from attex.studies.designs import Design, every_combination
from attex.studies.leading import ACCURACY
from attex.studies.ledger_words import in_order, worded
from attex.studies.parts.compared import Compared, Row
from attex.studies.parts.subject import minus
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Offered, Study

WEIGHT = "weight"
_ANALYSIS = "impermissible"
_QUANTITIES = {
    MASS: "attention on impermissible tokens",
    SHARE: "their share of the tokens",
    ACCURACY: "accuracy",
    REMOVED: "accuracy, impermissible tokens removed",
    NEUTRALISED: "accuracy, impermissible tokens neutralised",
    ZEROED: "accuracy, their attention zeroed",
}

Weight = Annotated[float, Field(ge=0, lt=1e6)]


@STUDIES.register("deception", cite="Pruthi et al. 2020")
class Deception(Study):
    """Models trained to keep attention off impermissible tokens, at several `weights` of the penalty.

    The lowest weight is what the others are held against: 0 is ordinary training. The data marks
    impermissible tokens. Of every model: its attention on them beside their share of the tokens, its
    accuracy, and its accuracy when they are removed, neutralised, or their attention is zeroed. All
    other options of training are those of the base; its analyses are left out, but for
    `impermissible`, which may have options there.
    """

    title = "Deceptive attention"
    cell_by_cell = True

    def __init__(
        self, *, weights: Annotated[tuple[Weight, ...], Field(min_length=2)] = (0.0, 0.1, 1.0)
    ) -> None:
        self.weights = weights

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set the weight of the penalty."""
        asked = base.get("analyses", ())
        own = [one for one in asked if isinstance(one, Mapping) and one.get("type") == _ANALYSIS]
        only: dict[str, Any] = {"importance": [], "analyses": own or [_ANALYSIS]}
        return {
            WEIGHT: {
                f"{weight:g}": {"trainer.type": "deceptive", "trainer.weight": weight} | only
                for weight in self.weights
            }
        }

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a study of kind 'deception'")

    def check(self, cells: Offered) -> None:
        """Refuse data whose test texts have no impermissible token."""
        for about, names in cells:
            if MASS not in names:
                raise UserError(
                    f"cell {', '.join(about.values())}: the test texts have no impermissible token"
                )

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the weight of the penalty with each number."""
        return in_order(
            worded(row, [WEIGHT], f"{row['quantity']}(lambda={row[WEIGHT]})")
            for row in rows
            if row["quantity"] in (ACCURACY, MASS)
        )

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Say how much attention is left on the tokens, and what that costs."""
        compared = Compared(runs, WEIGHT, runs.choices[WEIGHT][0], [*_QUANTITIES])
        rows = compared.rows()
        sentences, headlines = [], []
        for name, levels in compared.groups(rows):
            first, *others = levels.values()
            sentences += [_sentence(name, first, row) for row in others]
            headlines.append(_headline(name, others[-1]))
        part = Part(
            "Can attention hide what decides?",
            "Every model was trained on its labels and on a penalty, weighed by λ, for attention on "
            "impermissible tokens. If attention could not lie, a model without attention on them would "
            "be as good without them, and no better than a model that never saw them. Differences are "
            "from the lowest weight, with the same seeds and texts.",
            sentences,
            {"tables/deception": frame(rows)},
            compared.charts(rows, _QUANTITIES),
        )
        return Answer(sentences, [part], headlines)


def _sentence(name: str, first: Mapping[str, Row], row: Mapping[str, Row]) -> str:
    def value(of: Mapping[str, Row], quantity: str) -> str:
        return f"{of[quantity]['value']:.3f}"

    if math.isnan(row[MASS]["value"]):
        return f"{name}: with λ = {row[MASS][WEIGHT]} there is no model yet."
    change = row[ACCURACY]
    moved = minus(
        f"{change['difference']:.3f} [{change['difference_low']:.3f}, {change['difference_high']:.3f}]"
    )
    return (
        f"{name}: with λ = {row[MASS][WEIGHT]}, {value(row, MASS)} of the attention is on impermissible "
        f"tokens ({value(first, MASS)} with λ = {first[MASS][WEIGHT]}; they are {value(row, SHARE)} of "
        f"all). Accuracy is {value(row, ACCURACY)}, a change of {moved}, and {value(row, REMOVED)} "
        f"without these tokens."
    )


def _headline(name: str, row: Mapping[str, Row]) -> Headline:
    mass = row[MASS]
    question = f"How much attention does {name} leave on impermissible tokens with λ = {mass[WEIGHT]}?"
    chance = row[SHARE]["value"]
    return Headline(question, "weight", mass["value"], mass["low"], mass["high"], chance)
