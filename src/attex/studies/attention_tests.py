"""What each test finds of one attention: a number, what it is held against, and what follows."""

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attex.analyses.impermissible import MASS, SHARE
from attex.claims.quantities import key_of
from attex.config.masking import TRUTH
from attex.studies.kinds.deception import WEIGHT, Deception
from attex.studies.kinds.frontier import CHOICE, Frontier
from attex.studies.kinds.guides import CROSS_FIT, GUIDE, OF_BASE, UNIFORM, Guides
from attex.studies.kinds.roar import RANDOM, Roar
from attex.studies.leading import ACCURACY
from attex.studies.parts.compared import Compared, Row
from attex.studies.parts.frontier import EQUALLY_GOOD, best, nearest
from attex.studies.parts.panels import Bounded, Panel, panels
from attex.studies.parts.retrained import MEASURE, Retrained
from attex.studies.rivals import BASE, KINDS, OTHER_SEED
from attex.studies.rivals import UNIFORM as EVEN
from attex.studies.run_set import RunSet
from attex.studies.study import Study

FOR, AGAINST, OPEN = "for it", "against it", "does not tell"
ABSENT, YARDSTICK = "not measured", "a yardstick"
"""A test that has no number here; and what others are held against."""
_NOTHING: Bounded = (math.nan, math.nan, math.nan)
NONE_AS_GOOD = "none decides as well"
NONE_SEEN = "none is seen to decide as well"
"""Of trained models: all are worse beyond what seeds do; or the best of them may yet be as good."""

_SEED = "another seed"


@dataclass(frozen=True)
class Finding:
    """What one test found: `value`, beside `held_against`, and how far it is beyond that (`margin`).

    A margin above 0 speaks for the attention; with `in_favour` False, below 0. Up to `enough` it is
    as good as none. `of` says which model or measure it is, where there were several.
    """

    test: str
    number: str
    value: Bounded
    held_against: float
    which_is: str
    margin: Bounded
    in_favour: bool = True
    enough: float = 0.0
    of: str = ""

    @property
    def favour(self) -> Bounded:
        """The margin with the sign that is above 0 where it speaks for the attention."""
        value, low, high = self.margin
        return self.margin if self.in_favour else (-value, -high, -low)

    @property
    def says(self) -> str:
        """For, against, or neither: by the whole interval."""
        if self.of == NONE_AS_GOOD:
            return FOR
        if self.of == NONE_SEEN:
            return OPEN
        if not self.which_is:
            return YARDSTICK
        _, low, high = self.favour
        if math.isnan(self.value[0]) or math.isnan(low):
            return ABSENT
        if high <= self.enough and (self.enough or high < 0):
            return AGAINST
        return FOR if low > 0 else OPEN


class Tests:
    """The findings of studies that were trained of one base; `runs` are the models of each."""

    def __init__(self, studies: Mapping[str, Study], runs: Mapping[str, RunSet]) -> None:
        self._studies = studies
        self._runs = {name: _with_numbers(name, some) for name, some in runs.items()}

    def there(self) -> dict[str, RunSet]:
        """Return the studies that have their numbers, by name, with the models that have them."""
        return {name: runs for name, runs in self._runs.items() if runs.cells}

    def of(self, panel: Panel) -> Iterator[Finding]:
        """Yield what every test finds of the model of a panel, whose first level is the base itself."""
        itself = next(iter(panel.rows))
        frontier = next(one for one in self._frontiers if one.about == panel.about)
        yield from _of_weights(panel, itself)
        yield from _of_other_weights(frontier)
        yield from _of_erasure(panel, itself)
        yield from self._of_other_models(frontier)
        for name, found in (("guides", self._guided), ("roar", self._retrained)):
            if name in self._runs:
                yield from found(panel.about)
        hiding = self._runs.get("deception", RunSet({}, ()))
        if any(cell.cell.items() <= panel.about.items() for cell in hiding.cells):
            yield self._hidden(panel.about)

    @functools.cached_property
    def _frontiers(self) -> list[Panel]:
        return [*panels(self._runs["frontier"], CHOICE)]

    def _of_other_models(self, panel: Panel) -> Iterator[Finding]:
        study = self._studies["frontier"]
        assert isinstance(study, Frontier)
        seeds = panel.of(OTHER_SEED, "jsd(beside)")
        yield Finding("another seed", "JSD", seeds, math.nan, "", _NOTHING)
        for kind in ("frozen", "free"):
            if kind not in study.kinds:
                continue
            level = best(panel, (kind,), study.weights, "development")
            if level is None:
                _, (_, least_lost, _) = nearest(panel, (kind,), study.weights)
                value, margin, of = _NOTHING, _NOTHING, _none(least_lost)
            else:
                value = panel.of(level, "jsd(base)")
                margin = panel.of(level, "jsd(base)", (OTHER_SEED, "jsd(beside)"))
                of = level.partition(", ")[2]
            yield Finding(
                f"trained {KINDS[kind]}", "JSD", value, seeds[0], _SEED, margin, in_favour=False, of=of
            )
        lost = panel.of(BASE, ACCURACY, (EVEN, ACCURACY))
        yield Finding(
            "even weights trained", "accuracy lost", lost, 0.0, "none lost", lost, enough=EQUALLY_GOOD
        )

    def _guided(self, about: Mapping[str, Any]) -> Iterator[Finding]:
        study = self._studies["guides"]
        assert isinstance(study, Guides)
        rows = _levels(self._rows("guides", GUIDE, UNIFORM, (study.quantity,)), about, GUIDE)
        for level, name in ((OF_BASE, "guide"), (CROSS_FIT, "cross-fit guide")):
            if level in rows:
                row = rows[level][study.quantity]
                gained = row["difference"], row["difference_low"], row["difference_high"]
                yield Finding(name, f"{study.quantity} gained", gained, 0.0, "even weights", gained)

    def _retrained(self, about: Mapping[str, Any]) -> Iterator[Finding]:
        study = self._studies["roar"]
        assert isinstance(study, Roar)
        racus = Retrained(self._runs["roar"], study.quantity, RANDOM, study.shares).racus
        mine = [row for row in racus if about.items() <= row.items()]
        for row in mine:
            if row[MEASURE] == "attention":
                value = row["racu"], row["low"], row["high"]
                most = [
                    one for one in mine if one[MEASURE] == TRUTH and one["masking"] == row["masking"]
                ]
                of = f"the truth has {most[0]['racu']:.2f}" if most else ""
                test = f"{row['masking']} ROAR"
                yield Finding(test, "RACU", value, 0.0, "random words", value, of=of)

    def _hidden(self, about: Mapping[str, Any]) -> Finding:
        """Take the strongest penalty at which the model decides as well as without any."""
        study = self._studies["deception"]
        assert isinstance(study, Deception)
        asked = (MASS, SHARE, ACCURACY, f"development_{ACCURACY}")
        first = self._runs["deception"].choices[WEIGHT][0]
        rows = _levels(self._rows("deception", WEIGHT, first, asked), about, WEIGHT)
        good = [
            level
            for level, row in rows.items()
            if level != first and row[f"development_{ACCURACY}"]["difference"] >= -EQUALLY_GOOD - 1e-9
        ]
        test, number, chance = "trained to hide", "weight on hidden words", "their share of the words"
        share = rows[first][SHARE]["value"]
        if not good:
            gained = [row[f"development_{ACCURACY}"] for level, row in rows.items() if level != first]
            of = _none(-max(gained, key=lambda one: one["difference"])["difference_high"])
            return Finding(test, number, _NOTHING, share, chance, _NOTHING, of=of)
        mass = rows[good[-1]][MASS]
        value = mass["value"], mass["low"], mass["high"]
        margin = value[0] - share, value[1] - share, value[2] - share
        return Finding(test, number, value, share, chance, margin, of=f"λ = {good[-1]}")

    def _rows(self, name: str, choice: str, against: str, asked: tuple[str, ...]) -> list[Row]:
        return Compared(self._runs[name], choice, against, asked).rows()


