"""How entropy goes with λ over the models of a sweep: what Meister et al. (2021) have in Table 2.

τ-b of λ and the normalised entropy of the gradient's norm, the mean over texts, a point a model. Whether
the paper's points are models or texts it does not say; over texts no τ could be as large as theirs.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from attex.analyses.quantity import OVERALL
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.settings import level_names
from attex.studies.universes import Cell

ENTROPY = "entropy(gradient_norm)"
NAME = f"kendall_tau(lambda, {ENTROPY})"
FAMILY = "sparsegen"


def lambda_rows(cells: Sequence[Cell], runs: RunSet) -> Iterator[dict[str, Any]]:
    """Yield a row for each dataset, encoder, setting and seed of which there are three λ or more."""
    families: dict[tuple[str, ...], list[tuple[float, CellRuns]]] = {}
    for cell, of_cell in zip(cells, runs.cells, strict=True):
        place = lambda_of(cell)
        if place is not None and ENTROPY in of_cell.values:
            key = tuple(of_cell.cell[name] for name in ("dataset", "encoder", "attention"))
            families.setdefault(key, []).append((place, of_cell))
    for (dataset, encoder, attention), members in families.items():
        values = np.array([of_cell.values[ENTROPY] for _, of_cell in members])  # [λ,U,S]
        places = np.array([place for place, _ in members])
        about = {"dataset": dataset, "encoder": encoder, "attention": attention, "projection": FAMILY}
        chosen = level_names(runs, members[0][1].levels)
        for setting, levels in enumerate(chosen):
            for at, seed in enumerate(members[0][1].seeds):
                known = ~np.isnan(values[:, setting, at])
                if known.sum() > 2:
                    tau = kendalltau(places[known], values[known, setting, at]).statistic
                    row = {"seed": seed, "quantity": NAME, "class": OVERALL, "value": float(tau)}
                    yield about | levels | row | {"low": None, "high": None}


def lambda_of(cell: Cell) -> float | None:
    """Return λ of a sparsegen projection over states; sparsemax has 0."""
    attention = cell.configs[0].resolved()["model"].get("attention")
    if attention is None:
        return None
    projection = attention["projection"]
    kind = projection if isinstance(projection, str) else projection["type"]
    if kind == "sparsemax":
        return 0.0
    return float(projection["lam"]) if kind == FAMILY else None
