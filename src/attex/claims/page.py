"""The page and the table of verdicts: written from judgements, never by hand."""

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attex.claims.causes import BETWEEN, EXPLAINS, IN_PART, SIZE, Cause
from attex.claims.judging import Judgement, counts, judged
from attex.claims.ledger import PAPERS, RECALLED
from attex.claims.quantities import is_counted
from attex.claims.reach import AT_HAND
from attex.claims.verdict import CHANCE, JUDGED, Prediction, Verdict

PLACES = 4
"""Decimals in the table of all verdicts."""

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
}
_INTRODUCTION = """\
# Published numbers, and whether they come out again

All {total} numbers of the ledger, which papers on attention as explanation have printed or released,
each with a verdict. {made} Every number is in [claims.csv](claims.csv), with its source.

## What a verdict means

A published number is one draw: another seed would have given another. So the yardstick is the interval
in which one more model of ours would lie 19 times of 20: mean ± t · s · √(1 + 1/S) of S seeds, with the
standard deviation s between seeds pooled over all cells that have the same encoder and attention. (bAbI
stands apart: its trainings split into those that find the fact and those that do not.)
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
    parts += ["## What differs, and why\n\n", *_differences(judgements)]
    parts += ["\n## What is not measured, and why\n\n", _absent_table(judgements)]
    parts += ["\n## Where the numbers come from\n\n", _MEMORY, _source_table(judgements)]
    return "".join(parts)


def chance_sentence(judgements: Sequence[Judgement]) -> str:
    """Say how many were judged, how many differ, and how many would by chance."""
    some = judged(judgements)
    drawn = sum(not is_counted(one.claim.quantity) for one in some)
    differ = [one for one in some if one.verdict is Verdict.DIFFERS]
    caused = Counter(one.cause.kind for one in differ if one.cause is not None)
    text = (
        f"{len(some)} numbers have one of ours beside them, {drawn} of which depend on seeds. "
        f"{len(differ)} differ; of a perfect replication {100 * CHANCE:.0f} % would, "
        f"which is {CHANCE * drawn:.0f}."
    )
    if differ:
        parts = ", ".join(f"{kind} {caused[kind]}" for kind in _CAUSES)
        share = 100 * caused.total() / len(differ)
        text += f" A cause was tested by a swap for {caused.total()} of them, {share:.0f} % ({parts})."
    return text


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


def _differences(judgements: Sequence[Judgement]) -> Iterator[str]:
    differ = [one for one in judgements if one.verdict is Verdict.DIFFERS]
    if not differ:
        yield "Nothing that was judged differs.\n"
        return
    yield _WHY
    yield from (f"- **{kind}**: {meaning}.\n" for kind, meaning in _CAUSES.items())
    yield _SIDES
    header = ["number", "model", "quantity", "class", "published", "ours", "universes", "cause"]
    yield _table(header, [_difference(one) for one in differ])


def _difference(one: Judgement) -> list[str]:
    claim, ours = one.claim, one.ours
    assert ours is not None
    model = " ".join(filter(None, claim.cell))
    below = f"{100 * one.below:.0f} % of {one.universes}" if one.universes else ""
    told = cause_words(one.cause) if one.cause else ""
    told += f" ({one.cause.kind})" if one.cause else ""
    mark = " (from memory)" if claim.source == RECALLED else ""
    shown = [claim.claim, model, f"`{claim.quantity}`", claim.class_, _short(claim.mean) + mark]
    return [*shown, interval_words(ours), below, told]


def interval_words(ours: Prediction) -> str:
    """Write a mean with its prediction interval, if one seed is not all there is."""
    ends = "" if math.isnan(ours.half) else f" [{_short(ours.low)}, {_short(ours.high)}]"
    return _short(ours.mean) + ends


def cause_words(cause: Cause) -> str:
    """Say which ingredient was swapped, from what to what, and what that gives."""
    named = "" if cause.ingredient == "setting" else f"{cause.ingredient}: "
    return f"{named}{cause.before} → {cause.after} gives {interval_words(cause.gives)}"


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


COLUMNS = (
    *(
        "claim",
        "paper",
        "location",
        "dataset",
        "encoder",
        "attention",
        "projection",
        "quantity",
        "class",
    ),
    *("published", "source", "verdict", "reason", "study", "setting", "ours", "low", "high", "seeds"),
    *("cause", "ingredient", "before", "after", "gives", "gives_low", "gives_high", "swaps_tried"),
    *("universes", "below", "above"),
)


def table(judgements: Sequence[Judgement]) -> str:
    """Write every verdict as a row of csv."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(one) for one in judgements)
    return text.getvalue()


def _cells(one: Judgement) -> list[str]:
    claim, ours, cause = one.claim, one.ours, one.cause
    row = [claim.claim, claim.paper, claim.location, *claim.cell, claim.quantity, claim.class_]
    row += [f"{claim.mean:g}", claim.source, one.verdict, one.reason, one.study, one.setting]
    row += (
        [""] * 4 if ours is None else [*map(_exact, (ours.mean, ours.low, ours.high)), str(ours.seeds)]
    )
    if cause is None:
        row += [""] * 8
    else:
        gives = cause.gives
        row += [cause.kind, cause.ingredient, cause.before, cause.after]
        row += [*map(_exact, (gives.mean, gives.low, gives.high)), str(cause.tried)]
    return [*row, str(one.universes or ""), _exact(one.below), _exact(one.above)]


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


def _short(value: float) -> str:
    return "–" if math.isnan(value) else f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def _exact(value: float) -> str:
    return "" if math.isnan(value) else f"{round(value, PLACES) + 0.0:.{PLACES}f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n" for cells in lines)
