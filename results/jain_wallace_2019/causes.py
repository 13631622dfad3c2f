"""Why a value of τ is not the published one: what other vectors, or another epoch's model, give."""

from collections.abc import Mapping
from typing import Any

from attex.claims.matching import beside
from results.markdown import number
from results.running import Found

FAR = 0.1
"""A difference of τ that asks for its cause."""
NEARER = 0.05
"""By how much less another setting must be off to be a cause."""
GLOVE, EPOCH = "_glove", "_epoch_"


def is_study(name: str) -> bool:
    """Say whether an experiment asks for a cause, and is none of the grid."""
    return name.endswith(GLOVE) or EPOCH in name


def is_tau(row: dict[str, Any]) -> bool:
    """Say whether a published number is a τ."""
    return bool(row["quantity"].startswith("kendall_tau("))


class Causes:
    """What the studies of vectors and of kept epochs found for every published value."""

    def __init__(self, found: Mapping[str, Found]) -> None:
        self._studies = {
            name: {row["claim"]: row for row in beside(each.tables)}
            for name, each in found.items()
            if is_study(name)
        }

    def with_glove(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """Return the same value from models that started from GloVe's vectors."""
        return self._studies.get(row["experiment"] + GLOVE, {}).get(row["claim"])

    def of(self, row: dict[str, Any]) -> str:
        """Say what is known of a difference; nothing where it is small."""
        if not is_tau(row) or abs(row["difference"]) <= FAR:
            return ""
        if row["inside"]:
            return "inside our interval"
        return self._vectors(row) or self._epochs(row) or "not known"

    def _vectors(self, row: dict[str, Any]) -> str:
        other = self.with_glove(row)
        if other is None or (other["low"] <= row["high"] and row["low"] <= other["high"]):
            return ""
        if other["inside"]:
            return "GloVe's vectors: their interval has it"
        if other["difference"] * row["difference"] < 0:
            return "GloVe's vectors: it lies between the two"
        if abs(row["difference"]) - abs(other["difference"]) > NEARER:
            return "GloVe's vectors in part: nearer"
        return ""

    def _epochs(self, row: dict[str, Any]) -> str:
        start = row["experiment"] + EPOCH
        values = [
            rows[row["claim"]]["ours"]
            for name, rows in self._studies.items()
            if name.startswith(start) and row["claim"] in rows
        ]
        if not values:
            return ""
        span = f"{number(min(values))} to {number(max(values))} by epoch"
        if min(values) <= row["published"] <= max(values):
            return f"the kept epoch: {span}"
        nearest = min(abs(value - row["published"]) for value in values)
        if abs(row["difference"]) - nearest > NEARER:
            return f"the kept epoch in part: {span}"
        return ""
