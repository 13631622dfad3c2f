"""The table of verdicts: a row of csv for every published number."""

import csv
import io
import math
from collections.abc import Sequence

from attex.claims.judging import Judgement
from attex.claims.verdict import Interval

PLACES = 4
"""Decimals in the table of all verdicts."""

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
    *("firm", "tried", "halving", "halving_low", "halving_high"),
    *("universes", "below", "above"),
)


def table(judgements: Sequence[Judgement]) -> str:
    """Write every verdict as a row of csv.

    Of a number that differs, `tried` names the swaps that were looked at for its cause, which each have
    to be the surer the more there were; `firm` says whether a cause is left at a level that allows for
    seeds that were added after a look. `halving` is by how much half of the training texts change it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(one) for one in judgements)
    return text.getvalue()


def _cells(one: Judgement) -> list[str]:
    claim, ours, cause = one.claim, one.ours, one.cause
    row = [claim.claim, claim.paper, claim.location, *claim.cell, claim.quantity, claim.class_]
    row += [f"{claim.mean:g}", claim.source, one.verdict, one.reason, one.study, one.setting]
    row += [*_ends(ours), "" if ours is None else str(ours.seeds)]
    if cause is None:
        row += [one.why, *[""] * 6, str(len(one.tried)) if one.why else ""]
    else:
        row += [one.why, cause.ingredient, cause.before, cause.after]
        row += [*_ends(cause.gives), str(cause.tried)]
    row += ["yes" if one.firm else "", "; ".join(one.tried), *_ends(one.halved)]
    return [*row, str(one.universes or ""), _exact(one.below), _exact(one.above)]


def _ends(interval: Interval | None) -> list[str]:
    """Write a mean and the ends of its interval."""
    if interval is None:
        return [""] * 3
    return [*map(_exact, (interval.mean, interval.low, interval.high))]


def _exact(value: float) -> str:
    return "" if math.isnan(value) else f"{round(value, PLACES) + 0.0:.{PLACES}f}"
