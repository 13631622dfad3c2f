"""Two measures compared on every text, beside chance and ceiling."""

import numpy as np
import torch
from torch import Tensor

from attex.agreement.calibration import Calibration, against
from attex.agreement.depth import resolve_depth
from attex.agreement.nulls import GroupShuffles, Shifts, Shuffles
from attex.agreement.statistic import STATISTICS
from attex.analyses.pieces import put_together
from attex.data.batch import ordered_batches, padded_sizes
from attex.data.split import Split
from attex.foundations.progress import steps
from attex.foundations.registry import Spec

_PADDED_TOKENS = 65_536
_TESTED_DRAWS = 99
"""Draws for a statistic that knows its null distribution: they are only looked at."""
_SHIFTS = 5
"""Shifts of each text: their mean over the texts is what counts."""
_WITHIN = 20
"""Shuffles among words of equally many pieces, of each text: again their mean over the texts counts."""
_SHOWN = 20
"""Draws of each text that a figure shows."""


COLUMNS = (
    "value",
    "null",
    "null_std",
    "null_shift",
    "ceiling",
    "room",
    "p_value",
    "above",
    "depth",
    "sample",
)
"""What is known of a pair of measures under a statistic, for every text: [N] each.

p_value is two-sided: the statistic's own test where it has one, else by the draws; `above` says on
which side of chance a text is. `sample` [N,20] are draws of the null, in float16: they are only shown.
"""

OF_PIECES = "null_pieces"
"""One more where words are cut into pieces: the mean of shuffles among words of equally many pieces."""


class Comparer:
    """Compares measures under one statistic; what chance gives is drawn once for all of them."""

    def __init__(
        self, texts: Split, statistic: Spec, draws: int, drop_ends: bool, device: torch.device
    ) -> None:
        self._texts = texts
        self._lengths = texts.lengths.numpy()
        self._device = device
        self._spec = statistic
        self._drop_ends = drop_ends
        self._compute = STATISTICS[statistic.type].target
        self._shifts = Shifts(self._compute, _SHIFTS)
        self._per_word = texts.pieces_per_word
        self._within = GroupShuffles(self._compute, _WITHIN)
        self._tested, self._untested = (Shuffles(self._compute, n) for n in (_TESTED_DRAWS, draws))

    def values(self, scores: dict[str, Tensor], pair: tuple[str, str]) -> Tensor:
        """Return the bare statistic of every text: [N]."""
        values = torch.empty(len(self._texts), dtype=torch.float64)
        for chosen in self._batches():
            a, b, mask, options = self._batch(scores, pair, chosen)
            values[chosen] = self._compute(a, b, mask, **options).value.cpu()
        return values

    def compare(self, scores: dict[str, Tensor], pair: tuple[str, str]) -> dict[str, Tensor]:
        """Compare a pair of measures, given the flat scores of all: `COLUMNS`."""
        batches = self._batches()
        sizes = padded_sizes(self._lengths, batches)
        pieces = ((chosen, self._compared(scores, pair, chosen)) for chosen in steps(batches, sizes))
        return put_together(pieces, len(self._texts))

    def _compared(
        self, scores: dict[str, Tensor], pair: tuple[str, str], chosen: np.ndarray
    ) -> dict[str, Tensor]:
        a, b, mask, options = self._batch(scores, pair, chosen)
        known = self._compute(a, b, mask, **options).null_std is not None
        shuffles = self._tested if known else self._untested
        ids = self._texts.ids[torch.from_numpy(chosen)]
        shuffled = against(self._compute, shuffles, a, b, mask, ids, options)
        shifted = self._shifts.draw(a, b, mask, ids, options).mean
        columns = _columns(shuffled, shifted, chosen)
        if self._per_word is not None:
            groups = self._texts.side_by_side(self._per_word, chosen)[0].to(self._device)
            columns[OF_PIECES] = self._within.draw(a, b, groups, mask, ids, options).mean
        return columns

    def _batches(self) -> list[np.ndarray]:
        return ordered_batches(self._lengths, _PADDED_TOKENS)

    def _batch(
        self, scores: dict[str, Tensor], pair: tuple[str, str], chosen: np.ndarray
    ) -> tuple[Tensor, Tensor, Tensor, dict[str, object]]:
        laid = self._texts.side_by_side
        a, b = (laid(scores[name], chosen)[0].to(self._device) for name in pair)
        mask = laid(self._texts.words, chosen)[1].to(self._device)
        mask = _without_ends(mask) if self._drop_ends else mask
        options = self._spec.options()
        if "k" in options:
            weights = None
            if "attention" in scores:
                weights = laid(scores["attention"], chosen)[0].to(self._device)
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


def support(texts: Split, weights: Tensor) -> Tensor:
    """Count the weights of every text that are not 0: flat → [N] in float64."""
    sums = torch.cat([torch.zeros(1, dtype=torch.long), (weights != 0).long().cumsum(0)])
    return sums[texts.starts].diff().double()


def _columns(shuffled: Calibration, shifted: Tensor, chosen: np.ndarray) -> dict[str, Tensor]:
    tested, depth = shuffled.agreement.p_value, shuffled.agreement.depth
    # Texts that share a null distribution show different draws of it.
    shown = torch.from_numpy(chosen)[:, None] * _SHOWN + torch.arange(_SHOWN)
    shown = shown.to(shuffled.drawn.device) % shuffled.drawn.shape[1]
    columns = (
        shuffled.observed,
        shuffled.null,
        shuffled.null_std,
        shifted,
        shuffled.ceiling,
        shuffled.room,
        shuffled.two_sided if tested is None else tested,
        shuffled.p_value < shuffled.p_below if tested is None else shuffled.observed > 0,
        torch.full_like(shuffled.null, float("nan")) if depth is None else depth,
        shuffled.drawn.gather(1, shown).half(),
    )
    return dict(zip(COLUMNS, columns, strict=True))


def _without_ends(mask: Tensor) -> Tensor:
    position = torch.arange(mask.shape[1], device=mask.device)
    return (position > 0) & (position < mask.sum(dim=1, keepdim=True) - 1)
