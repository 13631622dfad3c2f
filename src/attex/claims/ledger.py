"""The ledger of published numbers: one row, one number that a paper or its released results state."""

import csv
import functools
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

PAPERS = {
    "jain_wallace_2019": "Jain & Wallace 2019",
    "neely_schouten_2020": "Neely & Schouten 2020",
    "meister_2021": "Meister et al. 2021",
}


@dataclass(frozen=True)
class Claim:
    """A published number and what it is about, in the words of this house.

    `quantity` is a statistic (then k and the two measures say of what), `dispersion` (then the first
    measure says of what) or a metric of performance;
    `class_` the predicted class, or "overall". Neely & Schouten number classes by frequency in their
    training data, where both datasets have more positive texts; here they have their names.
    """

    claim: str
    paper: str
    location: str
    dataset: str
    encoder: str
    attention: str
    projection: str
    quantity: str
    k: str
    measure_a: str
    measure_b: str
    class_: str
    mean: float
    std: float | None
    significant: float | None
    note: str


def published(**where: Any) -> list[Claim]:
    """Return the claims whose fields have the given values, in the order of the ledger."""
    unknown = set(where) - set(Claim.__dataclass_fields__)
    if unknown:
        raise TypeError(f"a claim has no {', '.join(sorted(unknown))}")
    return [c for c in _ledger() if all(getattr(c, name) == value for name, value in where.items())]


@functools.cache
def _ledger() -> tuple[Claim, ...]:
    text = files("attex.claims").joinpath("ledger.csv").read_text(encoding="utf-8")
    return tuple(_claim(row) for row in csv.DictReader(text.splitlines()))


def _claim(row: dict[str, str]) -> Claim:
    mean, std, significant = (_number(row.pop(name)) for name in ("mean", "std", "significant"))
    assert mean is not None
    class_ = row.pop("class")
    return Claim(**row, class_=class_, mean=mean, std=std, significant=significant)


def _number(text: str) -> float | None:
    return float(text) if text else None
