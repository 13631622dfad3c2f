"""Why a number differs: an ingredient that was swapped, and what came out with the other one."""

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from attex.claims.ledger import Claim
from attex.claims.numbers import BASE, Model, Study, Universes
from attex.claims.quantities import limits
from attex.claims.sizes import AS_MANY, PUBLISHED, SHARES, has_parts, with_all_texts
from attex.claims.verdict import CHANCE, Prediction, Spread, are_different, predict

EXPLAINS, BETWEEN, SIZE, IN_PART = "explains", "between", "size", "in part"
"""The swap's interval has the number; it lies between base and swap; fewer texts lead away from it; the
swap is nearer."""

KINDS = (EXPLAINS, BETWEEN, SIZE, IN_PART)

NOT_FOUND, NOT_TRIED = "not found", "not tried"
"""No swap that was run has to do with a difference; no swap was run."""

LOOKS = 3
"""How often at most a number was looked at: some models were given more seeds after a look, up to twice.
A level divided by that, too, is kept however these were chosen (Bonferroni)."""

LINE = "more training texts, by a line over parts"
"""What the line of `sizes` is called among the swaps: it is looked at like one, and counted like one."""

Swaps = Mapping[tuple[str, str, str], tuple[Prediction, Prediction]]
"""By ingredient, before and after: what the base gives, and what the swap."""


@dataclass(frozen=True)
class Cause:
    """What a tested swap says of a difference: the ingredient, from what to what, and what it gives.

    `tried` is how many swaps were looked at for this number: the means of base and swap differ at the
    level, 5 % if nothing else is asked, divided by that.
    """

    kind: str
    ingredient: str
    before: str
    after: str
    gives: Prediction
    tried: int

    @property
    def swap(self) -> str:
        """From what to what; a setting of a study says itself what it is of."""
        return f"{self._of}{self.before} → {self.after}"

    @property
    def taken(self) -> str:
        """What was swapped in."""
        return f"{self._of}{self.after}"

    @property
    def _of(self) -> str:
        return "" if self.ingredient == "setting" else f"{self.ingredient}: "


def cause_in_study(
    study: Study,
    claim: Claim,
    base: str = BASE,
    further: Iterable[Study] = (),
    level: float = CHANCE,
) -> Cause | None:
    """Return the swap of a study that has most to do with a difference, if any has.

    Studies that trained the same models for another paper may have `further` swaps of them. A part of
    the training texts is no swap: published models had more of them, and not less. A line over parts is
    looked at like one, unless models were trained with as many texts: what was run takes its place.
    """
    start = study.prediction(claim, base)
    if start is None:
        return None
    swaps = _swaps_of_study(study, claim, base, further)
    sized = _follows_line(study, claim, base, swaps)
    tried = len(swaps) + sized
    whole = with_all_texts(study, claim, level / tried) if sized else None
    named: Swaps = {("setting", base, name): (start, swap) for name, swap in swaps.items()}
    causes = [_best(claim.mean, named, tried, level)]
    if whole is not None and (whole.mean - start.mean) * (claim.mean - start.mean) > 0:
        at_hand, published = (f"{count:,}" for count in PUBLISHED[claim.dataset])
        causes.append(Cause(SIZE, "training texts", at_hand, published, whole, tried))
    return most_telling(causes)


def tried_in_study(
    study: Study, claim: Claim, base: str = BASE, further: Iterable[Study] = ()
) -> list[str]:
    """Name the swaps that were looked at for a cause in a study."""
    swaps = _swaps_of_study(study, claim, base, further)
    return [*swaps, *([LINE] if _follows_line(study, claim, base, swaps) else [])]


def _follows_line(study: Study, claim: Claim, base: str, swaps: Container[str]) -> bool:
    return base == BASE and has_parts(study, claim) and AS_MANY not in swaps


def _swaps_of_study(
    study: Study, claim: Claim, base: str, further: Iterable[Study]
) -> dict[str, Prediction]:
    """Return what every other setting gives, from the first study that has it."""
    swaps: dict[str, Prediction] = {}
    for each in (study, *further):
        for name in each.settings():
            swap = each.prediction(claim, name)
            if name not in (base, *SHARES) and swap is not None:
                swaps.setdefault(name, swap)
    return swaps


def cause_in_universes(universes: Universes, claim: Claim, level: float = CHANCE) -> Cause | None:
    """Return the choice whose other level has the published number, which the base level has not."""
    swaps = _swaps_of_universes(universes, claim)
    return _best(claim.mean, swaps, len(swaps), level)


def tried_in_universes(universes: Universes, claim: Claim) -> list[str]:
    """Name the levels that were looked at for a cause in a multiverse."""
    return [f"{choice} {level}" for choice, _, level in _swaps_of_universes(universes, claim)]


def _swaps_of_universes(universes: Universes, claim: Claim) -> Swaps:
    """Return the other levels of every choice whose base level has not the published number."""
    models = universes.about(claim)
    swaps: dict[tuple[str, str, str], tuple[Prediction, Prediction]] = {}
    for choice, base in universes.base.items():
        levels: dict[str, list[Model]] = {}
        for model in models:
            # A nested choice has no level where it does not exist: that is a swap of its parent's.
            if model.choices.get(choice):
                levels.setdefault(model.choices[choice], []).append(model)
        found = {level: _over_universes(some, claim) for level, some in levels.items()}
        start = found.pop(base, None)
        if start is not None and not start.has(claim.mean):
            swaps |= {(choice, base, level): (start, after) for level, after in found.items()}
    return swaps


def most_telling(causes: Iterable[Cause | None]) -> Cause | None:
    """Return the cause that says most; of equals the first."""
    known = [cause for cause in causes if cause is not None]
    return min(known, key=lambda cause: KINDS.index(cause.kind), default=None)


def sides(universes: Universes, claim: Claim) -> tuple[int, float, float]:
    """Return how many universes there are, and which share lies below and above a published number."""
    by_universe: dict[tuple[str, ...], list[float]] = {}
    for model in universes.about(claim):
        by_universe.setdefault(model.universe, []).append(model.value)
    means = np.array([np.mean(values) for values in by_universe.values()])
    if not len(means):
        return 0, math.nan, math.nan
    return len(means), float((means < claim.mean).mean()), float((means > claim.mean).mean())


def _over_universes(models: list[Model], claim: Claim) -> Prediction:
    """Predict another model at the same level, whatever else is chosen for it.

    Seeds of one universe are no further draws of its choices: universes are counted.
    """
    values = np.array([model.value for model in models])
    count = len({model.universe for model in models})
    spread = Spread(float(values.std(ddof=1)) if count > 1 else math.nan, count - 1)
    found = predict([float(values.mean())] * count, spread, limits=limits(claim.quantity))
    assert found is not None
    return found


def _best(published: float, swaps: Swaps, tried: int, level: float) -> Cause | None:
    causes = []
    for (ingredient, before, after), (base, swap) in swaps.items():
        kind = _kind(published, base, swap, level / tried)
        if kind:
            causes.append(Cause(kind, ingredient, before, after, swap, tried))
    causes.sort(key=lambda cause: abs(cause.gives.mean - published))
    return most_telling(causes)


def _kind(published: float, base: Prediction, swap: Prediction, level: float) -> str:
    if not are_different(base, swap, level):
        return ""
    before, after = published - base.mean, published - swap.mean
    if swap.has(published) and abs(after) < abs(before):
        return EXPLAINS
    if before * after < 0:
        return BETWEEN
    return IN_PART if abs(after) < abs(before) else ""
