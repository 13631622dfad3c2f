"""Two measures compared on every text, beside chance and ceiling."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attex.agreement.calibration import Calibration, against
from attex.agreement.depth import resolve_depth
from attex.agreement.nulls import Shifts, Shuffles
from attex.agreement.statistic import STATISTICS
from attex.data.batch import ordered_batches
from attex.data.corpus import Split
from attex.data.ragged import pad
from attex.foundations.registry import Spec

_PADDED_TOKENS = 65_536
_TESTED_DRAWS = 99
"""Draws for a statistic that knows its null distribution: they are only looked at."""
_SHIFTS = 19
"""Shifts of each text: their mean over the texts is what counts."""
_SHOWN = 20
"""Draws of each text that a figure shows."""


@dataclass(frozen=True)
class Comparison:
    """What is known of one pair of measures under one statistic, for every text: [N] each.

    p_value is two-sided: the statistic's own test where it has one, else by the draws; `above` says
    on which side of chance a text is. `sample` [N,20] are draws of the null.
    """

    value: np.ndarray
    null: np.ndarray
    null_std: np.ndarray
    null_shift: np.ndarray
    ceiling: np.ndarray
    room: np.ndarray
    p_value: np.ndarray
    above: np.ndarray
    depth: np.ndarray
    sample: np.ndarray


class Comparer:
    """Compares measures under one statistic; what chance gives is drawn once for all of them."""

    def __init__(self, texts: Split, statistic: Spec, draws: int, drop_ends: bool) -> None:
        self._texts = texts
        self._spec = statistic
        self._drop_ends = drop_ends
        self._compute = STATISTICS[statistic.type].target
        self._shifts = Shifts(self._compute, _SHIFTS)
        self._tested, self._untested = (Shuffles(self._compute, n) for n in (_TESTED_DRAWS, draws))

    def values(self, scores: dict[str, Tensor], pair: tuple[str, str]) -> np.ndarray:
        """Return the bare statistic of every text: [N]."""
        found = np.empty(len(self._texts))
        for chosen in self._batches():
            a, b, mask, options = self._batch(scores, pair, chosen)
            found[chosen] = self._compute(a, b, mask, **options).value.numpy()
        return found

    def compare(self, scores: dict[str, Tensor], pair: tuple[str, str]) -> Comparison:
        """Compare a pair of measures, given the flat scores of all."""
        count = len(self._texts)
        columns = {name: np.full(count, np.nan) for name in Comparison.__dataclass_fields__}
        columns |= {"above": np.zeros(count, bool), "sample": np.full((count, _SHOWN), np.nan)}
        for chosen in self._batches():
            a, b, mask, options = self._batch(scores, pair, chosen)
            known = self._compute(a, b, mask, **options).null_std is not None
            shuffles = self._tested if known else self._untested
            ids = self._texts.ids[torch.from_numpy(chosen)]
            found = against(self._compute, shuffles, a, b, mask, ids, options)
            shifted = against(self._compute, self._shifts, a, b, mask, ids, options)
            for name, part in _columns(found, shifted, chosen).items():
                columns[name][chosen] = part
        return Comparison(**columns)

    def _batches(self) -> list[np.ndarray]:
        return ordered_batches(self._texts.lengths.numpy(), _PADDED_TOKENS)

    def _batch(
        self, scores: dict[str, Tensor], pair: tuple[str, str], chosen: np.ndarray
    ) -> tuple[Tensor, Tensor, Tensor, dict[str, object]]:
        starts = self._texts.starts
        a, b = (pad(scores[name], starts, chosen)[0] for name in pair)
        _, mask = pad(self._texts.words, starts, chosen)
        mask = _without_ends(mask) if self._drop_ends else mask
        options = self._spec.options()
        if "k" in options:
            weights = pad(scores["attention"], starts, chosen)[0] if "attention" in scores else None
            options["k"] = resolve_depth(
                options["k"],
                a,
                b,
                mask,
                statistic=self._spec.type,
                attention=weights,
                lengths=self._texts.lengths,
            )
        return a, b, mask, options


def support(texts: Split, weights: Tensor) -> np.ndarray:
    """Count the weights of every text that are not 0: flat → [N]."""
    sums = torch.cat([torch.zeros(1, dtype=torch.long), (weights != 0).long().cumsum(0)])
    counts: np.ndarray = sums[texts.starts].diff().double().numpy()
    return counts


def _columns(found: Calibration, shifted: Calibration, chosen: np.ndarray) -> dict[str, np.ndarray]:
    tested, depth = found.agreement.p_value, found.agreement.depth
    above = found.p_value < found.p_below if tested is None else found.observed > 0
    # Texts that share a null distribution show different draws of it.
    shown = torch.from_numpy(chosen)[:, None] * _SHOWN + torch.arange(_SHOWN)
    columns = {
        "value": found.observed,
        "null": found.null,
        "null_std": found.null_std,
        "null_shift": shifted.null,
        "ceiling": found.ceiling,
        "room": found.room,
        "p_value": found.two_sided if tested is None else tested,
        "above": above,
        "depth": torch.full_like(found.null, float("nan")) if depth is None else depth,
        "sample": found.drawn.gather(1, shown % found.drawn.shape[1]),
    }
    return {name: values.numpy() for name, values in columns.items()}


def _without_ends(mask: Tensor) -> Tensor:
    position = torch.arange(mask.shape[1])
    return (position > 0) & (position < mask.sum(dim=1, keepdim=True) - 1)
