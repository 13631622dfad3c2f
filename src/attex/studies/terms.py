"""Choices and pairs of choices as directions in the space of universes, each cleared of the others.

A term is a choice, or a pair of choices. What it can explain of U values is the part of them that lies
in the columns of the term: for a choice one column per level, for a pair one per combination. A pair
keeps only what neither of its choices explains alone; a nested choice, which exists at some levels of
its parent only, keeps what differs inside this branch and is 0 outside.

In an orthogonal design these parts are at right angles, and that is all. In others they overlap, and
each choice is cleared of all other choices, each pair of all choices and of all other pairs (sums of
squares of type II). A term that cannot be cleared without losing one of its degrees of freedom is *not
told apart*: the design confuses it with others. Such a pair is left out of the model, so that lack of
fit has what it does; such a choice as well.

Universes may have different numbers of models, where some have no value: each row is multiplied by the
root of its number, which makes this least squares over models.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Term:
    """A choice or a pair: `basis` [U,df] spans what it explains beyond all others.

    `own` [U,df] spans what it explains before it is cleared of others, and `fit` [df,U] gives the
    coefficients of `own` in the fit of all terms of its order. All three are without columns where it is
    not told apart.
    """

    choices: tuple[int, ...]
    basis: np.ndarray
    own: np.ndarray
    fit: np.ndarray

    @property
    def freedom(self) -> int:
        """Its degrees of freedom."""
        return int(self.basis.shape[1])


@dataclass(frozen=True)
class Terms:
    """All terms of a design.

    `constant` [U] has length 1; `of_choices` and `of_pairs` are orthonormal and span what all choices,
    and all pairs beyond them, explain together. `exists` [U,F] says where each choice exists.
    """

    constant: np.ndarray
    choices: tuple[Term, ...]
    pairs: tuple[Term, ...]
    of_choices: np.ndarray
    of_pairs: np.ndarray
    exists: np.ndarray


_Own = Mapping[tuple[int, ...], np.ndarray]

Within = Mapping[int, tuple[int, Sequence[int]]]
"""Nested choice → its parent and the levels of the parent at which it exists, all by their numbers."""


def terms_of(levels: np.ndarray, models: np.ndarray, within: Within, pairs: bool = True) -> Terms:
    """Find the terms of a design: levels [U,F], models [U] in each universe → Terms."""
    root = np.sqrt(models.astype(float))
    exists = np.stack([branch(levels, choice, within) for choice in range(levels.shape[1])], axis=1)
    constant = root / np.linalg.norm(root)
    columns = _Columns(levels, exists, root, within)
    own: _Own = {(choice,): columns.of_choice(choice) for choice in range(levels.shape[1])}
    choices, of_choices = _cleared(own, constant[:, None])
    if not pairs:
        return Terms(constant, choices, (), of_choices, root[:, None][:, :0], exists)
    both: _Own = {pair: columns.of_pair(*pair) for pair in columns.pairs()}
    found, of_pairs = _cleared(both, np.column_stack([constant, of_choices]))
    return Terms(constant, choices, found, of_choices, of_pairs, exists)


def branch(levels: np.ndarray, choice: int, within: Within) -> np.ndarray:
    """Say in which universes a choice exists: [U]. Everywhere, unless it is nested."""
    there = np.ones(len(levels), dtype=bool)
    while choice in within:
        choice, at = within[choice]
        there &= np.isin(levels[:, choice], list(at))
    return there


@dataclass(frozen=True)
class _Columns:
    """Makes the columns of terms, each cleared of the terms it contains."""

    levels: np.ndarray
    exists: np.ndarray
    root: np.ndarray
    within: Within

    def of_choice(self, choice: int) -> np.ndarray:
        """Span what the levels of a choice explain beyond the mean, or beyond its parent."""
        lower = self._indicators(self.within[choice][0]) if choice in self.within else self.root[:, None]
        return _beyond(self._indicators(choice), _span(lower))

    def of_pair(self, first: int, second: int) -> np.ndarray:
        """Span what combinations explain beyond either choice, and beyond parents with the other."""
        lower = [self._indicators(first), self._indicators(second)]
        for one, other in ((first, second), (second, first)):
            if one in self.within and self.within[one][0] != other:
                lower.append(self._combinations(self.within[one][0], other))
        return _beyond(self._combinations(first, second), _span(np.column_stack(lower)))

    def pairs(self) -> list[tuple[int, int]]:
        """List the pairs that can vary: not a nested choice with a parent that has one level there."""
        return [
            (first, second)
            for first, second in itertools.combinations(range(self.levels.shape[1]), 2)
            if min(self._varying(first, second)) > 1
        ]

    def _varying(self, *choices: int) -> list[int]:
        both = self.exists[:, choices].all(axis=1)
        return [len(np.unique(self.levels[both, choice])) for choice in choices]

    def _indicators(self, choice: int) -> np.ndarray:
        found = np.unique(self.levels[self.exists[:, choice], choice])
        is_level = (self.levels[:, [choice]] == found) & self.exists[:, [choice]]
        return np.asarray(is_level * self.root[:, None])

    def _combinations(self, first: int, second: int) -> np.ndarray:
        one, other = self._indicators(first) > 0, self._indicators(second) > 0
        both = (one[:, :, None] & other[:, None, :]).reshape(len(self.levels), -1)
        return np.asarray(both * self.root[:, None])


def _cleared(own: _Own, lower: np.ndarray) -> tuple[tuple[Term, ...], np.ndarray]:
    """Clear terms of one order of the lower terms and of each other: → terms, and what they span."""
    beyond = {key: _beyond(columns, lower) for key, columns in own.items()}
    lost = {key for key, columns in own.items() if beyond[key].shape[1] < columns.shape[1]}
    owners = [key for key, columns in beyond.items() for _ in range(columns.shape[1])]
    stacked = np.column_stack([lower[:, :0], *beyond.values()])
    # What is in the null space can be written as others: its terms are confused.
    lost |= {owners[column] for column in np.flatnonzero(_null(stacked) > _TOLERANCE)}
    kept = {key: columns for key, columns in beyond.items() if key not in lost and columns.size}
    together = np.column_stack([lower[:, :0], *kept.values()])
    inverse = np.linalg.inv(together.T @ together)
    terms, start = [], 0
    for key in own:
        columns = kept.get(key, lower[:, :0])
        at = slice(start, start := start + columns.shape[1])
        basis = np.linalg.qr(together @ inverse[:, at])[0]
        terms.append(Term(key, basis, columns, inverse[at] @ together.T))
    return tuple(terms), np.linalg.qr(together)[0]


def _null(columns: np.ndarray) -> np.ndarray:
    """Return how much of each column's own direction lies in the null space: [columns]."""
    if not columns.size:
        return np.zeros(columns.shape[1])
    _, sizes, right = np.linalg.svd(columns, full_matrices=False)
    known = right[sizes > _TOLERANCE]
    return np.asarray(1 - (known**2).sum(axis=0))


def _beyond(columns: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Span what lies in the columns and not in an orthonormal basis."""
    return _span(columns - lower @ (lower.T @ columns))


def _span(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of what columns span."""
    if not columns.size:
        return columns[:, :0]
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > _TOLERANCE * max(1.0, np.linalg.norm(columns, axis=0).max())]
