"""Leaving out a hidden state, read as leaving out its word: for Table 6 of Meister et al. (2021).

Under sparsemax most states have no weight, and dropping one of these changes nothing. So τ of attention
and leave-one-out of states ties zeros with zeros, and is high by definition: that of the paper's BiLSTMs
is, that of its Transformers is not. If there the word went with its state, the number is that of
leave-one-out of words, which every model of ours has. That reading was found by looking at the
published numbers, and pages that show it say so.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attex.claims.numbers import BASE
from attex.claims.quantities import key_of

SETTING = "a state dropped with its word"
SPARSE = "sparsemax"
OF_WORDS = key_of("kendall_tau(attention, leave_one_out)")
OF_STATES = "kendall_tau(attention, leave_one_out[hidden])"
TABLE = "numbers_derived.csv"
_MODEL = ("dataset", "encoder", "attention", "projection", "seed")


def dropped_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield, for sparse models as published, what leave-one-out of states is if words go with them.

    Models whose states were not left out have no such number.
    """
    sparse = [r for r in rows if r["projection"] == SPARSE and r.get("setting", BASE) == BASE]
    asked = {_model(row) for row in sparse if key_of(row["quantity"]) == key_of(OF_STATES)}
    for row in sparse:
        if key_of(row["quantity"]) == OF_WORDS and _model(row) in asked:
            yield {**row, "setting": SETTING, "quantity": OF_STATES}


def _model(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _MODEL)
