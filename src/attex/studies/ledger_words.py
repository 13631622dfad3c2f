"""Numbers of models against models, in the words of the ledger of published numbers."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attex.analyses.headline import OVERALL
from attex.claims.ledger import published
from attex.claims.numbers import BASE as AS_PUBLISHED
from attex.claims.quantities import key_of
from attex.studies.racu import areas
from attex.studies.rivals import BASE, KINDS, UNIFORM

Row = Mapping[str, Any]

CELL = ("dataset", "encoder", "attention", "projection")
COLUMNS = (*CELL, "setting", "seed", "quantity", "class", "value")
_NUMBER = ("seed", "quantity", "class", "value", "low", "high")

_ADVERSARY = re.compile(rf"({KINDS['free']}|{KINDS['frozen']}), λ = (.+)")
_CALLED = {KINDS["free"]: "(adversary, unfrozen)", KINDS["frozen"]: "(adversary, frozen)"}
PRINTED = {"sst": 2 * 5.25e-4, "imdb": 2 * 8e-4}
"""λ in Wiegreffe & Pinter's Table 4, twice as large here: they halve TVD."""


def worded(
    row: Row,
    own: Iterable[str],
    quantity: str,
    cell: Mapping[str, str] | None = None,
    other: str = "",
    value: float | None = None,
) -> dict[str, Any]:
    """Return a row in the ledger's words.

    The choices of the file, those that are not the study's `own`, say in which setting it is, and
    `other` what else is not as published. `cell` is what the model is called, where it is not the base.
    """
    about = {name: row[name] for name in CELL} | dict(cell or {})
    choices = [str(row[n]) for n in row if n not in (*CELL, *_NUMBER, *own) and row[n] is not None]
    said = [one for one in (*choices, other) if one and one != AS_PUBLISHED]
    number = {"seed": row["seed"], "quantity": quantity, "class": row["class"]}
    setting = {"setting": ", ".join(said) or AS_PUBLISHED}
    return about | setting | number | {"value": row["value"] if value is None else value}


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that some paper has a number for, those as published first."""
    wanted = {claim.key for claim in published()}
    known = [row for row in rows if key_of(row["quantity"]) in wanted]
    return sorted(known, key=lambda row: row["setting"] != AS_PUBLISHED)


def rival_rows(
    rows: Sequence[Row], choice: str, weights: Sequence[float], divergence: str
) -> Iterator[dict[str, Any]]:
    """Name the numbers of a base, of even weights, and of adversaries.

    Of several λ one is taken for the published one: that of Table 4 where KL is made large, as
    Wiegreffe & Pinter do; else the largest, for Meister et al. print none and move attention as far
    as it goes. The others are settings.
    """
    for row in rows:
        level, quantity = row[choice], row["quantity"]
        if level == BASE:
            yield worded(row, [choice], quantity)
        elif level == UNIFORM:
            yield worded(row, [choice], quantity, {"projection": "uniform"})
        elif found := _ADVERSARY.fullmatch(level):
            # Of a dataset that Table 4 does not have, every λ is a setting.
            printed = PRINTED.get(row["dataset"], math.nan)
            stands = printed if divergence == "kl" else max(weights)
            other = "" if found[2] == f"{stands:g}" else f"λ = {found[2]}"
            head, of_base, rest = quantity.partition("(base)")
            value = row["value"] / 2 if head == "tvd" else row["value"]
            name = {"tvd": "tvd_half"}.get(head, head) + _CALLED[found[1]]
            if (of_base and not rest) or "(" not in quantity:
                yield worded(row, [choice], name, other=other, value=value)


def racu_rows(
    rows: Sequence[Row], choices: tuple[str, str, str], quantity: str, chance: str
) -> Iterator[dict[str, Any]]:
    """Name what every measure's curve comes to, of each seed, clipped to [−1, 1] as in the paper.

    `choices` are those of masking, measure and share.
    """
    masking, measure, share = choices
    curves: dict[tuple[Any, ...], dict[str, dict[float, Row]]] = {}
    for row in rows:
        if row["quantity"] == quantity and row["class"] == OVERALL:
            others = tuple(row[n] for n in row if n not in (measure, share, *_NUMBER[1:]))
            points = curves.setdefault(others, {}).setdefault(row[measure], {})
            points[float(row[share])] = row
    for by_measure in curves.values():
        shares = sorted(by_measure.get(chance, ()))
        for name, points in by_measure.items():
            if name == chance or sorted(points) != shares:
                continue
            measured, random = (
                np.array([[each[at]["value"]] for at in shares]) for each in (points, by_measure[chance])
            )
            above, below = areas(np.array(shares), measured, random)
            if below[0] != 0:
                value = float(np.clip(above[0] / below[0], -1, 1))
                row = points[shares[0]]
                yield worded(row, choices, f"racu_{row[masking]}({name})", value=value)
