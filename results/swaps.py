"""What swaps of one ingredient did to the numbers that differ, setting by setting, for a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attex.analyses.quantity import OVERALL
from attex.claims.judging import Judgement
from attex.claims.numbers import BASE
from attex.claims.page import interval_words, short
from results.by_seed import Seeds
from results.dropped_words import SETTING, TABLE
from results.markdown import number, table
from results.paper_numbers import PaperNumbers
from results.study_numbers import StudyNumbers


@dataclass(frozen=True)
class Swap:
    """A setting that differs from the paper's in one ingredient, and the numbers that it gave.

    `planned` models were asked for, of which `made` are there; one that is derived from models of
    another setting asks for none.
    """

    setting: str
    study: StudyNumbers
    planned: int
    made: int
    paper: PaperNumbers

    def gives(self, one: Judgement) -> Seeds:
        """Return what a number that was judged is with the swap."""
        return self.study.seeds(one.claim.cell, one.claim.quantity, self.setting, one.claim.class_)

    @property
    def measured(self) -> list[Judgement]:
        """The numbers that differ and were measured with the swap."""
        return [one for one in self.paper.differing() if one.ours is not None and self.gives(one)]

    @property
    def nearer(self) -> int:
        """How many of those it brings nearer to the published ones, or past them but not as far."""
        return sum(self._off(one) < _off(one) for one in self.measured)

    @property
    def named(self) -> int:
        """For how many of those it is the swap that says why."""
        causes = (one.cause for one in self.measured)
        return sum(cause is not None and cause.after == self.setting for cause in causes)

    def __str__(self) -> str:
        """Say in a sentence what came of it."""
        if self.planned and not self.made:
            return f"*{self.setting}*: not trained yet ({self.planned} models)."
        trained = f" ({self.made} of {self.planned} models)" if self.planned else ""
        count = len(self.measured)
        return (
            f"*{self.setting}*{trained}: measured for {count} of the numbers that differ; {self.nearer} "
            f"come nearer to the published ones, {count - self.nearer} do not. "
            f"It is the swap that says most for {self.named}."
        )

    def _off(self, one: Judgement) -> float:
        return abs(self.gives(one).mean - one.claim.mean)


def swaps(paper: PaperNumbers, studies: Sequence[str]) -> list[Swap]:
    """Return the swaps of a paper's own study, of further ones, and those derived from its models."""
    derived = StudyNumbers([paper.folder / TABLE], [])
    found = [*_of(paper, paper)]
    found += [one for study in studies for one in _of(paper.further(study), paper)]
    return [*found, Swap(SETTING, derived, 0, 0, paper)]


def swap_table(paper: PaperNumbers, of: Sequence[Swap]) -> str:
    """Lay out every number that differs, and what it is with each swap that was measured.

    The swap that says why is in bold, with what it does.
    """
    there = [swap for swap in of if swap.measured]
    rows = [
        [
            " ".join(one.claim.cell),
            f"`{one.claim.quantity}`",
            number(one.claim.mean),
            f"{number(one.ours.mean)} [{number(one.ours.low)}, {number(one.ours.high)}]",
            *(_given(swap, one) for swap in there),
        ]
        for one in paper.differing()
        if one.ours is not None
    ]
    heads = ["model", "quantity", "published", "ours [another model]", *(s.setting for s in there)]
    return table(heads, rows)


def unexplained(paper: PaperNumbers) -> str:
    """Lay out every number that differs and has no cause, with what each swap and halving give."""
    heads = ["model", "quantity", "published", "ours [another model]"]
    heads += ["tried", "change from halving the training texts"]
    rows = [
        [
            " ".join(one.claim.cell[:3]),
            f"{one.claim.quantity}{'' if one.claim.class_ == OVERALL else f', {one.claim.class_}'}",
            short(one.claim.mean),
            interval_words(one.ours),
            "; ".join(_tried(paper, one)) or "nothing",
            "–" if one.halved is None else interval_words(one.halved),
        ]
        for one in paper.differing()
        if one.cause is None and one.ours is not None
    ]
    return table(heads, rows) if rows else "There is none."


def _tried(paper: PaperNumbers, one: Judgement) -> Iterator[str]:
    for name in one.tried:
        seeds = paper.seeds(one.claim.cell, one.claim.quantity, name, one.claim.class_)
        yield f"{name}: {short(seeds.mean)}" if seeds else name


def _given(swap: Swap, one: Judgement) -> str:
    given = number(swap.gives(one).mean)
    if one.cause is None or one.cause.after != swap.setting:
        return given
    return f"**{given}** ({one.cause.kind})"


def _of(study: StudyNumbers, paper: PaperNumbers) -> Iterator[Swap]:
    for setting in dict.fromkeys(model.setting for model in study.planned):
        if setting != BASE:
            planned = {model for model in study.planned if model.setting == setting}
            yield Swap(setting, study, len(planned), len(planned & study.made), paper)


def _off(one: Judgement) -> float:
    assert one.ours is not None
    return abs(one.ours.mean - one.claim.mean)
