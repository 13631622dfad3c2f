"""The numbers of a run in the form that the page of comparisons pairs them in."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attex.analyses.quantity import OVERALL
from attex.foundations.storage import digest
from attex.studies.compare import Key, numbers_on
from attex.studies.finished_runs import FinishedRun, read_run
from attex.studies.leading import leading_first

DRAWS = 200
"""As often the texts are drawn: intervals are known to some 5 % of their width."""

_STEPS = 127
"""How far a draw is from the mean of its row, in steps of the furthest: it is kept in one byte."""


def numbers_of(path: Path) -> dict[str, Any]:
    """Read a run folder's numbers.

    `keys` are quantities and classes, in the order that they are shown in; `values` [S][K] has every
    seed's, null where undefined. `drawn` says which keys have draws of the texts: `draws` has them for
    each seed and such key, DRAWS signed bytes in base64, to be multiplied by `steps`. Runs with the same
    `texts` can be paired text by text.

    Raises:
        UserError: if the folder cannot be read, or is of an earlier version.
    """
    run = read_run(path)
    numbers = numbers_on(run.name, run.seeds, run.texts, run.sums, run.texts, DRAWS)
    values = dict(run.values) | dict(numbers.values)
    keys = _ordered(values)
    drawn = [place for place, key in enumerate(keys) if key in numbers.draws]
    of_texts, steps = _packed(np.stack([numbers.draws[keys[k]] for k in drawn], axis=1))
    return {
        "seeds": list(run.seeds),
        "keys": [list(key) for key in keys],
        "values": np.stack([values[key] for key in keys], axis=1).tolist(),
        "drawn": drawn,
        "steps": steps.tolist(),
        "draws": base64.b64encode(of_texts.tobytes()).decode(),
        "texts": _texts(run),
        "count": len(run.texts),
    }


def _texts(run: FinishedRun) -> str:
    """Return what runs have in common that were asked about the same texts, in the same order."""
    return digest([run.config["data"]["type"], [[text, run.labels[text]] for text in run.texts]])


def _ordered(values: Mapping[Key, Any]) -> list[Key]:
    """Put what is over all texts first, and of that what a reader asks about before all else."""
    place = {name: number for number, name in enumerate(leading_first(name for name, _ in values))}
    return sorted(values, key=lambda key: (key[1] != OVERALL, place[key[0]]))


def _packed(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Write draws [S,K,D] as bytes around their means, with the size of a step [S,K]; NaN is none."""
    known = ~np.isnan(draws)
    count = np.maximum(known.sum(axis=2, keepdims=True), 1)
    centre = np.where(known, draws, 0.0).sum(axis=2, keepdims=True) / count
    moved = np.where(known, draws - centre, 0.0)
    steps = np.abs(moved).max(axis=2) / _STEPS
    whole = np.divide(moved, steps[..., None], out=np.zeros_like(moved), where=steps[..., None] > 0)
    return np.round(whole).astype(np.int8), steps
