"""The page of verdicts, beside their table: written from judgements, never by hand."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attex.claims.causes import (
    BETWEEN,
    EXPLAINS,
    IN_PART,
    KINDS,
    LOOKS,
    NOT_FOUND,
    NOT_TRIED,
    SIZE,
    Cause,
)
from attex.claims.judging import Judgement, counts, judged
from attex.claims.ledger import PAPERS, RECALLED
from attex.claims.listing import table
from attex.claims.quantities import is_counted
from attex.claims.reach import AT_HAND
from attex.claims.sizes import HALF
from attex.claims.verdict import CHANCE, JUDGED, Interval, Verdict

_MEANINGS = {
    Verdict.REPRODUCED: (
        "the published number lies in our interval, and the interval is narrow: ± 0.02 at most\n"
        "  for accuracy, F1 and areas under curves, ± 0.1 for everything else"
    ),
    Verdict.DIFFERS: "the published number lies outside our interval",
    Verdict.UNCERTAIN: (
        "it lies inside, but so would many others: the interval is wider than that, or there\n"
        "  is one seed only"
    ),
    Verdict.NOT_RUN: (
        "attex cannot measure it yet, the data are not at hand, or no text of ours is of that kind"
    ),
    Verdict.NOT_PUBLIC: "the texts are not for everyone",
}
_CAUSES = {
    EXPLAINS: "with it, our interval has the published number",
    BETWEEN: "the published number lies between ours and what the swap gives",
    SIZE: (
        "the training set at hand is a part; still smaller parts lead away from the published number,\n"
        "  and a line through them, over the logarithm of their size, to what stands here"
    ),
    IN_PART: "with it, ours comes nearer, but not near enough",
    NOT_FOUND: (
        "swaps were run, those that are named, and none has to do with it. Where the training set\n"
        "  at hand is a part, the change from halving it stands beside, with its interval"
    ),
    NOT_TRIED: "no swap was run, or the number is one that no training changes",
}
_INTRODUCTION = """\
# Published numbers, and whether they come out again

All {total} numbers of the ledger, which papers on attention as explanation have printed or released,
each with a verdict. {made} Every number is in [claims.csv](claims.csv), with its source.

## What a verdict means

A published number is one draw: another seed would have given another. So the yardstick is the interval
in which one more model of ours would lie 19 times of 20: mean ± t · s · √(1 + 1/S) of S seeds, with the
standard deviation s between seeds pooled over all cells that have the same encoder and attention. All
cells weigh alike in s², however many seeds they have. (bAbI stands apart: its trainings split into those
that find the fact and those that do not.) It ends where the number must, as a share does at 0 and at 1.
(That the papers' texts are a sample, too, is left out: they are the same texts.)

"""
_MADE = """\
Written by `attex claims`; `attex claims --check` recomputes the verdicts from the
tables of numbers in `results/` and fails if this page is stale.
"""
_MADE_OF_RUNS = """\
Written by `attex claims --runs` from the newest run of every experiment there;
their settings need not be those of the papers.
"""
_WHY = """\
A cause is a swap of one ingredient that was run, and whose mean over seeds is not that of the base (at
5 %, divided by the number of swaps tried for that number):

"""
_LOOKED = """\
Where a swap came nearer and could not be told from chance, some models were given more seeds, chosen by
looking at these numbers. So chance finds a cause more often than that level says. It does not at a level
that is divided by {looks} more, for the times that a number was looked at, at most. There {firm} of
{differ} have a cause, {share:.0f} %.

"""
_MEMORY = f"A number with the source “{RECALLED}” is quoted from memory.\n\n"
_SIDES = """
“Universes” is the share of the settings of the multiverse that give less than the published number.

"""


def page(judgements: Sequence[Judgement], own: bool = False) -> str:
    """Write the page in Markdown; `own` says that the numbers are those of a user's runs."""
    made = (_MADE_OF_RUNS if own else _MADE).strip()
    parts = [_INTRODUCTION.format(total=f"{len(judgements):,}", made=made)]
    parts += [f"- **{verdict}**: {meaning}.\n" for verdict, meaning in _MEANINGS.items()]
    parts += ["\n## How many\n\n", chance_sentence(judgements), "\n\n"]
    parts += [at_hand_sentence(judgements), "\n\n"]
    parts += [count_table(judgements, "paper", lambda one: PAPERS[one.claim.paper]), "\n"]
    parts += [count_table(judgements, "quantity", lambda one: f"`{_head(one.claim.quantity)}`"), "\n"]
    parts += ["## What differs, and why\n\n", *_differences(judgements, own)]
    parts += ["\n## What is not measured, and why\n\n", _absent_table(judgements)]
    parts += ["\n## Where the numbers come from\n\n", _MEMORY, _source_table(judgements)]
    return "".join(parts)


def chance_sentence(judgements: Sequence[Judgement]) -> str:
    """Say how many were judged, differ, and would by chance, and what was found of causes."""
    some = judged(judgements)
    drawn = _drawn(some)
    differ = Counter(one.why for one in some if one.verdict is Verdict.DIFFERS)
    text = (
        f"{len(some)} numbers have one of ours beside them, "
        f"{'all' if drawn == len(some) else drawn} of which depend on seeds. "
        f"{differ.total()} differ; of a perfect replication {100 * CHANCE:.0f} % would, "
        f"which is {CHANCE * drawn:.0f}."
    )
    if differ:
        parts = ", ".join(f"{kind} {differ[kind]}" for kind in KINDS)
        caused = sum(differ[kind] for kind in KINDS)
        text += (
            f" A cause was tested by a swap for {caused} of them, {100 * caused / differ.total():.0f} %"
        )
        text += f" ({parts}); for {differ[NOT_FOUND]} no swap that was tried is one"
        text += f", and for {differ[NOT_TRIED]} none was tried." if differ[NOT_TRIED] else "."
    return text


def _drawn(some: Sequence[Judgement]) -> int:
    """Count the numbers that depend on seeds."""
    return sum(not is_counted(one.claim.quantity) for one in some)


def cause_table(judgements: Sequence[Judgement]) -> str:
    """Count by dataset what was judged, differs, and would by chance, and what was found of causes."""
    by_data: dict[str, list[Judgement]] = {}
    for one in judged(judgements):
        by_data.setdefault(one.claim.dataset, []).append(one)
    rows = []
    for data, some in by_data.items():
        why = Counter(one.why for one in some if one.why)
        by_chance = f"{CHANCE * _drawn(some):.1f}"
        counted = (str(why[kind] or "") for kind in _CAUSES)
        rows.append([data, str(len(some)), str(why.total()), by_chance, *counted])
    return _table(["data", "judged", "differ", "by chance", *_CAUSES], rows)


def at_hand_sentence(judgements: Sequence[Judgement]) -> str:
    """Say what became of the numbers on data at hand."""
    some = [one for one in judgements if one.claim.dataset in AT_HAND]
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts(some).items() if count)
    return f"On data at hand are {len(some)}: {parts}."


