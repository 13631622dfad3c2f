"""The wild bootstrap: the same design again and again, with noise like that which was seen.

Universes are never resampled: a sample of the rows of an orthogonal array is no orthogonal array, and
its effects overlap, which inflates the interactions. Every draw keeps all universes and puts new noise
on the fitted effects: what was seen as noise, times a random multiplier with mean 0 and variance 1 (Wu
1986; Davidson & Flachaire 2008). There are two kinds of noise, and both are drawn:

- *between universes* (lack of fit): the residual of a universe's mean, divided by √(1 − its leverage),
  and made smaller by what of it is seeds already, √(1 − MS_pure/MS_lack). So a draw stands for another
  collection of three-way and higher interactions of the same size.
- *between seeds* (pure error): the mean of a universe's S models moves by s_u/√S times a multiplier,
  where s_u is the standard deviation among them, and its sum of squares is multiplied by a number with
  mean 1.

Multipliers are a random sign times the root of a gamma variable with mean 1. If noise is normal, then a
square that was measured on ν degrees of freedom has itself a scatter; the shape of the gamma variable is
such that squares vary on average exactly as much as those of normal noise: (ν+2)/(2ν) for a mean whose
standard deviation has ν degrees of freedom, (ν+2)/2 for a sum of squares. Random signs alone would leave
all squares as they are, and the shares of seeds and lack of fit would seem to be known exactly.
"""

import functools

import numpy as np


@functools.lru_cache(maxsize=12)
def multipliers(freedom: tuple[int, ...], draws: int, seed: int) -> np.ndarray:
    """Draw multipliers for means whose standard deviations have ν degrees of freedom each: [draws,U]."""
    generator = np.random.default_rng([seed, 0, len(freedom)])
    known = np.array(freedom, dtype=float)
    squares = _gamma(generator, (known + 2) / (2 * known), draws)
    signs = generator.choice([-1.0, 1.0], size=squares.shape)
    return np.asarray(np.sqrt(squares) * signs)


@functools.lru_cache(maxsize=12)
def factors(freedom: tuple[int, ...], draws: int, seed: int) -> np.ndarray:
    """Draw factors for sums of squares with ν degrees of freedom each: [draws,U], with mean 1."""
    generator = np.random.default_rng([seed, 1, len(freedom)])
    return _gamma(generator, (np.array(freedom, dtype=float) + 2) / 2, draws)


def _gamma(generator: np.random.Generator, shapes: np.ndarray, draws: int) -> np.ndarray:
    return np.asarray(generator.standard_gamma(shapes, size=(draws, len(shapes))) / shapes)
