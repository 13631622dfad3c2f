"""The same conclusions on several datasets: in what share of its universes each holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from results.markdown import table

_MOST, _SOME = 0.9, 0.1
"""From which share of the universes on a conclusion is said to hold, or to be reversed, there."""


class Share(NamedTuple):
    """Of the universes of a dataset: in which share a conclusion holds, and in which it is reversed."""

    holds: float
    reversed: float


class Conclusion(NamedTuple):
    """What a paper says, where it says so, and what came of it by dataset."""

    sentence: str
    cite: str
    shares: dict[str, Share]


def conclusions(place: Path, endings: Mapping[str, str]) -> list[Conclusion]:
    """Read, by the ending of its tables, what the universes of each dataset say, every level alike."""
    found: dict[str, Conclusion] = {}
    for end, name in endings.items():
        rows = pl.read_csv(place / f"conclusions{end}.csv", infer_schema_length=None)
        cell = [
            pl.col(key) == "all" for key in ("dataset", "encoder", "attention", "projection", "kept")
        ]
        for row in rows.filter(*cell, pl.col("weighting") == "options").to_dicts():
            one = found.setdefault(row["conclusion"], Conclusion(row["sentence"], row["cite"], {}))
            one.shares[name] = Share(row["holds"], row["reversed"])
    return [*found.values()]


def across(place: Path, endings: Mapping[str, str]) -> str:
    """Say which conclusions hold on all datasets, which on none, and lay them out side by side.

    A dataset whose models lack an analysis was not asked what rests on it.
    """
    names = [*endings.values()]
    asked = [one for one in conclusions(place, endings) if len(one.shares) > 1]
    if not asked:
        return "No conclusion was asked on two of them."
    hold = [one for one in asked if all(_at_least(_MOST, x.holds) for x in one.shares.values())]
    turned = [one for one in asked if all(_at_least(_SOME, x.reversed) for x in one.shares.values())]
    widest = max(asked, key=_spread)
    least, most = (pick(share.holds for share in widest.shares.values()) for pick in (min, max))
    every = "every dataset that was asked"
    many, some, ends = _percent(_MOST), _percent(_SOME), f"{_percent(least)} to {_percent(most)}"
    lines = [
        f"Of {len(asked)} conclusions, {len(hold)} hold in {many} of the universes or more on "
        f"{every}{_listed(hold)}.",
        f"{len(turned)} are reversed in {some} or more on {every}{_listed(turned)}.",
        f"The dataset matters most to this one: {widest.sentence} (holds in {ends}).",
    ]
    for name in names:
        left = sum(name not in one.shares for one in asked)
        lines += [f"{left} of the {len(asked)} were not asked on {name} (–)."] if left else []
    rows = [
        [f"{_capital(one.sentence)} ({one.cite})", *(_cell(one.shares.get(name)) for name in names)]
        for one in asked
    ]
    return "\n".join([*(f"- {line}" for line in lines), "", table(["conclusion", *names], rows)])


def _spread(one: Conclusion) -> float:
    shares = [share.holds for share in one.shares.values()]
    return max(shares) - min(shares)


def _at_least(share: float, found: float) -> bool:
    """Compare what the page shows, so that it does not seem to contradict itself."""
    return round(100 * found) >= 100 * share


def _listed(some: list[Conclusion]) -> str:
    return f": {'; '.join(one.sentence for one in some)}" if some else ""


def _cell(share: Share | None) -> str:
    return "–" if share is None else f"{_percent(share.holds)} ({_percent(share.reversed)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
