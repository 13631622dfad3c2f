"""How near attention comes to what could be reached, what deletion costs, and what sparsity changes."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attex.agreement.intervals import percentiles, ratio_draws
from attex.analyses.faithfulness import RANDOM
from results.meister_2021.sweep import DATASETS, ENCODERS, INPUTS, Sweep

Ratio = tuple[np.ndarray, np.ndarray]
"""Σ first / Σ second over seeds × texts: [S,N] each, 0 where a text does not count."""

Quantity = tuple[str, str]
"""A measure that attention is compared with, or none, and a name."""

FIRST = "0.01"
"""The fraction of words that even the sparsest attention tells apart: the one or two at the top."""


def ratios(sweep: Sweep, models: Sequence[str]) -> list[dict[Quantity, Ratio]]:
    """Return every quantity of each model as a ratio of sums over the seeds that all have × texts.

    For each measure of inputs: τ `measured` and `permuted`, of the same weights on other words; how
    far each goes from chance to ceiling (`calibrated`, `permuted_share`) and the one beyond the other
    (`beyond_share`). And what the top words do beyond as many random ones: probability that is
    lost without them (`comprehensiveness`) and kept by them alone (`sufficiency`), over all
    fractions and of the first.
    """
    found: list[dict[Quantity, Ratio]] = [{} for _ in models]
    for measure in INPUTS:
        start = f"kendall_tau|attention|{measure}|"
        columns = (
            sweep.of_texts(models, "contextualisation", start + name)
            for name in ("value", "null", "permuted", "room")
        )
        for each, value, null, permuted, room in zip(found, *columns, strict=True):
            every = np.ones_like(value)
            each[measure, "measured"] = _counted(value, every)
            each[measure, "permuted"] = _counted(permuted, every)
            each[measure, "calibrated"] = _counted(value - null, room)
            each[measure, "permuted_share"] = _counted(permuted - null, room)
            each[measure, "beyond_share"] = _counted(value - permuted, room)
    for quantity, sign in (("comprehensiveness", 1), ("sufficiency", -1)):
        for name, fractions in ((quantity, sweep.fractions(models[0])), (f"{quantity}_first", [FIRST])):
            top, random = (
                np.mean(
                    [sweep.of_texts(models, "faithfulness", f"{of}|{quantity}|{f}") for f in fractions],
                    axis=0,
                )
                for of in ("attention", RANDOM)
            )
            for each, gain in zip(found, sign * (top - random), strict=True):
                each["", name] = _counted(gain, np.ones_like(gain))
    return found


def _counted(above: np.ndarray, below: np.ndarray) -> Ratio:
    known = ~np.isnan(above) & ~np.isnan(below)
    return np.where(known, above, 0.0), np.where(known, below, 0.0)


def levels(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Return every quantity of every model with its interval."""
    for model in sweep.models():
        (found,) = ratios(sweep, [model])
        for (measure, quantity), sums in found.items():
            low, high = percentiles(ratio_draws(*sums))
            about = {"measure": measure, "quantity": quantity}
            yield sweep.about(model) | about | {"mean": ratio(*sums), "low": low, "high": high}


def changes(sweep: Sweep, dense: str, sparser: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Compare each sparser projection with a dense one on the same texts."""
    for data in DATASETS:
        for encoder in ENCODERS:
            for sparse in sparser:
                names = [f"{data}_{encoder}_{projection}" for projection in (dense, sparse)]
                if not all(name in sweep.found for name in names):
                    continue
                before, after = ratios(sweep, names)
                for key in before:
                    low, high = percentiles(ratio_draws(*after[key]) - ratio_draws(*before[key]))
                    first, last = ratio(*before[key]), ratio(*after[key])
                    yield {
                        **{"dataset": data, "encoder": encoder, "from": dense, "to": sparse},
                        **{"measure": key[0], "quantity": key[1]},
                        **{"before": first, "after": last},
                        **{"change": last - first, "low": low, "high": high},
                    }


def ratio(above: np.ndarray, below: np.ndarray) -> float:
    """Return Σ above / Σ below over all seeds and texts."""
    return float(above.sum() / below.sum())
