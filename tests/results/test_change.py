"""What sparsemax changes: closed forms of every quantity, and draws that are paired."""

from typing import Any

import numpy as np
import pytest
import torch
from results.meister_2021.change import changes, levels
from results.meister_2021.sweep import Sweep

from attex.agreement.intervals import ratio_draws
from attex.analyses.faithfulness import RANDOM

SEEDS, TEXTS = 3, 40
START = "kendall_tau|attention|leave_one_out|"


class Finding:
    """An experiment with these findings of every seed and text, by analysis and name."""

    def __init__(self, columns: dict[str, dict[str, np.ndarray]]) -> None:
        self._columns = columns

    def findings(self, analysis: str) -> dict[int, dict[str, Any]]:
        columns = self._columns[analysis]
        return {
            seed: {name: torch.from_numpy(rows[seed]) for name, rows in columns.items()}
            for seed in range(SEEDS)
        }


def columns(shift: float, room: float) -> dict[str, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    value, permuted, top, random = rng.random((4, SEEDS, TEXTS))
    agreement = {
        "value": value + shift,
        "permuted": permuted,
        "null": np.zeros_like(value),
        "room": np.full_like(value, room),
    }
    deletion = {}
    for quantity in ("comprehensiveness", "sufficiency"):
        for fraction, more in ((0.1, 0.0), (0.5, 0.2)):
            deletion[f"attention|{quantity}|{fraction}"] = top + shift + more
            deletion[f"{RANDOM}|{quantity}|{fraction}"] = random + more
    return {
        "contextualisation": {START + name: values for name, values in agreement.items()},
        "faithfulness": deletion,
    }


@pytest.fixture
def sweep() -> Sweep:
    found: Any = {
        "sst_lstm_softmax": Finding(columns(0.0, 1.0)),
        "sst_lstm_sparsemax": Finding(columns(0.3, 0.5)),
    }
    return Sweep(found)


def test_every_quantity_is_what_it_says(sweep: Sweep) -> None:
    rows = {r["quantity"]: r for r in levels(sweep, "leave_one_out") if r["projection"] == "sparsemax"}
    made = columns(0.3, 0.5)
    value, permuted = (made["contextualisation"][START + name] for name in ("value", "permuted"))
    assert rows["measured"]["mean"] == pytest.approx(value.mean())
    assert rows["calibrated"]["mean"] == pytest.approx(value.mean() / 0.5)
    assert rows["permuted"]["mean"] == pytest.approx(permuted.mean() / 0.5)
    assert rows["beyond"]["mean"] == pytest.approx((value - permuted).mean() / 0.5)
    lost = made["faithfulness"]["attention|sufficiency|0.1"]
    gain = (lost - made["faithfulness"][f"{RANDOM}|sufficiency|0.1"]).mean()
    assert rows["comprehensiveness"]["mean"] == pytest.approx(gain)
    assert rows["sufficiency"]["mean"] == pytest.approx(-gain)
    assert all(row["low"] < row["mean"] < row["high"] for row in rows.values())


def test_a_change_that_every_text_shares_is_certain(sweep: Sweep) -> None:
    rows = {r["quantity"]: r for r in changes(sweep, ["leave_one_out"], "softmax", "sparsemax")}
    for quantity, change in (("measured", 0.3), ("comprehensiveness", 0.3), ("sufficiency", -0.3)):
        row = rows[quantity]
        assert [row["change"], row["low"], row["high"]] == pytest.approx([change] * 3)
    row = rows["calibrated"]
    assert row["change"] == pytest.approx(row["sparsemax"] - row["softmax"])
    assert row["low"] < row["change"] < row["high"]


def test_an_undefined_text_does_not_count() -> None:
    made = columns(0.0, 1.0)
    made["contextualisation"][START + "value"][1, 7] = np.nan
    found: Any = {"sst_lstm_softmax": Finding(made)}
    measured = next(levels(Sweep(found), "leave_one_out"))
    assert measured["mean"] == pytest.approx(np.nanmean(made["contextualisation"][START + "value"]))


def test_draws_without_a_denominator_are_undefined() -> None:
    above, below = np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]])
    drawn = ratio_draws(above, below)
    assert np.isnan(drawn).mean() == pytest.approx(0.25, abs=0.05)
    assert np.unique(drawn[~np.isnan(drawn)]).tolist() == [0.5]
