"""The rows of the agreement tables: what comparisons say, by seed, class and length."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from attex.agreement.intervals import ratio_interval
from attex.agreement.significance import benjamini_hochberg
from attex.analyses.headline import OVERALL as OVERALL
from attex.analyses.measure_pairs import OF_PIECES
from attex.analyses.summary import seed_groups, summarise

SIGNIFICANT = 0.05
LENGTHS = (1, 11, 21, 41, 81, 161, 321)
"""Where bins of length begin."""


class Comparisons:
    """How one pair of measures compares in S models on N texts: every column [S,N].

    `columns` are those of `measure_pairs`, `support`, and one for each control.
    """

    def __init__(self, seeds: Sequence[int], columns: dict[str, np.ndarray]) -> None:
        self.seeds = seeds
        self.columns = columns

    @property
    def values(self) -> np.ndarray:
        """The agreement of every text: [S,N]."""
        return self.columns["value"]

    def class_rows(self, predicted: np.ndarray, classes: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Summarise by seed and predicted class, and over all of both."""
        for seed, members in seed_groups(self.seeds):
            p_values = self.columns["p_value"][members]
            discovered = np.zeros_like(self.values, dtype=bool)
            discovered[members] = benjamini_hochberg(p_values.ravel(), SIGNIFICANT).reshape(
                p_values.shape
            )
            groups = [(name, predicted == number) for number, name in enumerate(classes)]
            for name, chosen in [*groups, (OVERALL, np.ones_like(predicted, dtype=bool))]:
                row = self._row(members, chosen[members], discovered[members])
                yield {"seed": seed, "class": name} | row

    def length_rows(self, lengths: np.ndarray) -> Iterator[dict[str, Any]]:
        """Summarise by seed and bin of length: power grows with length, agreement need not."""
        ends = [*(start - 1 for start in LENGTHS[1:]), None]
        for seed, members in seed_groups(self.seeds):
            for start, end in zip(LENGTHS, ends, strict=True):
                inside = (lengths >= start) & (lengths <= (np.inf if end is None else end))
                if not inside.any():
                    continue
                chosen = np.broadcast_to(inside, self.values[members].shape)
                row = self._row(members, chosen, None)
                name = f"{start} and more" if end is None else f"{start}–{end}"
                yield {"seed": seed, "tokens": name} | row

    def _row(
        self, members: list[int], chosen: np.ndarray, discovered: np.ndarray | None
    ) -> dict[str, Any]:
        columns = {name: values[members] for name, values in self.columns.items()}
        summary = summarise(columns["value"], chosen)
        defined = chosen & ~np.isnan(columns["value"])
        gained = np.where(defined, columns["value"] - columns["null"], 0.0)
        room = np.where(defined, columns["room"], 0.0)
        low, high = ratio_interval(gained, room)
        significant = defined & (columns["p_value"] <= SIGNIFICANT)

        def mean(name: str, where: np.ndarray = defined) -> float:
            known = where & ~np.isnan(columns[name]) if name in columns else np.zeros(1, dtype=bool)
            return float(columns[name][known].mean()) if known.any() else float("nan")

        def share(texts: np.ndarray) -> float:
            return float(texts.sum() / chosen.sum()) if chosen.any() else float("nan")

        row = summary | {
            "null": mean("null"),
            "null_shift": mean("null_shift"),
            **({OF_PIECES: mean(OF_PIECES)} if OF_PIECES in columns else {}),
            "null_std": mean("null_std"),
            "ceiling": mean("ceiling"),
            "calibrated": float(gained.sum() / room.sum()) if room.sum() else float("nan"),
            "calibrated_low": low,
            "calibrated_high": high,
            "uncalibrated": int((chosen & ~(np.nan_to_num(columns["room"]) != 0)).sum()),
            "significant": share(significant),
            "positive": share(significant & columns["above"]),
            "negative": share(significant & ~columns["above"]),
        }
        if discovered is not None:
            row["significant_bh"] = share(discovered & defined)
        row |= {"mean_k": mean("depth"), "mean_support": mean("support", chosen)}
        return row | {name: mean(name, chosen) for name in ("untrained", "permuted")}


def differences(
    pairs: dict[tuple[str, str], Comparisons],
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Subtract the values of pairs of measures that share one, text by text: names and [S,N]."""
    for first, second in combinations(pairs, 2):
        if set(first) & set(second):
            yield " ~ ".join(first), " ~ ".join(second), pairs[first].values - pairs[second].values


def difference_rows(
    pairs: dict[tuple[str, str], Comparisons], seeds: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Summarise the differences by seed, and over all."""
    for first, second, gap in differences(pairs):
        for seed, members in seed_groups(seeds):
            chosen = np.ones_like(gap[members], dtype=bool)
            about = {"pair": first, "less": second, "seed": seed}
            yield about | summarise(gap[members], chosen)