def count_table(judgements: Sequence[Judgement], title: str, of: Callable[[Judgement], str]) -> str:
    """Count verdicts by something, in the order of the ledger."""
    names = dict.fromkeys(of(one) for one in judgements)
    rows = []
    for name in names:
        found = counts([one for one in judgements if of(one) == name])
        rows.append([name, *(str(n or "") for n in found.values()), str(sum(found.values()))])
    total = counts(judgements)
    rows.append(["all", *(str(n) for n in total.values()), str(len(judgements))])
    return _table([title, *Verdict, "all"], rows)


def _differences(judgements: Sequence[Judgement], own: bool) -> Iterator[str]:
    differ = [one for one in judgements if one.verdict is Verdict.DIFFERS]
    if not differ:
        yield "Nothing that was judged differs.\n"
        return
    yield _WHY
    yield from (f"- **{kind}**: {meaning}.\n" for kind, meaning in _CAUSES.items())
    yield "\n"
    if not own:
        firm = sum(one.firm for one in differ)
        share = 100 * firm / len(differ)
        yield _LOOKED.format(looks=LOOKS, firm=firm, differ=len(differ), share=share)
    yield cause_table(judgements)
    yield _SIDES
    header = ["number", "model", "quantity", "class", "published", "ours", "universes", "cause"]
    yield _table(header, [_difference(one) for one in differ])


def _difference(one: Judgement) -> list[str]:
    claim, ours = one.claim, one.ours
    assert ours is not None
    model = " ".join(filter(None, claim.cell))
    below = f"{100 * one.below:.0f} % of {one.universes}" if one.universes else ""
    mark = " (from memory)" if claim.source == RECALLED else ""
    shown = [claim.claim, model, f"`{claim.quantity}`", claim.class_, short(claim.mean) + mark]
    return [*shown, interval_words(ours), below, why_words(one)]


def why_words(one: Judgement) -> str:
    """Say why a number differs, or what was tried to find that out."""
    if one.cause is not None:
        return f"{cause_words(one.cause)} ({one.cause.kind})"
    if not one.tried:
        return one.why
    halving = (
        "" if one.halved is None else f". {HALF.capitalize()}: changed by {interval_words(one.halved)}"
    )
    return f"{one.why}; tried: {'; '.join(one.tried)}{halving}"


def interval_words(ours: Interval) -> str:
    """Write a mean with its interval, if one seed is not all there is."""
    ends = "" if math.isnan(ours.half) else f" [{short(ours.low)}, {short(ours.high)}]"
    return short(ours.mean) + ends


def cause_words(cause: Cause) -> str:
    """Say which ingredient was swapped, from what to what, and what that gives."""
    return f"{cause.swap} gives {interval_words(cause.gives)}"


def _absent_table(judgements: Sequence[Judgement]) -> str:
    absent = [one for one in judgements if one.verdict not in JUDGED]
    kinds = Counter((one.verdict, one.reason) for one in absent)
    rows = []
    for (verdict, reason), count in kinds.most_common():
        data = dict.fromkeys(one.claim.dataset for one in absent if one.reason == reason)
        rows.append([verdict, reason, ", ".join(data), str(count)])
    return _table(["verdict", "why", "data", "numbers"], rows) if rows else "Everything was measured.\n"


def _source_table(judgements: Sequence[Judgement]) -> str:
    sources = Counter(one.claim.source for one in judgements)
    return _table(["source", "numbers"], [[name, str(n)] for name, n in sources.most_common()])


def write(judgements: Sequence[Judgement], folder: Path, own: bool = False) -> tuple[Path, Path]:
    """Write the page and the table into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "README.md", folder / "claims.csv"
    for path, text in zip(paths, (page(judgements, own), table(judgements)), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def stale(judgements: Sequence[Judgement], folder: Path) -> Path | None:
    """Return the file that does not say what the numbers say now, if there is one."""
    for name, text in (("README.md", page(judgements)), ("claims.csv", table(judgements))):
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            return path
    return None


def _head(quantity: str) -> str:
    return quantity.partition("[")[0].partition("(")[0]


def short(value: float) -> str:
    """Write a number with three decimals, and a small one with four: else it would be written as 0."""
    if math.isnan(value):
        return "–"
    places = 3 if value == 0 or abs(value) >= 1e-3 else 4
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n" for cells in lines)
