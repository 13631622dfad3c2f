"""What a number depends on: shares of its variance, and what each level does to it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attex.analyses.summary import frame
from attex.charts.levels import levels_chart
from attex.charts.shares import CHOICE, HIGHER, KINDS, PAIR, SEEDS, shares_chart
from attex.foundations.progress import track
from attex.report.study_page import Part
from attex.studies.parts.subject import Subject, cell_name, chart_name, minus
from attex.studies.run_set import CellRuns
from attex.studies.shares import Share, Shares
from attex.studies.variance import shares_of

_NAMED = 3
"""As many choices are named in a sentence."""
WHOLE = "whole design"
_SUM = "a sum"


def dependence_part(subject: Subject) -> Part:
    """Share out the variance of every quantity in every cell."""
    rows: list[dict[str, Any]] = []
    effects: list[dict[str, Any]] = []
    charts: dict[str, dict[str, Any]] = {}
    sentences: list[str] = []
    pairs = [*subject.pairs()]
    for cell, quantity in track(pairs, "shares of variance", len(pairs)):
        found = shares_of(subject.runs, cell, quantity)
        about = dict(cell.cell) | {"quantity": quantity}
        own = [about | row for row in _share_rows(subject, found)]
        rows += own
        levels = [about | row for row in _effect_rows(subject, cell, found)]
        effects += levels
        if any(cell is drawn for drawn in subject.drawn):
            of = f"{quantity}, {cell_name(cell)}"
            whole = [row for row in own if row["branch"] == WHOLE and row["kind"] in KINDS]
            charts[chart_name("shares", quantity, cell_name(cell))] = shares_chart(
                whole, f"Shares of the variance of {of}"
            )
            charts[chart_name("levels", quantity, cell_name(cell))] = levels_chart(
                levels, subject.runs.choices, f"Mean of {of}, at each level", quantity, found.mean
            )
            sentences.append(_sentence(f"{quantity} of {cell_name(cell)}", whole, found))
    return Part(
        "What does it depend on?",
        "The variance of a number over all models is shared out (ω²): to each choice, to pairs of "
        "choices, to three and more together, and to seeds. What has no effect has an estimate below 0 "
        "half of the time. Shares depend on the levels that were tried, so the second table has the "
        "mean at each level, in units of the number. `higher` is how much of a share three and more "
        "choices together may be, which the design does not tell apart.",
        sentences,
        {"tables/shares": frame(rows), "tables/effects": frame(effects)},
        charts,
    )


def _share_rows(subject: Subject, found: Shares) -> Iterator[dict[str, Any]]:
    yield from _of_branch(found, WHOLE)
    for branch in found.branches:
        names = subject.runs.choices[branch.parent]
        at = ", ".join(names[level] for level in branch.at)
        yield from _of_branch(branch.shares, f"{branch.parent}: {at}")


def _of_branch(found: Shares, branch: str) -> Iterator[dict[str, Any]]:
    kinds: list[tuple[str, str, Share]] = [
        *((CHOICE, one.choices[0], one) for one in found.choices),
        *((PAIR, " × ".join(one.choices), one) for one in found.pairs),
        (_SUM, "all choices", found.all_choices),
        (_SUM, "all pairs", found.all_pairs),
        (HIGHER, HIGHER, found.lack_of_fit),
        (SEEDS, SEEDS if found.lack_of_fit.freedom else "seeds and the rest", found.seeds),
    ]
    for kind, term, share in kinds:
        yield {
            "branch": branch,
            "term": term,
            "kind": kind,
            "freedom": share.freedom,
            "share": share.share,
            "low": share.low,
            "high": share.high,
            "higher": share.higher,
            "universes": found.universes,
            "models": found.models,
            "undefined": found.undefined,
            "notes": "; ".join(found.notes),
        }


def _effect_rows(subject: Subject, cell: CellRuns, found: Shares) -> Iterator[dict[str, Any]]:
    chosen = subject.chosen(cell.levels)
    places = {choice: number for number, choice in enumerate(subject.runs.choices)}
    for effect in found.effects:
        names, column = subject.runs.choices[effect.choice], chosen[:, places[effect.choice]]
        bounds = zip(effect.levels, effect.means, effect.low, effect.high, strict=True)
        for level, mean, low, high in bounds:
            yield {
                "choice": effect.choice,
                "level": names[level],
                "n": int(np.sum(column == level)),
                "mean": float(mean),
                "low": float(low),
                "high": float(high),
                "span": effect.span,
                "span_low": effect.span_low,
                "span_high": effect.span_high,
            }


def _sentence(what: str, rows: list[dict[str, Any]], found: Shares) -> str:
    """Say which choices have most of the variance, and what no choice has."""
    if np.isnan(found.all_choices.share):
        return f"What {what} depends on cannot be said: {'; '.join(found.notes)}."
    known = [row for row in rows if row["kind"] == CHOICE and row["share"] == row["share"]]
    first = sorted(known, key=lambda row: -row["share"])[:_NAMED]
    named = ", ".join(f"{row['term']} has {_percent(row)}" for row in first)
    return f"Of the variance of {what}, {named}; seeds have {_percent(vars(found.seeds))}."


def _percent(row: dict[str, Any]) -> str:
    return minus(f"{row['share']:.0%} [{row['low']:.0%}, {row['high']:.0%}]")
