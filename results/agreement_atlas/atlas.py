"""The tables of the atlas, as its page asks them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from results.agreement_atlas.tables import KINDS, TABLES

CONTROL = "random"
"""The measure that shows what chance gives."""
Row = dict[str, Any]


class Atlas:
    """What the csv files beside the page say; a table that is not there has no rows."""

    def __init__(self, place: Path) -> None:
        there = {name: place / f"{name}.csv" for name in TABLES}
        self._tables = {
            name: pl.read_csv(path, infer_schema_length=None).to_dicts()
            for name, path in there.items()
            if path.exists()
        }
        # Chance among words of equally many pieces, where words have pieces.
        for row in self._rows("agreement"):
            null, pieces = row["null"], row["null_pieces"]
            row["chance"] = null if pieces is None else pieces
            row["beyond"] = _less(row["value"], row["chance"])

    def _rows(self, table: str) -> list[Row]:
        return self._tables.get(table, [])

    @property
    def models(self) -> list[Row]:
        """The datasets and kinds of model that are here, with their accuracy."""
        return self._rows("models")

    @property
    def count(self) -> int:
        """How many models the tables are of."""
        return sum(row["seeds"] for row in self.models)

    @property
    def kinds(self) -> list[str]:
        """The kinds of model that are here."""
        return [kind for kind in KINDS.values() if any(row["model"] == kind for row in self.models)]

    def datasets(self, kind: str) -> list[str]:
        """The datasets that are here of a kind of model."""
        return [row["dataset"] for row in self.models if row["model"] == kind]

    def measures(self, kind: str) -> list[str]:
        """The measures of a kind of model, in the order of its tables."""
        rows = [row for row in self._rows("measures") if row["model"] == kind]
        return [*dict.fromkeys(row["measure"] for row in rows)]

    def pairs(self, kind: str) -> list[Row]:
        """Every pair of measures on every dataset, by one kind of model."""
        return [row for row in self._rows("agreement") if row["model"] == kind]

    def averaged(self, kind: str) -> list[Row]:
        """Every pair of measures: means over the datasets in which it is defined, and the range."""
        grouped: dict[tuple[str, str], list[Row]] = {}
        for row in self.pairs(kind):
            grouped.setdefault((row["measure_a"], row["measure_b"]), []).append(row)
        return [_averaged(pair, rows) for pair, rows in grouped.items()]

    def ranked(self, kind: str, of: str | None = None) -> list[Row]:
        """The defined pairs without the control, or those of one measure, the most alike first."""
        pairs = [row for row in self.averaged(kind) if row["beyond"] is not None]
        pairs = [row for row in pairs if CONTROL not in _both(row)]
        pairs = [row for row in pairs if of is None or of in _both(row)]
        return sorted(pairs, key=lambda row: -float(row["beyond"]))

    def partner(self, row: Row, of: str) -> str:
        """Name the other measure of a pair."""
        (other,) = set(_both(row)) - {of}
        return other

    def truth(self, kind: str | None = None, dataset: str | None = None) -> list[Row]:
        """How well measures find what is known to decide, the best first."""
        rows = [row for row in self._rows("truth") if row["value"] is not None]
        rows = [row for row in rows if kind in (None, row["model"])]
        rows = [row for row in rows if dataset in (None, row["dataset"])]
        return sorted(rows, key=lambda row: -float(row["value"]))

    def known(self, kind: str) -> list[str]:
        """The datasets, of a kind of model, in which it is known what decides."""
        with_truth = {row["dataset"] for row in self.truth(kind)}
        return [dataset for dataset in self.datasets(kind) if dataset in with_truth]

    def summary(self, kind: str) -> list[Row]:
        """A row for every measure: means over the datasets of all that is known of it alone."""
        rows = []
        for measure in self.measures(kind):
            own = [r for r in self._rows("measures") if (r["model"], r["measure"]) == (kind, measure)]
            found = [r for r in self.truth(kind) if r["measure"] == measure]
            others = [r["beyond"] for r in self.ranked(kind, measure)]
            rows.append(
                {name: _mean([row[name] for row in own]) for name in ("seconds", "agreement_at_half")}
                | {"measure": measure, "agreement": _mean(others)}
                | {"gained": _mean([row["gained"] for row in own])}
                | {"found": _mean([_less(row["value"], row["chance"]) for row in found])}
            )
        return rows

    @property
    def undefined(self) -> int:
        """How many pairs of measures, on a dataset and by a kind of model, have no agreement at all."""
        return sum(row["value"] is None for row in self._rows("agreement"))


def not_above_chance(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose interval is not above chance as a whole."""
    return [row for row in rows if row["low"] <= row["chance"]]


def _averaged(pair: tuple[str, str], rows: Sequence[Row]) -> Row:
    known = [row for row in rows if row["value"] is not None]
    values = [row["value"] for row in known]
    means = {key: _mean([row[key] for row in known]) for key in ("value", "chance", "beyond", "ceiling")}
    about = {"measure_a": pair[0], "measure_b": pair[1], "datasets": len(known)}
    return about | means | {"least": min(values, default=None), "most": max(values, default=None)}


def _both(row: Row) -> tuple[str, str]:
    return row["measure_a"], row["measure_b"]


def _less(value: float | None, chance: float | None) -> float | None:
    return None if value is None or chance is None else value - chance


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
