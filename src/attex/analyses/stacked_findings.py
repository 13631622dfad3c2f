"""Findings about layers and heads laid out: a row for each, beside one drawn at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attex.agreement.intervals import mean_interval, ratio_interval
from attex.analyses.analysis import Evidence
from attex.analyses.summary import seed_groups, summarise

PERMUTED, UNIFORM, ERASED = "permuted", "uniform", "erased"
CHANGES = (PERMUTED, UNIFORM, ERASED)
ALL_HEADS, ANY = "all", "any"
TVD, FLIPS, EXAMINED = "tvd|", "flips|", "examined"
JSD, MOST, SEARCHED = "jsd", "most", "searched"
"""What findings are called; of each change there are TVD and flips."""


def found(evidence: Evidence, prefix: str, change: str) -> np.ndarray:
    """What was found for a change: [S,N,L,1+H] in float64; all heads come first."""
    values: np.ndarray = evidence.stacked(prefix + change).astype(np.float64)
    return values


def examined(evidence: Evidence) -> np.ndarray:
    """Mark the texts that were looked at in each layer: [S,N,L]."""
    marked: np.ndarray = evidence.stacked(EXAMINED) > 0
    return marked


def layers_of(looked_at: np.ndarray) -> list[int]:
    """Number the layers that were looked at in any text: [S,N,L] → numbers."""
    numbers: list[int] = np.flatnonzero(looked_at.any(axis=(0, 1))).tolist()
    return numbers


def at_random(values: np.ndarray, looked_at: np.ndarray, heads: slice) -> tuple[np.ndarray, np.ndarray]:
    """Average over heads of all layers, in the texts where all were looked at.

    values [S,N,L,1+H], looked_at [S,N,L] → the mean, which is what one drawn at random comes to, and
    which texts count: [S,N] each.
    """
    layers = layers_of(looked_at)
    chosen = np.asarray(looked_at[:, :, layers].all(axis=2))
    return values[:, :, layers, heads].mean(axis=(2, 3)), chosen


def change_rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield a row for each change of each head of each layer, and those of one drawn at random."""
    for seed, members in seed_groups(evidence.numbers):
        looked_at = examined(evidence)[members]
        for change in CHANGES:
            both = tuple(found(evidence, prefix, change)[members] for prefix in (TVD, FLIPS))
            chance = {}
            for head, heads in _drawn(both[0]):
                tvd, chosen = at_random(both[0], looked_at, heads)
                flips, _ = at_random(both[1], looked_at, heads)
                row = {"seed": seed, "change": change, "layer": ANY, "head": head}
                row |= _summary(tvd, flips, chosen)
                chance[head] = row["mean"]
                yield row | {"chance": row["mean"]}
            for layer in layers_of(looked_at):
                for number in range(both[0].shape[-1]):
                    head = str(number - 1) if number else ALL_HEADS
                    row = {"seed": seed, "change": change, "layer": str(layer), "head": head}
                    tvd, flips = (values[:, :, layer, number] for values in both)
                    row |= _summary(tvd, flips, looked_at[:, :, layer])
                    yield row | {"chance": chance[ANY if number else ALL_HEADS]}


def _drawn(values: np.ndarray) -> Iterator[tuple[str, slice]]:
    """Name what can be drawn at random, a layer or a head of any, and where its values are."""
    yield ALL_HEADS, slice(0, 1)
    if values.shape[-1] > 1:
        yield ANY, slice(1, None)


def _summary(tvd: np.ndarray, flips: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
    """Summarise TVD and flips [S,N] of the texts that were looked at."""
    known = chosen & ~np.isnan(flips)
    low, high = mean_interval(flips, known)
    share = float(flips[known].mean()) if known.any() else float("nan")
    return summarise(tvd, chosen) | {"flips": share, "flips_low": low, "flips_high": high}


def search_rows_of(evidence: Evidence, epsilon: float) -> Iterator[dict[str, Any]]:
    """Yield the largest JSD within ε by seed, and what it is of the largest that any weights have."""
    jsd, most, searched = (evidence.stacked(name) for name in (JSD, MOST, SEARCHED))
    for seed, members in seed_groups(evidence.numbers):
        chosen = searched[members] > 0
        known = chosen & ~np.isnan(jsd[members])
        above, below = (np.where(known, values[members], 0.0) for values in (jsd, most))
        low, high = ratio_interval(above, below)
        ratio = float(above.sum() / below.sum()) if below.sum() else float("nan")
        row = {"seed": seed, "epsilon": epsilon} | summarise(jsd[members], chosen)
        yield row | {"ratio": ratio, "ratio_low": low, "ratio_high": high}


def strongest_head(evidence: Evidence, change: str) -> tuple[dict[str, Any], float | None]:
    """Summarise the TVD of each model's strongest head, and what a head drawn at random comes to.

    It is chosen on every other text and measured on the rest: on the same texts the largest of many
    means would lie above chance by itself.
    """
    looked_at, tvd = examined(evidence), found(evidence, TVD, change)
    layers = layers_of(looked_at)
    single = tvd[:, :, layers, 1:].reshape(*tvd.shape[:2], -1)
    counted = looked_at[:, :, layers].all(axis=2) & ~np.isnan(single).any(axis=2)
    choosing = counted & (counted.cumsum(axis=1) % 2 == 1)
    measured = counted & ~choosing
    strongest = single.sum(axis=1, where=choosing[..., None]).argmax(axis=1)
    values = np.take_along_axis(single, strongest[:, None, None], axis=2)[..., 0]
    chance = single.mean(axis=2)[measured]
    return summarise(values, measured), float(chance.mean()) if chance.size else None
