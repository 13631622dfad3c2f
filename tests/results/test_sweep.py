"""The sparsity sweep: where a projection lies, and how entropy moves with it."""

from typing import Any

import numpy as np
import pytest
from finding import Finding
from results.meister_2021.__main__ import FILE
from results.meister_2021.sweep import PROJECTIONS, Sweep, places
from scipy.stats import kendalltau

from attex.config.loading import load_experiments


def test_softmax_and_sparsemax_are_ends_of_the_axes() -> None:
    assert places("softmax") == {"α": 1.0}
    assert places("sparsemax") == {"λ": 0.0, "α": 2.0}
    assert places("sparsegen_-10") == {"λ": -10.0}
    assert places("entmax_1.25") == {"α": 1.25}
    assert places("learned_entmax") == {}


def test_the_sweep_has_every_projection_and_imdb_what_it_says() -> None:
    names = [config.name for config in load_experiments(FILE)]  # type: ignore[union-attr]
    for data in ("sst", "20news"):
        for encoder in ("lstm", "transformer"):
            assert {f"{data}_{encoder}_{p}" for p in PROJECTIONS} <= set(names)
    imdb = [places(name.split("_", 2)[2]) for name in names if name.startswith("imdb_lstm")]
    assert sorted(place["λ"] for place in imdb if "λ" in place) == [-10, -1, 0, 0.5, 0.9]
    assert len(names) == 2 * (12 + 12 + 6)


def test_table_2_is_kendalls_tau_over_all_points() -> None:
    rng = np.random.default_rng(0)
    values = {
        f"sst_lstm_{p}": rng.random((2, 30)) for p in ("sparsegen_-1", "sparsemax", "sparsegen_0.5")
    }
    values["sst_lstm_sparsegen_0.5"] -= 0.5
    values["sst_lstm_sparsemax"][0, 3] = np.nan
    found: Any = {
        name: Finding({"dispersion": {"entropy|gradient_norm": entropies}})
        for name, entropies in values.items()
    }
    (row,) = Sweep(found).lambda_rows("sst", "lstm")
    points = [
        (place, value)
        for place, entropies in zip((-1, 0, 0.5), values.values(), strict=True)
        for value in entropies.ravel()
        if not np.isnan(value)
    ]
    assert row["mean"] == pytest.approx(kendalltau(*zip(*points, strict=True))[0])
    assert row["low"] < row["mean"] < row["high"] < 0
    assert (row["published"], row["models"], row["lambdas"]) == (-0.866, 6, "−1, 0, 0.5")
    assert row["undefined"] == 1