def _with_numbers(name: str, runs: RunSet) -> RunSet:
    """Leave out cells whose texts have no marked tokens, of which there is nothing to hide."""
    if name != "deception":
        return runs
    return replace(runs, cells=tuple(cell for cell in runs.cells if MASS in cell.values))


def _none(least_lost: float) -> str:
    """Say whether a model that loses at least so much accuracy is known to be worse; NaN is not."""
    return NONE_AS_GOOD if least_lost > EQUALLY_GOOD else NONE_SEEN


def _levels(rows: list[Row], about: Mapping[str, Any], choice: str) -> dict[str, dict[str, Row]]:
    """Return the rows of one cell and setting, by level and quantity."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if about.items() <= row.items():
            found.setdefault(row[choice], {})[row["quantity"]] = row
    return found


def _of_weights(panel: Panel, itself: str) -> Iterator[Finding]:
    """Agreement with other measures, and with the truth."""
    for other, name in (("gradient", "gradient"), ("leave_one_out", "leave-one-out")):
        key = key_of(f"kendall_tau(attention, {other}) calibrated")
        quantity = next((one for one in panel.cell.values if key_of(one) == key), key)
        tau = panel.of(itself, quantity, signed=True)
        yield Finding(f"agreement with {name}", "τ, calibrated", tau, 0.0, "chance", tau)
    value = panel.of(itself, "auprc(attention)")
    if not math.isnan(value[0]):
        chance = panel.value(itself, "auprc(random)")
        beyond = panel.of(itself, "auprc(attention)", (itself, "auprc(random)"))
        yield Finding("truth", "AUPRC", value, chance, "random order", beyond)


def _of_other_weights(panel: Panel) -> Iterator[Finding]:
    """The same model under other weights: shuffled, even, and made for each text."""
    moved = panel.value(OTHER_SEED, "tvd(beside)")
    margin = panel.of(BASE, "tvd(permuted)", (OTHER_SEED, "tvd(beside)"))
    yield Finding("permutation", "TVD", panel.of(BASE, "tvd(permuted)"), moved, _SEED, margin)
    lost = panel.of(BASE, ACCURACY, (BASE, "accuracy(uniform)"))
    yield Finding(
        "even weights put in", "accuracy lost", lost, 0.0, "none lost", lost, enough=EQUALLY_GOOD
    )
    exact = [one for one in panel.cell.values if one.startswith("jsd_max(exact")]
    quantity = exact[0] if exact else "jsd_max(search)"
    seeds = panel.value(OTHER_SEED, "jsd(beside)")
    apart = panel.of(BASE, quantity, (OTHER_SEED, "jsd(beside)"))
    name = "exact adversary" if exact else "searched adversary"
    of = f"ε = {quantity.partition(', ')[2].rstrip(')')}" if exact else ""
    value = panel.of(BASE, quantity)
    yield Finding(name, "JSD", value, seeds, _SEED, apart, in_favour=False, of=of)


def _of_erasure(panel: Panel, itself: str) -> Iterator[Finding]:
    more = panel.of(itself, "delta_js", signed=True)
    yield Finding("erasure", "ΔJS", more, 0.0, "a random word", more)
