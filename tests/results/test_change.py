"""What sparsity changes: closed forms of every quantity, and draws that are paired."""

from typing import Any

import numpy as np
import pytest
from finding import Finding
from results.meister_2021.change import FIRST, changes, levels
from results.meister_2021.sweep import INPUTS, Sweep

from attex.analyses.faithfulness import RANDOM

SEEDS, TEXTS = 3, 40
MEASURE = INPUTS[0]
START = f"kendall_tau|attention|{MEASURE}|"


def columns(shift: float, room: float, null: float = 0.1) -> dict[str, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    agreement = {}
    for measure in INPUTS:
        value, permuted = rng.random((2, SEEDS, TEXTS))
        given = {"value": value + shift, "permuted": permuted}
        given |= {"null": np.full_like(value, null), "room": np.full_like(value, room)}
        agreement |= {f"kendall_tau|attention|{measure}|{name}": each for name, each in given.items()}
    deletion = {}
    for quantity in ("comprehensiveness", "sufficiency"):
        for fraction in (FIRST, "0.5"):
            top, random = rng.random((2, SEEDS, TEXTS))
            deletion[f"attention|{quantity}|{fraction}"] = top + shift
            deletion[f"{RANDOM}|{quantity}|{fraction}"] = random
    return {"contextualisation": agreement, "faithfulness": deletion}


def sweep_of(softmax: dict[str, Any], sparsemax: dict[str, Any]) -> Sweep:
    found: Any = {"sst_lstm_softmax": Finding(softmax), "sst_lstm_sparsemax": Finding(sparsemax)}
    return Sweep(found)


def test_every_quantity_is_what_it_says() -> None:
    made = columns(0.3, 0.5)
    rows = {
        (row["measure"], row["quantity"]): row
        for row in levels(sweep_of(columns(0.0, 1.0), made))
        if row["projection"] == "sparsemax"
    }
    for measure in INPUTS:
        start = f"kendall_tau|attention|{measure}|"
        value, permuted = (made["contextualisation"][start + name] for name in ("value", "permuted"))
        assert rows[measure, "measured"]["mean"] == pytest.approx(value.mean())
        assert rows[measure, "permuted"]["mean"] == pytest.approx(permuted.mean())
        assert rows[measure, "calibrated"]["mean"] == pytest.approx((value.mean() - 0.1) / 0.5)
        assert rows[measure, "permuted_share"]["mean"] == pytest.approx((permuted.mean() - 0.1) / 0.5)
        assert rows[measure, "beyond_share"]["mean"] == pytest.approx((value - permuted).mean() / 0.5)
    for quantity, sign in (("comprehensiveness", 1), ("sufficiency", -1)):
        gains = [
            sign * np.mean(made["faithfulness"][f"attention|{quantity}|{fraction}"])
            - sign * np.mean(made["faithfulness"][f"{RANDOM}|{quantity}|{fraction}"])
            for fraction in (FIRST, "0.5")
        ]
        assert rows["", f"{quantity}_first"]["mean"] == pytest.approx(gains[0])
        assert rows["", quantity]["mean"] == pytest.approx(np.mean(gains))
    assert all(row["low"] < row["mean"] < row["high"] for row in rows.values())


def test_a_change_that_every_text_shares_is_certain() -> None:
    sweep = sweep_of(columns(0.0, 1.0), columns(0.3, 1.0))
    rows = list(changes(sweep, "softmax", ["sparsemax", "sparsegen_0.9"]))
    assert {row["to"] for row in rows} == {"sparsemax"}
    for row in rows:
        change = 0.0 if "permuted" in row["quantity"] else 0.3
        change *= -1 if "sufficiency" in row["quantity"] else 1
        assert [row["change"], row["low"], row["high"]] == pytest.approx([change] * 3, abs=1e-9)


def test_a_ceiling_that_comes_down_is_a_change_of_shares_only() -> None:
    sweep = sweep_of(columns(0.0, 1.0), columns(0.0, 0.5))
    for row in changes(sweep, "softmax", ["sparsemax"]):
        if row["quantity"] in ("calibrated", "permuted_share", "beyond_share"):
            assert row["after"] == pytest.approx(2 * row["before"])
            assert row["low"] < row["change"] < row["high"]
        else:
            assert row["change"] == 0


@pytest.mark.parametrize("name", ["value", "permuted", "room"])
def test_an_undefined_text_does_not_count(name: str) -> None:
    made = columns(0.3, 0.5)
    given = {key: made["contextualisation"][START + key] for key in ("value", "permuted", "room")}
    given[name][1, 7] = np.nan
    rows = levels(sweep_of(made, made))
    beyond = next(row for row in rows if row["quantity"] == "beyond_share")
    known = ~np.isnan(given["value"] - given["permuted"] + given["room"])
    expected = (given["value"] - given["permuted"])[known].sum() / given["room"][known].sum()
    assert (beyond["measure"], beyond["mean"]) == (MEASURE, pytest.approx(expected))
