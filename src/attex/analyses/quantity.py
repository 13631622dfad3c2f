"""Quantities: single numbers of one trained model, by name, with what bounds them.

Tables are for readers; quantities are what models are compared by, and what published numbers are
matched with. Nothing but NumPy is needed: they are computed where the model is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attex.agreement.intervals import text_counts
from attex.analyses.headline import OVERALL as OVERALL
from attex.charts.violins import bin_names, bin_of


@dataclass(frozen=True)
class Quantity:
    """A number of one model: of all texts, or of those that it decides for one class.

    `above` and `below` [N] have Σ above / Σ below as that number; they are 0 where a text does not
    count. A number that is no such ratio (a median, an area under a curve) has neither.
    """

    name: str
    value: float
    class_: str = OVERALL
    above: np.ndarray | None = None
    below: np.ndarray | None = None


def ratio(name: str, above: np.ndarray, below: np.ndarray, class_: str = OVERALL) -> Quantity:
    """Return Σ above / Σ below over the texts where both are known: [N], [N]."""
    known = ~np.isnan(above) & ~np.isnan(below)
    above, below = np.where(known, above, 0.0), np.where(known, below, 0.0)
    total = float(below.sum())
    value = float(above.sum()) / total if total else float("nan")
    return Quantity(name, value, class_, above, below)


def mean(name: str, values: np.ndarray, chosen: np.ndarray | None = None) -> Quantity:
    """Return the mean over the (chosen) texts where the value is known: [N], [N]."""
    counted = np.ones_like(values) if chosen is None else chosen.astype(float)
    return ratio(name, np.where(counted > 0, values, 0.0), np.where(np.isnan(values), 0.0, counted))


def by_class(
    name: str, values: np.ndarray, predicted: np.ndarray, classes: Sequence[str]
) -> Iterator[Quantity]:
    """Yield the mean over all texts, and over those decided for each class: [N], [N]."""
    yield mean(name, values)
    for number, label in enumerate(classes):
        known = values[(predicted == number) & ~np.isnan(values)]
        yield Quantity(name, float(known.mean()) if known.size else float("nan"), label)


def median(name: str, values: np.ndarray, chosen: np.ndarray, class_: str = OVERALL) -> Quantity:
    """Return the median over the chosen texts where the value is known: [N], [N]."""
    known = values[chosen & ~np.isnan(values)]
    return Quantity(name, float(np.median(known)) if known.size else float("nan"), class_)


def binned_medians(
    name: str, values: np.ndarray, highest: np.ndarray, predicted: np.ndarray, classes: Sequence[str]
) -> Iterator[Quantity]:
    """Yield the median in each bin of the highest weight, over all texts and by class: [N] each."""
    bins, everywhere = bin_of(highest), np.ones_like(predicted, dtype=bool)
    groups = [(OVERALL, everywhere), *((label, predicted == n) for n, label in enumerate(classes))]
    for number, inside in enumerate(bin_names()):
        binned = f"{name}[{inside.replace('–', '-')}] median"
        for label, chosen in groups:
            yield median(binned, values, chosen & (bins == number), label)


def binned_quartiles(
    name: str, values: np.ndarray, highest: np.ndarray, predicted: np.ndarray, classes: Sequence[str]
) -> Iterator[Quantity]:
    """Yield quartiles and median in each bin of the highest weight, over all texts and by class."""
    yield from binned_medians(name, values, highest, predicted, classes)
    bins = bin_of(highest)
    for number, inside in enumerate(bin_names()):
        for label, of_class in [
            (OVERALL, bins >= 0),
            *((c, predicted == n) for n, c in enumerate(classes)),
        ]:
            known = values[of_class & (bins == number) & ~np.isnan(values)]
            binned = f"{name}[{inside.replace('–', '-')}]"
            for share in (25, 75):
                value = float(np.percentile(known, share)) if known.size else float("nan")
                yield Quantity(f"{binned} q{share}", value, label)
            yield Quantity(f"{binned} n", float(known.size), label)


def drawn(quantities: Sequence[Quantity], draws: int) -> np.ndarray:
    """Draw the texts again and again, and return each quantity for each draw: [Q,draws].

    The draws depend on the number of texts alone, so that those of two models on the same texts are
    paired. NaN where no text that counts was drawn.
    """
    above = np.stack([q.above for q in quantities if q.above is not None])
    below = np.stack([q.below for q in quantities if q.below is not None])
    counts = text_counts(above.shape[1], draws)
    numerator, denominator = above @ counts.T, below @ counts.T
    replicates = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=replicates, where=denominator != 0)
    return replicates
