"""Train again without the tokens that a measure finds important: does the model miss them?"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from attex.config.masking import Scorer
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.importance.measure import MEASURES
from attex.studies.designs import Design, every_combination
from attex.studies.leading import ACCURACY
from attex.studies.ledger_words import in_order, racu_rows
from attex.studies.parts.retrained import MASKING, MEASURE, SHARE, Retrained, retrained_part
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Offered, Study, check_predictions_have

Way = Literal["plain", "recursive"]
_MEASURES = ("attention", "gradient", "input_x_gradient", "leave_one_out")
RANDOM = "random"
"""What every measure is held against."""


@STUDIES.register("roar", cite="Hooker et al. 2019; Madsen et al. 2022")
class Roar(Study):
    """Models trained anew with the top tokens of every measure masked, share by share (ROAR).

    `measures` say which tokens are important; `truth`, where the data marks the tokens that decide, says
    how high this test can come. Random tokens are always tried beside them. `steps` is how many shares
    there are up to all tokens: with 10 these are 10, 20, … 100 %. `masking` is `plain`, by the model of
    whole texts, or `recursive`, where every step asks the model of the step before. `quantity` is what
    is read of the models: `accuracy`, say, or `f1_macro`.

    RACU sums up a measure's curve: 0 is that of random tokens, and 1 would be to lose at once what
    there is to lose. The analyses of the base are left out: nothing but predictions is asked.
    """

    title = "Remove and retrain"
    cell_by_cell = True

    def __init__(
        self,
        *,
        measures: tuple[Scorer, ...] = tuple(map(MEASURES.spec, _MEASURES)),
        steps: Annotated[int, Field(ge=2, le=100)] = 10,
        masking: Annotated[tuple[Way, ...], Field(min_length=1)] = ("plain", "recursive"),
        quantity: str = ACCURACY,
    ) -> None:
        asked = {measure.title: measure for measure in measures}
        self.measures: dict[str, Spec] = asked | {RANDOM: MEASURES.spec(RANDOM)}
        self.shares = [step / steps for step in range(steps + 1)]
        self.masking = masking
        self.quantity = quantity

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Cross ways of masking, measures and shares."""
        if base.get("masked") is not None:
            raise UserError("base.masked: a study of kind 'roar' itself says what is masked")
        step = {"plain": None, "recursive": self.shares[1]}
        alone: dict[str, Any] = {"importance": [], "analyses": []}
        return {
            MASKING: {way: {"masked.recursive": step[way]} for way in self.masking},
            MEASURE: {
                title: {"masked.measure": measure.model_dump()}
                for title, measure in self.measures.items()
            },
            SHARE: {f"{share:g}": {"masked.share": share} | alone for share in self.shares},
        }

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels: a curve needs every share."""
        return every_combination(levels, blocks, "a study of kind 'roar'")

    def check(self, cells: Offered) -> None:
        """Refuse a quantity that predictions do not give."""
        check_predictions_have(self.quantity, cells)

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name what each measure comes to, of every seed."""
        return in_order(racu_rows(rows, (MASKING, MEASURE, SHARE), self.quantity, RANDOM))

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Draw the curves of all measures, and say what each comes to."""
        retrained = Retrained(runs, self.quantity, RANDOM, self.shares)
        part = retrained_part(retrained)
        return Answer(retrained.lead(), [part], retrained.headlines())
