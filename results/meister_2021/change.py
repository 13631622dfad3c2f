"""What sparsemax changes against softmax, on the same texts."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attex.agreement.intervals import percentiles, ratio_draws
from attex.analyses.faithfulness import RANDOM
from results.meister_2021.sweep import DATASETS, ENCODERS, Sweep

Ratio = tuple[np.ndarray, np.ndarray]
"""Σ first / Σ second over seeds × texts: [S,N] each, 0 where a text does not count."""


def ratios(sweep: Sweep, model: str, measure: str) -> dict[str, Ratio]:
    """Return every quantity of a model as a ratio of sums over seeds × texts.

    τ as `measured`, and of the same weights on other words (`permuted_measured`); how far each goes
    from chance to ceiling (`calibrated`, `permuted`), and the one `beyond` the other; the
    probability that is lost without the top words and kept by them alone, beyond random words.
    """
    start = f"kendall_tau|attention|{measure}|"
    value, null, permuted, room = (
        sweep.of_texts(model, "contextualisation", start + name)
        for name in ("value", "null", "permuted", "room")
    )
    everywhere = np.ones_like(value)
    found = {
        "measured": _counted(value, everywhere),
        "permuted_measured": _counted(permuted, everywhere),
        "calibrated": _counted(value - null, room),
        "permuted": _counted(permuted - null, room),
        "beyond": _counted(value - permuted, room),
    }
    for quantity, sign in (("comprehensiveness", 1), ("sufficiency", -1)):
        top, random = (sweep.area(model, name, quantity) for name in ("attention", RANDOM))
        found[quantity] = _counted(sign * (top - random), everywhere)
    return found


def _counted(above: np.ndarray, below: np.ndarray) -> Ratio:
    known = ~np.isnan(above) & ~np.isnan(below)
    return np.where(known, above, 0.0), np.where(known, below, 0.0)


def levels(sweep: Sweep, measure: str) -> Iterator[dict[str, Any]]:
    """Return every quantity of every model with its interval."""
    for model in sweep.models():
        for quantity, ratio in ratios(sweep, model, measure).items():
            low, high = percentiles(ratio_draws(*ratio))
            about = {"measure": measure, "quantity": quantity}
            value = {"mean": _ratio(*ratio), "low": low, "high": high}
            yield sweep.about(model) | about | value


def changes(sweep: Sweep, measures: Sequence[str], dense: str, sparse: str) -> Iterator[dict[str, Any]]:
    """Compare two projections in every quantity, with the interval of the change."""
    for data in DATASETS:
        for encoder in ENCODERS:
            names = [f"{data}_{encoder}_{projection}" for projection in (dense, sparse)]
            if not all(name in sweep.found for name in names):
                continue
            for measure in measures:
                before, after = (ratios(sweep, name, measure) for name in names)
                for quantity in before:
                    drawn = ratio_draws(*after[quantity]) - ratio_draws(*before[quantity])
                    low, high = percentiles(drawn)
                    first, last = (_ratio(*each[quantity]) for each in (before, after))
                    yield {
                        "dataset": data,
                        "encoder": encoder,
                        "measure": measure,
                        "quantity": quantity,
                        dense: first,
                        sparse: last,
                        "change": last - first,
                        "low": low,
                        "high": high,
                    }


def _ratio(above: np.ndarray, below: np.ndarray) -> float:
    return float(above.sum() / below.sum())
