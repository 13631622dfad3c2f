"""Sums of squares of a design's terms, and what they are in draws of new noise.

`Layout` is what depends on the design alone: it is kept from quantity to quantity. `Fit` is one
quantity. The formulas are in the module `variance`, the drawing of noise is explained in `wild`.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attex.studies.terms import Term, Terms, Within, terms_of
from attex.studies.wild import factors, multipliers


@dataclass(frozen=True)
class Replicates:
    """What there is of one quantity, in the universes that have any value.

    `levels` [U,F]; `models` [U] is the number of values of each universe, `means` [U] their mean,
    `squares` [U] the sum of squares around it; `same` [U] numbers the universes so that those which are
    the same models have one number.
    """

    levels: np.ndarray
    models: np.ndarray
    means: np.ndarray
    squares: np.ndarray
    same: np.ndarray

    @classmethod
    def of(cls, levels: np.ndarray, values: np.ndarray) -> "Replicates":
        """Leave out what has no value: levels [U,F], values [U,S] → Replicates."""
        known = np.isfinite(values)
        some = known.any(axis=1)
        levels, values, known = levels[some], values[some], known[some]
        models = known.sum(axis=1)
        filled = np.where(known, values, 0.0)
        means = filled.sum(axis=1) / models
        squares = (np.where(known, values - means[:, None], 0.0) ** 2).sum(axis=1)
        if len(np.unique(levels, axis=0)) == len(levels):
            same = np.arange(len(levels))
        else:
            everything = np.column_stack([levels, known, filled])
            same = np.unique(everything, axis=0, return_inverse=True)[1].ravel()
        return cls(levels, models, means, squares, same)


@dataclass(frozen=True)
class Layout:
    """The terms of a design, T of them, stacked for speed.

    Vectors of T + 3 numbers have the terms (choices, then pairs), all choices, all pairs, lack of fit.
    `root` [U] is the root of the number of models; `stacked` [U,p] has the bases of all terms side by
    side, and `owner` [p,T] says whose each is. `means` maps scaled values to the mean at each level, by
    choice. `factorial` says whether every combination is there equally often.
    """

    terms: Terms
    root: np.ndarray
    stacked: np.ndarray
    owner: np.ndarray
    orthogonal: bool
    means: tuple[np.ndarray, ...]
    factorial: bool

    @property
    def each(self) -> tuple[Term, ...]:
        """All terms in their order."""
        return (*self.terms.choices, *self.terms.pairs)

    def squares(self, scaled: np.ndarray) -> np.ndarray:
        """Return the sums of squares of values scaled by the roots of models: [...,U] → [...,T+3]."""
        terms = self.terms
        of_terms = (scaled @ self.stacked) ** 2 @ self.owner
        if self.orthogonal:
            cut = len(terms.choices)
            choices, pairs = of_terms[..., :cut].sum(axis=-1), of_terms[..., cut:].sum(axis=-1)
        else:
            choices = ((scaled @ terms.of_choices) ** 2).sum(axis=-1)
            pairs = ((scaled @ terms.of_pairs) ** 2).sum(axis=-1)
        total = (scaled**2).sum(axis=-1) - (scaled @ terms.constant) ** 2
        lack = total - choices - pairs if self.lack_freedom else np.zeros_like(total)
        return np.concatenate([of_terms, np.stack([choices, pairs, lack], axis=-1)], axis=-1)

    @property
    def lack_freedom(self) -> int:
        """The degrees of freedom that terms leave."""
        rows, choices = self.terms.of_choices.shape
        return int(rows - 1 - choices - self.terms.of_pairs.shape[1])

    def residuals(self, scaled: np.ndarray) -> np.ndarray:
        """Return what no term explains: [U,...] → [U,...]."""
        terms = self.terms
        for basis in (terms.constant[:, None], terms.of_choices, terms.of_pairs):
            scaled = scaled - basis @ (basis.T @ scaled)
        return scaled


def layout_of(data: Replicates, within: Within, pairs: bool) -> Layout:
    """Lay out a design, or find the layout of before."""
    nested = tuple((child, parent, tuple(at)) for child, (parent, at) in within.items())
    return _layout(
        data.levels.astype(np.int64).tobytes(), data.levels.shape, tuple(data.models), nested, pairs
    )


@functools.lru_cache(maxsize=16)
def _layout(
    raw: bytes,
    shape: tuple[int, int],
    models: tuple[int, ...],
    nested: Sequence[tuple[int, int, tuple[int, ...]]],
    pairs: bool,
) -> Layout:
    levels = np.frombuffer(raw, dtype=np.int64).reshape(shape)
    within = {child: (parent, at) for child, parent, at in nested}
    terms = terms_of(levels, np.array(models), within, pairs)
    root = np.sqrt(np.array(models, dtype=float))
    each = (*terms.choices, *terms.pairs)
    stacked = np.column_stack([root[:, None][:, :0], *(term.basis for term in each)])
    owner = np.repeat(np.eye(len(each)), [term.freedom for term in each], axis=0)
    orthogonal = np.allclose(stacked.T @ stacked, np.eye(stacked.shape[1]), atol=1e-9)
    means = tuple(_level_means(levels, terms, choice, root) for choice in range(shape[1]))
    rows, times = np.unique(levels, axis=0, return_counts=True)
    every = int(np.prod([len(np.unique(column)) for column in levels.T]))
    factorial = not nested and len(rows) == every and len({*times}) == len({*models}) == 1
    return Layout(terms, root, stacked, owner, bool(orthogonal), means, factorial)


def _level_means(levels: np.ndarray, terms: Terms, choice: int, root: np.ndarray) -> np.ndarray:
    """Map scaled values to the mean at each level of a choice, cleared of other choices: [levels,U].

    Plain means where it is not told apart from others.
    """
    there, term = terms.exists[:, choice], terms.choices[choice]
    at = (levels[:, choice] == np.unique(levels[there, choice])[:, None]) & there
    plain: np.ndarray = at * root / (at @ root**2)[:, None]
    if not term.freedom:
        return plain
    whole = there * root / (there @ root**2)
    cleared: np.ndarray = whole + plain @ term.own @ term.fit
    return cleared


class Fit:
    """One quantity on a layout: its variances, those in draws of new noise, and the means at levels.

    `variances` [T+4] are V of all terms, of all choices, of all pairs, of lack of fit and of seeds.
    Without replicates lack of fit takes the place of pure error, and its own V is 0.
    """

    def __init__(self, layout: Layout, data: Replicates) -> None:
        self.layout, self.data = layout, data
        self.scaled = layout.root * data.means
        first = np.unique(data.same, return_index=True)[1]
        self._first = first
        self.pure_freedom = int((data.models[first] - 1).sum())
        # How a unit of noise in each different universe reaches the rows.
        self._reach = (data.same[:, None] == np.arange(len(first))).astype(float)
        self.noise = layout.squares(self._reach.T).sum(axis=0)
        self.sums = layout.squares(self.scaled)
        error = self._error(self.sums, data.squares[first].sum() / max(1, self.pure_freedom))
        self.error = float(error)
        self.variances = self._variances(self.sums, error)

    @property
    def models(self) -> int:
        """How many models there are, those of repeated universes repeatedly."""
        return int(self.data.models.sum())

    @property
    def lack_noise(self) -> float:
        """How much of a unit of noise reaches the residual: 0 if nothing is left to see lack of fit."""
        return float(self.noise[-1]) if self.noise[-1] > 1e-6 else 0.0

    def _error(self, sums: np.ndarray, pure: np.ndarray) -> np.ndarray:
        """Return the mean square that is noise: of seeds, or where there is one seed of the residual."""
        if self.pure_freedom:
            return np.asarray(pure)
        return np.asarray(sums[..., -1] / self.lack_noise if self.lack_noise else sums[..., -1] * np.nan)

    def _variances(self, sums: np.ndarray, error: np.ndarray) -> np.ndarray:
        cleared = (sums - self.noise * error[..., None]) / self.models
        return np.concatenate([cleared, error[..., None]], axis=-1)

    def drawn(self, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw new noise on effects of the size they have without noise.

        → variances [draws,T+4], and the noise in the scaled values [draws,U].
        """
        terms, count = self.layout.each, len(self.layout.each)
        kept = np.maximum(self.sums - self.noise * self.error, 0)[:count]
        smaller = np.sqrt(
            np.divide(kept, self.sums[:count], out=np.zeros(count), where=self.sums[:count] > 0)
        )
        signal = np.zeros(len(self.scaled))
        for term, factor in zip(terms, smaller, strict=True):
            signal += factor * (term.own @ (term.fit @ self.scaled))
        noise, pure = self._between(draws, seed), np.zeros(draws)
        if self.pure_freedom:
            means, pure = self._within(draws, seed)
            noise = noise + means
        noise = noise[:, self.data.same]
        sums = self.layout.squares(signal + noise)
        return self._variances(sums, self._error(sums, pure)), noise

    def _between(self, draws: int, seed: int) -> np.ndarray:
        """Draw lack of fit: [draws,D]."""
        count = len(self._first)
        if not self.lack_noise:
            return np.zeros((draws, count))
        mean_square = self.sums[-1] / self.lack_noise
        beyond_seeds = 1 - self.error / mean_square if self.pure_freedom else 1.0
        if mean_square <= 0 or beyond_seeds <= 0:
            return np.zeros((draws, count))
        left = (self.layout.residuals(self._reach)[self._first] ** 2).sum(axis=1)
        residuals = self.layout.residuals(self.scaled)[self._first]
        # A universe that its terms fit by force shows no residual: it gets a usual one.
        forced = left < 1e-6
        sizes = np.where(forced, np.sqrt(mean_square), residuals / np.sqrt(np.where(forced, 1, left)))
        lack: np.ndarray = multipliers((1,) * count, draws, seed + 1) * sizes * np.sqrt(beyond_seeds)
        return lack

    def _within(self, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw what seeds do: to the scaled means of universes [draws,D], and to pure error [draws]."""
        freedom = self.data.models[self._first] - 1
        squares = self.data.squares[self._first]
        alone = freedom == 0
        variance = np.where(alone, self.error, squares / np.maximum(freedom, 1))
        key = tuple(int(each) for each in np.maximum(freedom, 1))
        means = multipliers(key, draws, seed) * np.sqrt(variance)
        return means, factors(key, draws, seed) @ squares / self.pure_freedom
