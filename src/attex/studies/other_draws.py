"""Verdicts as they would have been with other seeds and other texts."""

from collections.abc import Sequence

import numpy as np

from attex.studies.paired import HOLDS, REVERSED, UNDECIDED, PairedCell


def verdicts_again(cells: Sequence[PairedCell], replicates: int) -> list[dict[str, np.ndarray]]:
    """Take the verdicts of every cell anew, again and again: by verdict, 1 or 0, [U,replicates].

    Every universe gets residuals of seeds, drawn with replacement from all of its cell, and all
    universes of a dataset the same drawn texts. The width of its interval changes as far as other seeds
    would have given their variance another estimate.
    """
    texts = _drawn_texts(cells, replicates)
    again = []
    for number, one in enumerate(cells):
        bounds = one.bounds
        value = bounds.value[:, None] + bounds.text_draws[:, texts[dataset_of(one)]]
        value = value + _other_seeds(one, replicates, number)
        half = (bounds.high - bounds.value)[:, None] * _other_widths(one, replicates, number)
        holds, reversed_ = value > half, value < -half
        verdicts = {HOLDS: holds, UNDECIDED: ~holds & ~reversed_, REVERSED: reversed_}
        again.append({name: is_so.astype(float) for name, is_so in verdicts.items()})
    return again


def dataset_of(one: PairedCell) -> str:
    """Return whose texts a cell is about; cells without a dataset share theirs."""
    return one.cell.get("dataset", "")


def _drawn_texts(cells: Sequence[PairedCell], replicates: int) -> dict[str, np.ndarray]:
    """Choose a draw of the texts for every replicate, by dataset: [replicates]."""
    draws = {dataset_of(one): one.bounds.text_draws.shape[1] for one in cells}
    return {
        name: np.random.default_rng([0, number]).integers(0, count, replicates)
        for number, (name, count) in enumerate(draws.items())
    }


def _other_seeds(one: PairedCell, replicates: int, number: int) -> np.ndarray:
    """Draw what other seeds would add to every mean: [U,replicates], 0 where there is one seed only."""
    bounds = one.bounds
    residuals = one.differences - bounds.value[:, None]
    pool = residuals[~np.isnan(residuals) & (bounds.seeds > 1)[:, None]]
    spread = float(pool.std()) if pool.size else 0.0
    if not spread:
        return np.zeros((len(residuals), replicates))
    generator = np.random.default_rng([1, number])
    most = int(bounds.seeds.max())
    total = sum(generator.choice(pool, (len(residuals), replicates)) for _ in range(most))
    # Residuals of few seeds are too small, and hold some of the texts: what they add up to is brought
    # to the variance that seeds give a mean.
    scale = np.sqrt(bounds.mean_variance / most) / spread
    return scale[:, None] * total


def _other_widths(one: PairedCell, replicates: int, number: int) -> np.ndarray:
    """Draw how much wider intervals would be with the seed variance of other seeds: [U,replicates]."""
    bounds = one.bounds
    of_texts = bounds.text_draws.var(axis=1)
    whole = of_texts + bounds.mean_variance
    if not bounds.seed_freedom or not whole.all():
        return np.ones((len(whole), replicates))
    generator = np.random.default_rng([2, number])
    factors = generator.chisquare(bounds.seed_freedom, replicates) / bounds.seed_freedom
    wider = of_texts[:, None] + bounds.mean_variance[:, None] * factors
    return np.asarray(np.sqrt(wider / whole[:, None]))
