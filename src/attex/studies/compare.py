"""Two or more finished runs side by side: paired differences of every number they share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attex.agreement.intervals import DRAWS, text_counts
from attex.foundations.errors import UserError, brief, listed
from attex.studies.bounds import bounded

Key = tuple[str, str]
"""A quantity and the class that it is about."""

TEXTS, SEEDS, NOTHING = "texts", "seeds", "nothing"
"""What an interval can be over."""


@dataclass(frozen=True)
class RunNumbers:
    """The numbers of one run: S seeds, and the names of the texts that they are about.

    `values` [S] and `draws` [S,D] are by quantity and class. Draws are of the texts, and the same for
    every run on the same texts; a number that is no ratio of sums over texts has none.
    """

    name: str
    seeds: tuple[int, ...]
    texts: tuple[str, ...]
    values: Mapping[Key, np.ndarray]
    draws: Mapping[Key, np.ndarray]


def compare(base: RunNumbers, *others: RunNumbers) -> list[dict[str, Any]]:
    """Take what the base has from what every other run has, seed by seed, on the same texts.

    There is a row for each other run and each number that both have: `base` and `value` (means over the
    seeds of both), `difference` with `low` and `high` (see `bounded`), and what the interval is
    `bounded_by`: texts where there are draws, and seeds where there are two. Without either the bounds
    are NaN. `seeds` and `texts` say how many were compared. A number that is undefined for a seed of
    either is compared without it.

    Raises:
        UserError: if a run has other texts than the base, or no seed in common with it.

    Example:
        >>> import numpy as np
        >>> from attex.studies.compare import RunNumbers, compare
        >>> def run(name, *accuracies):
        ...     values = {("accuracy", "overall"): np.array(accuracies)}
        ...     return RunNumbers(name, (0, 1), ("first", "second"), values, {})
        >>> (row,) = compare(run("lstm", 0.75, 0.5), run("cnn", 1.0, 0.75))
        >>> row["difference"], row["low"], row["high"]
        (0.25, 0.25, 0.25)
    """
    return [row for other in others for row in _differences(base, other)]


def numbers_on(
    name: str,
    seeds: Sequence[int],
    texts: Sequence[str],
    sums: Mapping[Key, tuple[np.ndarray, np.ndarray]],
    kept: Sequence[str],
    draws: int = DRAWS,
) -> RunNumbers:
    """Work numbers out on some of a run's texts: Σ above / Σ below, with draws of the texts.

    Args:
        name: what the run is called.
        seeds: its S seeds.
        texts: the names of its N texts, in the order of the sums.
        sums: above [S,N] and below [S,N], by quantity and class.
        kept: the texts to use, each one of the run's: see `common_texts`.
        draws: how often the texts are drawn with replacement. The draws depend on their number alone,
            so that those of two runs on the same texts are paired.
    """
    place = {text: number for number, text in enumerate(texts)}
    chosen = np.array([place[text] for text in kept], dtype=int)
    counts = text_counts(len(chosen), draws).T
    values, drawn = {}, {}
    for key, (above, below) in sums.items():
        above, below = above[:, chosen], below[:, chosen]
        values[key] = _ratio(above.sum(axis=1), below.sum(axis=1))
        drawn[key] = _ratio(above @ counts, below @ counts)
    return RunNumbers(name, tuple(seeds), tuple(kept), values, drawn)


def common_texts(*texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names that all runs have, in the order of the first.

    Raises:
        UserError: if there is none.
    """
    everywhere = set(texts[0]).intersection(*texts[1:])
    if not everywhere:
        raise UserError("the runs have no text in common, so nothing can be compared")
    return tuple(text for text in texts[0] if text in everywhere)


def _differences(base: RunNumbers, other: RunNumbers) -> Iterator[dict[str, Any]]:
    _check(base, other)
    seeds = [seed for seed in base.seeds if seed in other.seeds]
    ours, theirs = ([run.seeds.index(seed) for seed in seeds] for run in (base, other))
    for key in base.values:
        if key not in other.values:
            continue
        before, after = base.values[key][ours], other.values[key][theirs]
        drawn = [run.draws[key] for run in (base, other) if key in run.draws]
        moved = (drawn[1][theirs] - drawn[0][ours])[None] if len(drawn) == 2 else None
        bounds = bounded((after - before)[None], moved)
        both = ~np.isnan(after - before)
        bounded_by = _bounded_by(moved is not None, int(bounds.seeds[0]))
        known = bounded_by != NOTHING
        yield {
            "run": other.name,
            "against": base.name,
            "quantity": key[0],
            "class": key[1],
            "base": float(before[both].mean()) if both.any() else float("nan"),
            "value": float(after[both].mean()) if both.any() else float("nan"),
            "difference": float(bounds.value[0]),
            "low": float(bounds.low[0]) if known else float("nan"),
            "high": float(bounds.high[0]) if known else float("nan"),
            "bounded_by": bounded_by,
            "seeds": int(bounds.seeds[0]),
            "texts": len(base.texts),
        }


def _bounded_by(texts: bool, seeds: int) -> str:
    """Say what an interval is over; one seed, or none, says nothing of others."""
    sources = [TEXTS] * (texts and seeds > 0) + [SEEDS] * (seeds > 1)
    return " and ".join(sources) or NOTHING


def _check(base: RunNumbers, other: RunNumbers) -> None:
    if base.texts != other.texts:
        absent = len(set(base.texts) - set(other.texts))
        raise UserError(
            f"run '{brief(other.name)}' is not about the same texts as '{brief(base.name)}':"
            f" it lacks {absent:,} of {len(base.texts):,}, or has others or another order"
        )
    if not set(base.seeds) & set(other.seeds):
        raise UserError(
            f"run '{brief(other.name)}' (seeds {listed(other.seeds)}) has no seed in common with"
            f" '{brief(base.name)}' (seeds {listed(base.seeds)})"
        )


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    ratio = np.full(above.shape, np.nan)
    np.divide(above, below, out=ratio, where=below != 0)
    return ratio
