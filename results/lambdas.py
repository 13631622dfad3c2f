"""How entropy goes with λ over the models of a sweep: what Meister et al. (2021) have in Table 2.

τ-b of λ and the normalised entropy of the gradient's norm, the mean over texts, a point a model. Whether
the paper's points are models or texts it does not say; over texts no τ could be as large as theirs.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scipy.stats import kendalltau

from attex.analyses.quantity import OVERALL
from attex.claims.quantities import projection_of
from attex.studies.universes import Cell

ENTROPY = "entropy(gradient_norm)"
NAME = f"kendall_tau(lambda, {ENTROPY})"
FAMILY = "sparsegen"
_FAMILY_OF = ("dataset", "encoder", "attention", "setting", "seed")


def lambda_rows(
    rows: Iterable[Mapping[str, Any]], lambdas: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each dataset, encoder, setting and seed of which there are three λ or more.

    `rows` are the numbers of all models, `lambdas` the λ of those projections that have one.
    """
    families: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for row in rows:
        place = lambdas.get(projection_of(row["projection"]))
        if place is not None and row["quantity"] == ENTROPY and row["class"] == OVERALL:
            key = tuple(row.get(name) for name in _FAMILY_OF)
            families.setdefault(key, []).append((place, row["value"]))
    for key, points in families.items():
        known = [point for point in points if not math.isnan(point[1])]
        if len(known) > 2:
            tau = kendalltau(*zip(*known, strict=True)).statistic
            about = {name: part for name, part in zip(_FAMILY_OF, key, strict=True) if part is not None}
            yield about | {"projection": FAMILY, "quantity": NAME, "class": OVERALL, "value": float(tau)}


def lambdas_of(cells: Iterable[Cell]) -> dict[str, float]:
    """Return λ of the projections that have one, by what papers call them."""
    known = ((projection_of(cell.about["projection"]), lambda_of(cell)) for cell in cells)
    return {name: place for name, place in known if place is not None}


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
