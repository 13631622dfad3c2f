"""What a conclusion is: a sentence about models, and the difference that is above 0 where it holds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from attex.foundations.errors import listed
from attex.foundations.registry import Registry, Spec, did_you_mean

Cell = Mapping[str, str]


@dataclass(frozen=True)
class Number:
    """A quantity of a model, under any of its names, in the cells that have what `of` says.

    A quantity of a pair has two names: measures stand in the order in which the experiment has them.
    """

    names: tuple[str, ...]
    of: Cell = field(default_factory=dict)

    def known_as(self, quantities: Collection[str]) -> str | None:
        """Return the name under which it is among these quantities, if it is."""
        return next((name for name in self.names if name in quantities), None)


@dataclass(frozen=True)
class Conclusion:
    """`sentence` says what is so where `more` is above `less`.

    Cells that have what `unless` says are not asked.

    The difference is of one model (two quantities, or one and a fixed number), or of two that differ
    in one factor of the cell only (then `of` names its two levels).
    """

    sentence: str
    more: Number | float
    less: Number | float
    unless: Cell = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.numbers:
            raise ValueError("a conclusion is about a quantity")
        keys = {frozenset(number.of) for number in self.numbers}
        if len(keys) > 1 or len(self._different) > 1:
            raise ValueError("the two sides of a conclusion differ in one factor of the cell at most")

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The sides that are quantities."""
        return tuple(side for side in (self.more, self.less) if isinstance(side, Number))

    @property
    def factor(self) -> str | None:
        """The factor of the cell in which the two sides differ, or None where they are one model's."""
        return next(iter(self._different), None)

    @property
    def _different(self) -> list[str]:
        first, last = self.numbers[0].of, self.numbers[-1].of
        return [key for key in first if first[key] != last.get(key)]

    def pairs(self, cells: Sequence[Cell]) -> list[tuple[int, int]]:
        """Return which cells are compared with which: those of `more` and of `less`, by number.

        The two of a pair are the same cell, or agree in all but the factor.
        """
        first, last = self.numbers[0].of, self.numbers[-1].of
        found = []
        for i, cell in enumerate(cells):
            if self.unless and self.unless.items() <= cell.items():
                continue
            if first.items() <= cell.items():
                wanted = {**cell, **last}
                found += [(i, j) for j, other in enumerate(cells) if dict(other) == wanted]
        return found


CONCLUSIONS: Registry[Conclusion] = Registry("conclusion", "attex.studies.conclusions")


def concluded(spec: Spec) -> Conclusion:
    """Return the conclusion that was chosen, with its options."""
    made: Conclusion = CONCLUSIONS.bind(spec)()
    return made


def missing(
    title: str, conclusion: Conclusion, quantities: Collection[str], cells: Sequence[Cell]
) -> str | None:
    """Say in one line what a study lacks for a conclusion, or None if it has all.

    Args:
        title: what the study calls the conclusion.
        conclusion: what is asked.
        quantities: the names of all numbers that the models of the study will have.
        cells: the cells of the study, each a name for every factor.
    """
    for number in conclusion.numbers:
        if number.known_as(quantities) is None:
            near = did_you_mean(number.names[0], quantities)
            return (
                f"conclusion '{title}' needs the quantity '{number.names[0]}', which no analysis of"
                f" this study gives{near}"
            )
    if not conclusion.pairs(cells):
        return f"conclusion '{title}' {_no_pair(conclusion, cells)}"
    return None


def possible(quantities: Collection[str], cells: Sequence[Cell]) -> dict[str, Conclusion]:
    """Return every registered conclusion that such a study can speak about, by name."""
    known = {entry.name: concluded(CONCLUSIONS.spec(entry.name)) for entry in CONCLUSIONS}
    return {name: one for name, one in known.items() if missing(name, one, quantities, cells) is None}


def agreement(
    statistic: str, first: str, second: str, ending: str = "", of: Cell | None = None
) -> Number:
    """Return the agreement of two measures, in whichever order the experiment has them."""
    pairs = ((first, second), (second, first))
    return Number(tuple(f"{statistic}({', '.join(pair)}){ending}" for pair in pairs), of or {})


def _no_pair(conclusion: Conclusion, cells: Sequence[Cell]) -> str:
    first, last = conclusion.numbers[0].of, conclusion.numbers[-1].of
    factor = conclusion.factor
    if factor is None:
        wanted = ", ".join(f"{key} '{value}'" for key, value in first.items())
        return f"is about cells with {wanted or 'anything'}, and this study has none"
    have = listed(sorted({cell[factor] for cell in cells if factor in cell}), quote="'") or "nothing"
    return (
        f"compares {factor} '{first[factor]}' with '{last[factor]}', and no two cells of this study"
        f" differ in that alone (its {factor} is {have})"
    )
