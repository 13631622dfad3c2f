"""The ledger of published numbers: one row, one number that a paper or its released results state."""

import csv
import functools
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from attex.claims.quantities import key_of

PAPERS = {
    "jain_wallace_2019": "Jain & Wallace 2019",
    "wiegreffe_pinter_2019": "Wiegreffe & Pinter 2019",
    "neely_schouten_2020": "Neely & Schouten 2020",
    "pruthi_2020": "Pruthi et al. 2020",
    "meister_2021": "Meister et al. 2021",
    "caulfield_2021_replication_of_pruthi": "Caulfield 2021, of Pruthi et al.",
    "neely_2022_court_of_xai": "Neely et al. 2022",
    "madsen_2022_recursive_roar": "Madsen et al. 2022",
}

RECALLED = "recalled twice independently; not read again"
"""The source of a number that was quoted from memory."""

Cell = tuple[str, str, str, str]
"""Dataset, encoder, attention, projection."""


@dataclass(frozen=True)
class Claim:
    """A published number and what it is about, in the words of this house.

    `quantity` is written as the numbers of a study are, `kendall_tau(attention, gradient)`, and
    `as_written` is what the list of published numbers calls it. `class_` is the predicted class (of F1
    the true one), or "overall". Neely & Schouten number classes by frequency in their training data,
    where both datasets have more positive texts; here they have their names. `source` says how the
    number came here: printed, read off a figure, transcribed by others, or quoted from memory.
    """

    claim: str
    paper: str
    location: str
    dataset: str
    encoder: str
    attention: str
    projection: str
    quantity: str
    class_: str
    mean: float
    std: float | None
    significant: float | None
    as_written: str
    note: str
    source: str

    @property
    def cell(self) -> Cell:
        """The data and the model that the number is about."""
        return self.dataset, self.encoder, self.attention, self.projection

    @property
    def key(self) -> str:
        """What the number is of, in a form that a number of ours has too."""
        return key_of(self.quantity)


def published(**where: Any) -> list[Claim]:
    """Return the claims whose fields have the given values, in the order of the ledger."""
    unknown = set(where) - set(Claim.__dataclass_fields__)
    if unknown:
        raise TypeError(f"a claim has no {', '.join(sorted(unknown))}")
    return [c for c in _ledger() if all(getattr(c, name) == value for name, value in where.items())]


def about(cell: Cell, quantity: str, class_: str) -> list[Claim]:
    """Return the claims about the same data, model, quantity (whatever its options) and class."""
    return _index().get((cell, key_of(quantity), class_), [])


@functools.cache
def _index() -> dict[tuple[Cell, str, str], list[Claim]]:
    index: dict[tuple[Cell, str, str], list[Claim]] = {}
    for claim in _ledger():
        index.setdefault((claim.cell, claim.key, claim.class_), []).append(claim)
    return index


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
