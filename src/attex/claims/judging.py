"""Every published number with its verdict, from the numbers of studies or of a user's own runs."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attex.claims.causes import (
    LOOKS,
    NOT_FOUND,
    NOT_TRIED,
    Cause,
    cause_in_study,
    cause_in_universes,
    most_telling,
    sides,
    tried_in_study,
    tried_in_universes,
)
from attex.claims.ledger import Cell, Claim, published
from attex.claims.numbers import BASE, Number, Study, Universes, read_numbers
from attex.claims.quantities import is_counted, widest
from attex.claims.reach import hindrance
from attex.claims.run_tables import numbers_of_run
from attex.claims.sizes import halved
from attex.claims.verdict import CHANCE, JUDGED, Interval, Prediction, Spread, Verdict, judge
from attex.foundations.errors import UserError

NUMBERS = "numbers.csv"
FURTHER = "numbers_*.csv"
"""Tables of further studies of the same paper, in the same words; the first one counts first."""
MULTIVERSE = "multiverse"
_EXACT = 5e-5
"""How far a counted number may be off: they are stated to four decimals."""

_PAIRS = "jain_wallace_2019_pairs"
ANSWERED_BY = {
    "jain_wallace_2019": ("jain_wallace_2019", _PAIRS),
    # They trained Jain & Wallace's models again.
    "wiegreffe_pinter_2019": ("wiegreffe_pinter_2019", "jain_wallace_2019"),
    "caulfield_2021_replication_of_pruthi": ("pruthi_2020",),
    "madsen_2022_recursive_roar": ("roar",),
    "neely_2022_court_of_xai": ("neely_2022",),
}
"""The studies whose settings a paper has, where it is not the one of its name alone."""

BESIDE = {
    _PAIRS: (
        "jain_wallace_2019",
        (
            *(_PAIRS, "jain_wallace_2019_snli", "jain_wallace_2019_padding", "jain_wallace_2019_babi"),
            *("babi_2_seeds", "babi_3_size", "babi_3_renamed"),
            *("jain_wallace_2019_snli_seeds", "jain_wallace_2019_snli_vectors"),
            *("jain_wallace_2019_babi_seeds", "babi_3_renamed_seeds"),
        ),
    )
}
"""Studies in tables beside the numbers of a paper. A model that several tables have counts once."""


@dataclass(frozen=True)
class Judgement:
    """A published number, what is said of it, and what of ours that rests on.

    `setting` says under which settings ours was measured. Of a number that has none of ours beside it,
    `reason` says why. Of one that differs, `tried` names the swaps that were looked at for a cause,
    `firm` says whether there is one also at a level that allows for all looks (`LOOKS`), and `halved`
    what halving its training set does to it, where that is itself a part. `universes` is how many
    settings a multiverse tried, `below` and `above` the shares of them on each side of the
    published number.
    """

    claim: Claim
    verdict: Verdict
    reason: str = ""
    study: str = ""
    setting: str = ""
    ours: Prediction | None = None
    cause: Cause | None = None
    firm: bool = False
    tried: tuple[str, ...] = ()
    halved: Interval | None = None
    universes: int = 0
    below: float = math.nan
    above: float = math.nan

    @property
    def why(self) -> str:
        """The kind of cause of a number that differs, or whether one was looked for; else nothing."""
        if self.verdict is not Verdict.DIFFERS:
            return ""
        if self.cause is not None:
            return self.cause.kind
        return NOT_FOUND if self.tried else NOT_TRIED


@dataclass(frozen=True)
class Evidence:
    """What verdicts rest on: studies by name, and the multiverse, if there is one."""

    studies: Mapping[str, Study]
    universes: Universes | None = None
    own: bool = False
    """Whether they are runs of a user: then each experiment is a setting, and may answer any paper."""

    def answer(self, claim: Claim) -> tuple[Study, str] | None:
        """Return the study and the setting that a published number is judged by."""
        if self.own:
            best = [
                (-len(study.values(claim, setting)), place, study, setting)
                for study in self.studies.values()
                for place, setting in enumerate(study.settings_about(claim))
            ]
            return min(best, key=lambda one: one[:2])[2:] if best else None
        for name in ANSWERED_BY.get(claim.paper, (claim.paper,)):
            study = self.studies.get(name)
            if study is not None and study.values(claim):
                return study, BASE
        return None

    def others(self, claim: Claim, study: Study) -> list[Study]:
        """Return the other studies that have the models of a published number, in their order."""
        names = () if self.own else ANSWERED_BY.get(claim.paper, ())
        there = [self.studies[name] for name in names if name in self.studies]
        return [other for other in there if other is not study and other.values(claim)]

    def is_undefined(self, claim: Claim) -> bool:
        """Say whether models of ours were asked for a published number, and none of them has it."""
        names = self.studies if self.own else ANSWERED_BY.get(claim.paper, (claim.paper,))
        return any(name in self.studies and self.studies[name].asked(claim) for name in names)


def judge_all(evidence: Evidence) -> list[Judgement]:
    """Judge every number of the ledger."""
    return [_judged(claim, evidence) for claim in published()]


def _judged(claim: Claim, evidence: Evidence) -> Judgement:
    answer = evidence.answer(claim)
    if answer is None:
        why = hindrance(claim)
        if why is not None:
            return Judgement(claim, why.verdict, why.reason)
        if evidence.is_undefined(claim):
            return Judgement(claim, Verdict.NOT_RUN, "undefined here: no text of ours is of that kind")
        return Judgement(claim, Verdict.NOT_RUN, "no model of ours has been measured for it")
    study, setting = answer
    if is_counted(claim.quantity):
        return _counted(claim, study, setting)
    ours = study.prediction(claim, setting)
    assert ours is not None
    verdict = judge(claim.mean, ours, widest(claim.quantity))
    reason = "one seed only" if math.isnan(ours.half) else ""
    found = Judgement(claim, verdict, reason, study.name, setting, ours)
    if verdict is Verdict.DIFFERS:
        found = _with_cause(found, study, evidence)
    if evidence.universes is not None:
        universes, below, above = sides(evidence.universes, claim)
        found = replace(found, universes=universes, below=below, above=above)
    return found


def _with_cause(one: Judgement, study: Study, evidence: Evidence) -> Judgement:
    """Look for the cause of a difference in the studies that have the model, and in the multiverse."""
    claim, others, universes = one.claim, evidence.others(one.claim, study), evidence.universes

    def cause(level: float) -> Cause | None:
        in_study = cause_in_study(study, claim, one.setting, others, level)
        if universes is None:
            return in_study
        return most_telling([in_study, cause_in_universes(universes, claim, level)])

    tried = tried_in_study(study, claim, one.setting, others)
    if universes is not None:
        tried += tried_in_universes(universes, claim)
    return replace(
        one,
        cause=cause(CHANCE),
        firm=cause(CHANCE / LOOKS) is not None,
        tried=tuple(tried),
        halved=halved(study, claim) if one.setting == BASE else None,
    )


def _counted(claim: Claim, study: Study, setting: str) -> Judgement:
    """Judge what no training changes: it is the same number, or it is not."""
    value = study.values(claim, setting)[0]
    same = abs(value - claim.mean) <= _EXACT
    ours = Prediction(value, 0.0, 1, Spread(0.0, 0))
    verdict = Verdict.REPRODUCED if same else Verdict.DIFFERS
    return Judgement(claim, verdict, "counted", study.name, setting, ours)


def from_results(folder: Path) -> Evidence:
    """Read the numbers of every study in a folder of results."""
    wanted = {claim.key for claim in published()}
    studies, universes = {}, None
    for path in sorted(folder.glob(f"*/{NUMBERS}")):
        name = path.parent.name
        if name == MULTIVERSE:
            # Every dataset has a table.
            paths = [path, *sorted(path.parent.glob(FURTHER))]
            numbers = (number for table in paths for number in read_numbers(table, wanted))
            universes = Universes.of(numbers, _base_levels(path.with_name("base.csv")))
        else:
            studies[name] = Study.of(name, read_numbers(path, wanted))
    apart = {f"numbers_{table}.csv" for _, tables in BESIDE.values() for table in tables}
    for path in sorted(folder.glob(f"*/{FURTHER}")):
        name = path.parent.name
        if path.name not in apart and name != MULTIVERSE:
            study = studies.get(name, Study(name))
            studies[name] = study.with_further(read_numbers(path, wanted))
    for name, (paper, tables) in BESIDE.items():
        beside = [folder / paper / f"numbers_{table}.csv" for table in tables]
        there = [[*read_numbers(path, wanted)] for path in beside if path.exists()]
        if there:
            studies[name] = Study.of(name, _each_model_once(there))
    return Evidence(studies, universes)


def _each_model_once(tables: Sequence[Sequence[Number]]) -> Iterator[Number]:
    """Yield the numbers of every model from the first table that has it."""
    known: set[tuple[Cell, str, str]] = set()
    for table in tables:
        yield from (one for one in table if (one.cell, one.setting, one.seed) not in known)
        known |= {(one.cell, one.setting, one.seed) for one in table}


def _base_levels(path: Path) -> dict[str, str]:
    """Read which level of each choice the papers have: columns `choice` and `level`."""
    if not path.exists():
        raise UserError(f"{path} is missing: it says which level of each choice the papers have")
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != ["choice", "level"]:
            raise UserError(f"{path}: expected the columns choice and level")
        return {row["choice"]: row["level"] for row in rows}


def from_runs(folders: Mapping[str, Path]) -> Evidence:
    """Read the numbers of a user's runs, by the names of their experiments."""
    return Evidence({"runs": Study.of("runs", _of_runs(folders))}, own=True)


def _of_runs(folders: Mapping[str, Path]) -> Iterator[Number]:
    for experiment, folder in folders.items():
        for number in numbers_of_run(folder):
            # Whatever was chosen inside a study makes a setting of its own.
            yield replace(number, choices={"setting": ", ".join((experiment, *number.choices.values()))})


def counts(judgements: Sequence[Judgement]) -> dict[Verdict, int]:
    """Count the verdicts."""
    return {verdict: sum(one.verdict is verdict for one in judgements) for verdict in Verdict}


def judged(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return those with a number of ours."""
    return [one for one in judgements if one.verdict in JUDGED]
