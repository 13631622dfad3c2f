"""Runs side by side: paired by text and seed, or refused."""

import numpy as np
import pytest

from attex.foundations.errors import UserError
from attex.studies.compare import RunNumbers, common_texts, compare, numbers_on

ACCURACY, TAU = ("accuracy", "overall"), ("kendall_tau(attention, gradient)", "overall")
TEXTS = tuple(f"text {number}" for number in range(200))


def per_text(rng: np.random.Generator, shift: float, shared: np.ndarray, seeds: int = 3) -> np.ndarray:
    return shared + shift + rng.normal(0, 0.2, (seeds, len(TEXTS))) + rng.normal(0, 0.01, (seeds, 1))


def test_differences_of_runs_on_the_same_texts_hold_the_truth_at_their_level() -> None:
    rng = np.random.default_rng(0)
    held, widths = [], []
    for _ in range(150):
        shared = rng.normal(0, 1, len(TEXTS))
        ones = np.ones((3, len(TEXTS)))
        runs = [
            numbers_on(name, (0, 1, 2), TEXTS, {TAU: (per_text(rng, shift, shared), ones)}, TEXTS, 150)
            for name, shift in (("base", 0.2), ("other", 0.25))
        ]
        (row,) = compare(*runs)
        held.append(row["low"] <= 0.05 <= row["high"])
        widths.append(row["high"] - row["low"])
    assert np.mean(held) == pytest.approx(0.95, abs=0.04)
    # Unpaired, texts alone would give 2 · 1.96 · √(2 / 200) = 0.39.
    assert np.mean(widths) < 0.15


def test_every_number_of_both_is_compared_seed_by_seed() -> None:
    f1 = ("f1", "positive")
    base = RunNumbers(
        "base", (0, 1), TEXTS, {ACCURACY: np.array([0.8, 0.9]), f1: np.array([0.5, 0.5])}, {}
    )
    values = {ACCURACY: np.array([0.7, 0.95, 0.9]), TAU: np.zeros(3), f1: np.array([0.6, np.nan, 0.7])}
    other = RunNumbers("other", (7, 1, 0), TEXTS, values, {})
    accuracy, of_class = compare(base, other)
    assert (accuracy["quantity"], accuracy["class"], accuracy["run"]) == (*ACCURACY, "other")
    assert accuracy["difference"] == pytest.approx(((0.95 - 0.9) + (0.9 - 0.8)) / 2)
    assert (accuracy["base"], accuracy["value"]) == pytest.approx((0.85, 0.925))
    assert (accuracy["seeds"], accuracy["texts"]) == (2, 200)
    assert (of_class["difference"], of_class["seeds"], of_class["class"]) == (
        pytest.approx(0.2),
        1,
        "positive",
    )
    rows = compare(base, other, base)
    assert [row["run"] for row in rows] == ["other", "other", "base", "base"]
    assert rows[-1]["difference"] == rows[-1]["low"] == rows[-1]["high"] == 0


def test_numbers_on_common_texts_are_those_of_these_texts() -> None:
    rng = np.random.default_rng(0)
    above, below = rng.normal(size=(2, 200)), rng.integers(0, 2, (2, 200)).astype(float)
    below[1] = 0
    others = ("elsewhere", *TEXTS[50:100][::-1])
    kept = common_texts(TEXTS, others)
    assert kept == TEXTS[50:100]
    run = numbers_on("run", (0, 1), TEXTS, {TAU: (above, below)}, kept, draws=2_000)
    assert run.values[TAU][0] == pytest.approx(above[0, 50:100].sum() / below[0, 50:100].sum())
    assert np.isnan(run.values[TAU][1])
    by_other_order = [TEXTS.index(text) for text in others[1:]]
    sums = {TAU: (above[:, by_other_order], below[:, by_other_order])}
    again = numbers_on("again", (0, 1), others[1:], sums, kept, draws=2_000)
    assert np.allclose(again.draws[TAU], run.draws[TAU], equal_nan=True)
    row = compare(run, again)[0]
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((0, 0, 0), abs=1e-12)
    assert row["seeds"] == 1


def test_runs_that_cannot_be_paired_are_refused_in_a_line() -> None:
    base = RunNumbers("base", (0, 1), TEXTS, {}, {})
    with pytest.raises(UserError, match="lacks 1 of 200"):
        compare(base, RunNumbers("other", (0, 1), TEXTS[1:], {}, {}))
    with pytest.raises(UserError, match=r"'other' \(seeds 2, 3\) has no seed in common"):
        compare(base, RunNumbers("other", (2, 3), TEXTS, {}, {}))
    with pytest.raises(UserError, match="no text in common"):
        common_texts(TEXTS, ("elsewhere",))
