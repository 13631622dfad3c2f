"""What a decomposition of variance finds: shares, and effects in units of the quantity.

The module `variance` says what the numbers mean.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Share:
    """A share of the variance with its interval; NaN where the design cannot tell.

    `choices` names the choice, or the two of a pair, and is empty for the others. `freedom` is the
    degrees of freedom. `higher` is how much of the share three-way and higher interactions would be, if
    they were spread evenly; 0 in a full factorial.
    """

    choices: tuple[str, ...]
    freedom: int
    share: float
    low: float
    high: float
    higher: float


@dataclass(frozen=True)
class Effect:
    """What a choice does, in units of the quantity: arrays with one number per level that is there.

    `levels` are their numbers, `means` the mean over all else at each, cleared of other choices where a
    design is not balanced. `span` is the largest mean less the smallest. It is never below 0, and noise
    makes it larger; so its bounds are where it could lie if noise had the span that it exceeds in 5 % of
    the draws only (Tukey's way for all differences at once). A lower bound of 0 says that it may be all
    noise.
    """

    choice: str
    levels: np.ndarray
    means: np.ndarray
    low: np.ndarray
    high: np.ndarray
    span: float
    span_low: float
    span_high: float


@dataclass(frozen=True)
class Branch:
    """The decomposition of those universes alone in which a choice has one of some levels."""

    parent: str
    at: tuple[int, ...]
    shares: "Shares"


@dataclass(frozen=True)
class Shares:
    """The variance of one quantity over the models of a cell, shared out.

    `all_choices`, `all_pairs`, `lack_of_fit` and `seeds` sum to 1, where NaN counts as 0; the single
    ones sum to those where the design is orthogonal. With one model per universe `seeds` is lack of fit
    and seeds together. `mean` is over all models, `deviation` the root of the variance that is shared
    out. `universes` and `models` have a value, `undefined` models have none. `notes` says in words what
    a reader has to know.
    """

    choices: tuple[Share, ...]
    pairs: tuple[Share, ...]
    all_choices: Share
    all_pairs: Share
    lack_of_fit: Share
    seeds: Share
    effects: tuple[Effect, ...]
    mean: float
    deviation: float
    universes: int
    models: int
    undefined: int
    notes: tuple[str, ...]
    branches: tuple[Branch, ...] = ()
