"""Studies whose truth is known: models with a difference of their own, seeds and texts that blur it."""

from collections.abc import Mapping

import numpy as np

from attex.studies.run_set import CellRuns, RunSet

CELL = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
TAU, OTHER = "kendall_tau(attention, gradient)", "kendall_tau(gradient, leave_one_out)"


def factorial(*sizes: int) -> np.ndarray:
    """Every setting of choices with so many levels: [U,F]."""
    return np.stack(
        [grid.ravel() for grid in np.meshgrid(*map(np.arange, sizes), indexing="ij")], axis=1
    )


def blurred(
    truth: np.ndarray,
    rng: np.random.Generator,
    *,
    seeds: int = 2,
    texts: int = 300,
    draws: int = 200,
    over_seeds: float = 0.05,
    over_texts: float = 0.5,
    both: float = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Look at true numbers [U] through so many seeds and texts: values [U,S], draws [U,S,D].

    The number of a text is the truth, plus what the seed adds, plus what the text adds for every
    model, plus what the text adds for this model.
    """
    settings = len(truth)
    of_seeds = rng.normal(0, over_seeds, (settings, seeds, 1))
    of_texts = rng.normal(0, over_texts, (1, 1, texts))
    number = truth[:, None, None] + of_seeds + of_texts + rng.normal(0, both, (settings, seeds, texts))
    counts = rng.multinomial(texts, np.full(texts, 1 / texts), size=draws) / texts
    return number.mean(axis=2), number @ counts.T


def cell(
    values: Mapping[str, np.ndarray],
    draws: Mapping[str, np.ndarray] | None = None,
    levels: np.ndarray | None = None,
    **changed: str,
) -> CellRuns:
    """Make a cell of values [U,S]; without levels, a choice has one for every setting."""
    settings, seeds = next(iter(values.values())).shape
    levels = np.arange(settings)[:, None] if levels is None else levels
    return CellRuns(CELL | changed, levels, tuple(range(seeds)), values, draws or {})


def study(*cells: CellRuns, choices: Mapping[str, tuple[str, ...]] | None = None) -> RunSet:
    """Put cells together; without choices, there is one with a level for every setting."""
    names = tuple(str(number) for number in range(max(len(one.levels) for one in cells)))
    return RunSet(choices or {"setting": names}, cells)
