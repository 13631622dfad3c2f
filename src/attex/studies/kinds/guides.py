"""Is the attention of one model of use to another?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from attex.analyses.headline import Headline
from attex.analyses.summary import frame
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.models.encoder import ENCODERS
from attex.report.study_page import Part
from attex.studies.designs import Design, every_combination
from attex.studies.leading import ACCURACY
from attex.studies.ledger_words import in_order, worded
from attex.studies.parts.compared import Compared, Row
from attex.studies.parts.subject import minus
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Offered, Study, check_predictions_have

GUIDE = "guide"
BASE, UNIFORM, OWN = "the base itself", "uniform", "own"
OF_BASE, OF_ADVERSARY = "base's", "adversary's"
CROSS_FIT, OF_WORDS = "base's, cross-fit", "base's, mean of each word"

Who = Literal["own", "base", "adversary", "cross_fit", "words"]
WHOSE: dict[Who, str] = {
    "own": OWN,
    "base": OF_BASE,
    "adversary": OF_ADVERSARY,
    "cross_fit": CROSS_FIT,
    "words": OF_WORDS,
}
"""What the level of each guide is called, by its name in a file."""

_WEIGHT = 2e-3
"""Twice Wiegreffe & Pinter's 0.001: they take half of TVD."""
_WORD_BY_WORD = ENCODERS.spec("average")


@STUDIES.register("guides", cite="Wiegreffe & Pinter 2019, §3.3")
class Guides(Study):
    """A model without context, trained under the attention of others: whose is of most use?

    The model has `encoder` in the place of the base's, by default `average`, which sees one word at a
    time. It is trained with uniform weights, with attention of its own, and under the weights of the
    base and of an adversary of the base; `adversary` has options of that trainer, a weight of 0.002 if
    nothing is said. Two controls stand beside them, because the base has seen the same labels and the
    context: weights of a base that has not seen the text (`cross_fit`), and each word's mean weight
    (`words`). An adversary takes most of the time, and a cross-fit two bases more: `guides` says which
    are tried, all of `own`, `base`, `adversary`, `cross_fit` and `words` if nothing is said.
    `quantity` is what is read of the models. The analyses of the base are left out.
    """

    title = "Attention as a guide"
    cell_by_cell = True

    def __init__(
        self,
        *,
        encoder: Annotated[Spec, ENCODERS.choice] = _WORD_BY_WORD,
        adversary: dict[str, int | float | bool | str] | None = None,
        guides: Annotated[tuple[Who, ...], Field(min_length=1)] = (*WHOSE,),
        quantity: str = ACCURACY,
    ) -> None:
        self.encoder = encoder
        self.guided = {WHOSE[who] for who in guides}
        self.adversary = {"weight": _WEIGHT} if adversary is None else adversary
        self.quantity = quantity

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Train a model without context under the weights of every guide."""
        trainer = base.get("trainer", "supervised")
        trainer = {"type": trainer} if isinstance(trainer, str) else dict(trainer)
        if trainer.get("type", "supervised") != "supervised":
            raise UserError("base.trainer: a study of kind 'guides' has a base of type 'supervised'")
        guide = {"model": base.get("model", "attention"), "trainer": trainer}
        options = {name: value for name, value in trainer.items() if name != "type"}
        adversary = {**self.adversary, "type": "adversarial", "base": guide}

        def guided(by: Mapping[str, Any], **how: Any) -> dict[str, Any]:
            return {"trainer": options | {"type": "guided", "guide": by} | how}

        alone: dict[str, Any] = {"importance": [], "analyses": []}
        student = {"model.encoder": self.encoder.model_dump()} | alone
        # The base first: a cell is called by its first level.
        held = {BASE: alone, UNIFORM: student | {"model.attention.projection": "uniform"}}
        levels = {
            OWN: student,
            OF_BASE: student | guided(guide),
            OF_ADVERSARY: student | guided(guide | {"trainer": adversary}),
            CROSS_FIT: student | guided(guide, cross_fit=True),
            OF_WORDS: student | guided(guide, weights="word"),
        }
        return {GUIDE: held | {name: keys for name, keys in levels.items() if name in self.guided}}

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a study of kind 'guides'")

    def check(self, cells: Offered) -> None:
        """Refuse a quantity that predictions do not give."""
        check_predictions_have(self.quantity, cells)

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the model without context by its guide; its own and uniform weights are an attention."""
        return in_order(one for row in rows for one in self._worded(row))

    def _worded(self, row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        student, quantity = self.encoder.title, row["quantity"]
        given = {"encoder": student, "attention": "imposed", "projection": "imposed"}
        guide = {OF_BASE: row["encoder"], OF_ADVERSARY: "adversary"}.get(row[GUIDE])
        if row[GUIDE] == BASE:
            yield worded(row, [GUIDE], quantity)
        elif row[GUIDE] == UNIFORM:
            yield worded(row, [GUIDE], quantity, {"encoder": student, "projection": "uniform"})
        elif row[GUIDE] == OWN:
            yield worded(row, [GUIDE], quantity, {"encoder": student})
        elif guide is not None:
            yield worded(row, [GUIDE], f"{quantity}(guide={guide})", given)

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Hold every guide against uniform weights."""
        compared = Compared(runs, GUIDE, UNIFORM, [self.quantity])
        rows = compared.rows()
        sentences, headlines = [], []
        for name, levels in compared.groups(rows):
            # Of a guide whose models are not trained yet there is nothing to say.
            of_levels = {
                level: row[self.quantity]
                for level, row in levels.items()
                if not math.isnan(row[self.quantity]["difference"])
            }
            if of_levels:
                sentences.append(_sentence(name, self.quantity, of_levels))
            if OF_BASE in of_levels:
                headlines.append(_headline(name, self.quantity, of_levels[OF_BASE]))
        part = Part(
            "Is the attention of one model of use to another?",
            "A model that sees one word at a time is trained on the labels, under weights that it is "
            "given. If the base's attention says which words decide, this model does better under it "
            "than under uniform weights. Weights that were fitted to the label of a text may give it "
            "away: those of a base that has not seen the text cannot. Nor can the mean weight of each "
            "word, which has no context either. Differences are from uniform weights, with the same "
            "seeds and texts.",
            sentences,
            {"tables/guides": frame(rows)},
            compared.charts(rows, {self.quantity: self.quantity}),
        )
        return Answer(sentences, [part], headlines)


def _sentence(name: str, quantity: str, rows: Mapping[str, Row]) -> str:
    guided = [level for level in WHOSE.values() if level in rows]
    ordered = sorted(guided, key=lambda level: -rows[level]["difference"])
    told = ", ".join(_interval(level, rows[level]) for level in ordered)
    return minus(
        f"{name}: {quantity} above that under uniform weights ({rows[UNIFORM]['value']:.3f}): {told}."
    )


def _interval(level: str, row: Row) -> str:
    ends = f"[{row['difference_low']:.3f}, {row['difference_high']:.3f}]"
    return f"{level} {row['difference']:.3f} {ends}"


def _headline(name: str, quantity: str, row: Row) -> Headline:
    question = f"Is the attention of {name} of use to a model without context?"
    numbers = (row["difference"], row["difference_low"], row["difference_high"])
    return Headline(question, f"{quantity} above uniform", *numbers, chance=0.0)
