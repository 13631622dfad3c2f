"""What changes from softmax to sparser projections: closed forms, and partners that belong together."""

import numpy as np
import pytest
from results.changes import CHANGED, DIFFERENCES, PAIRS, Change, change_rows, counted
from scipy.stats import t

from attex.studies.run_set import CellRuns, RunSet

SEEDS, DRAWS = 3, 50
CALIBRATED = f"{PAIRS[0]} calibrated"
PLAIN = [*dict.fromkeys([*(q for q in CHANGED if q not in DIFFERENCES), *sum(DIFFERENCES.values(), ())])]
"""What models have of their own; all else is the difference of two of them."""


def cell(projection: str, shifts: list[float], encoder: str = "lstm") -> CellRuns:
    """Make a cell of one setting: every quantity of softmax's model, moved by a shift for each seed."""
    rng = np.random.default_rng(0)
    about = {"dataset": "sst", "encoder": encoder, "attention": "tanh", "projection": projection}
    values, draws = {}, {}
    for place, name in enumerate(PLAIN):
        values[name] = rng.random((1, SEEDS)) + (place + 1) * np.array([shifts])
        draws[name] = values[name][..., None] + rng.normal(0, 0.1, (1, SEEDS, DRAWS))
    return CellRuns(about, np.zeros((1, 1), dtype=int), (0, 1, 2), values, draws)


def rows_of(*cells: CellRuns) -> dict[tuple[str, str], dict[str, float]]:
    rows = change_rows(RunSet({"setting": ("as published",)}, cells))
    return {(row["projection"], row["quantity"]): row for row in rows}


def test_a_change_is_bounded_by_its_seeds_where_texts_change_alike() -> None:
    shifts = [0.1, 0.2, 0.6]
    dense = cell("softmax", [0.0] * SEEDS)
    rows = rows_of(dense, cell("sparsemax", shifts), cell("sparsegen(lam=0.9)", [0.0] * SEEDS))
    assert {projection for projection, _ in rows} == {"sparsemax", "sparsegen(lam=0.9)"}
    for quantity in CHANGED:
        parts = DIFFERENCES.get(quantity)
        places = [PLAIN.index(name) + 1 for name in parts or (quantity,)]
        factor = places[0] - sum(places[1:])
        moved = factor * np.array(shifts)
        row = rows["sparsemax", quantity]
        half = t.ppf(0.975, SEEDS - 1) * moved.std(ddof=1) / np.sqrt(SEEDS)
        assert row["change"] == pytest.approx(moved.mean())
        assert row["after"] - row["before"] == pytest.approx(moved.mean())
        bounds = [moved.mean() - half, moved.mean() + half]
        assert [row["low"], row["high"]] == pytest.approx(bounds, rel=1e-4)
        assert rows["sparsegen(lam=0.9)", quantity]["change"] == pytest.approx(0)
    plain = rows["sparsemax", CALIBRATED]
    assert plain["before"] == pytest.approx(dense.values[CALIBRATED].mean())


def test_only_seeds_that_both_have_are_compared() -> None:
    dense, sparse = cell("softmax", [0.0] * SEEDS), cell("sparsemax", [1.0] * SEEDS)
    sparse.values[CALIBRATED][0, 1:] = np.nan
    row = rows_of(dense, sparse)["sparsemax", CALIBRATED]
    assert (row["seeds"], row["before"]) == (1, pytest.approx(dense.values[CALIBRATED][0, 0]))
    sparse.values[CALIBRATED][:] = np.nan
    assert ("sparsemax", CALIBRATED) not in rows_of(dense, sparse)


def test_models_without_a_dense_partner_are_not_compared() -> None:
    assert not rows_of(cell("softmax", [0.0] * SEEDS, "lstm"), cell("sparsemax", [1.0] * SEEDS, "cnn"))


@pytest.mark.parametrize(
    ("seeds", "low", "high", "written"),
    [
        (3, 0.1, 0.2, "0.100 → 0.250: **0.150 [0.100, 0.200]**"),
        (3, -0.1, 0.4, "0.100 → 0.250: 0.150 [−0.100, 0.400]"),
        (1, 0.1, 0.2, "0.100 → 0.250: 0.150 [0.100, 0.200] (one seed)"),
    ],
)
def test_a_change_is_bold_where_its_interval_knows_seeds_and_is_to_one_side(
    seeds: int, low: float, high: float, written: str
) -> None:
    about = ("sst", "lstm", "tanh", "sparsemax")
    change = Change(about, CALIBRATED, seeds, 0.1, 0.25, 0.15, low, high)
    assert str(change) == written
    fallen = Change(about, CALIBRATED, 3, 0.2, 0.1, -0.1, -0.2, -0.05)
    counts = {"**": "1 ↑ 1 ↓ 0 –", "(one seed)": "0 ↑ 1 ↓ 0 –", "0.400]": "0 ↑ 1 ↓ 1 –"}
    assert counted([change, fallen]) == next(v for end, v in counts.items() if written.endswith(end))
