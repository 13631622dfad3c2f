"""Means and differences of a study's numbers, with intervals over seeds."""

import csv
from pathlib import Path

import numpy as np
import pytest
from results.study_numbers import CELL, NumberOf, StudyNumbers
from scipy.stats import t as student
from scipy.stats import ttest_1samp, ttest_rel

from attex.analyses.quantity import OVERALL

EVEN, OWN = ("sst", "lstm", "tanh", "uniform"), ("sst", "lstm", "tanh", "softmax")
F1 = {"softmax": [0.85, 0.83, 0.84, 0.86], "uniform": [0.82, 0.83, 0.80, 0.82]}
"""By the projection, of the seeds 0 to 3."""


def table(path: Path, rows: list[tuple[str, str, str, int, str, float]]) -> StudyNumbers:
    """Write numbers of BiLSTMs: dataset, projection, setting, seed, class and F1."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*CELL, "setting", "seed", "quantity", "class", "value"])
        for data, projection, setting, seed, class_, value in rows:
            writer.writerow([data, "lstm", "tanh", projection, setting, seed, "f1", class_, value])
    return StudyNumbers([path], [])


def of_sst(
    class_: str = OVERALL, setting: str = "as published"
) -> list[tuple[str, str, str, int, str, float]]:
    return [
        ("sst", projection, setting, seed, class_, value)
        for projection, values in F1.items()
        for seed, value in enumerate(values)
    ]


def test_a_difference_within_one_dataset_is_that_of_a_paired_t_test(tmp_path: Path) -> None:
    numbers = table(tmp_path / "numbers.csv", of_sst())
    found = numbers.difference(NumberOf(OWN, "f1"), NumberOf(EVEN, "f1"))
    expected = ttest_rel(F1["softmax"], F1["uniform"]).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    back = numbers.difference(NumberOf(EVEN, "f1"), NumberOf(OWN, "f1"))
    assert (back.low, back.high) == pytest.approx((-expected.high, -expected.low))


def test_only_seeds_that_both_have_count(tmp_path: Path) -> None:
    rows = [row for row in of_sst() if (row[1], row[3]) not in {("softmax", 0), ("uniform", 3)}]
    numbers = table(tmp_path / "numbers.csv", rows)
    found = numbers.difference(NumberOf(OWN, "f1"), NumberOf(EVEN, "f1"))
    assert found.seeds.values == pytest.approx((0.0, 0.04))
    none = numbers.difference(NumberOf(OWN, "f1"), NumberOf(OWN, "f1", "vectors of length 1"))
    assert str(none) == "–"


def test_how_far_seeds_differ_is_pooled_over_datasets_and_settings(tmp_path: Path) -> None:
    other, swapped = [0.5, 0.9], [0.6, 0.7, 0.65]
    rows = of_sst() + [
        ("imdb", "softmax", "as published", seed, OVERALL, v) for seed, v in enumerate(other)
    ]
    rows += [
        ("sst", "softmax", "vectors of length 1", seed, OVERALL, v) for seed, v in enumerate(swapped)
    ]
    numbers = table(tmp_path / "numbers.csv", rows)
    found = numbers.mean(OWN, "f1")
    cells = [*F1.values(), other, swapped]
    variance = np.mean([np.var(cell, ddof=1) for cell in cells])
    freedom = len(cells) ** 2 / sum(1 / (len(cell) - 1) for cell in cells)
    half = student.ppf(0.975, freedom) * np.sqrt(variance / 4)
    assert (found.mean, found.half) == pytest.approx((np.mean(F1["softmax"]), half))
    assert found.high == min(found.mean + half, 1.0), "a share ends at 1"
    # The models of IMDB have no partner with even weights, and two settings are no pair.
    alone = numbers.difference(NumberOf(OWN, "f1"), NumberOf(EVEN, "f1"))
    assert alone.half == pytest.approx(
        np.diff(ttest_rel(*F1.values()).confidence_interval(0.95)).item() / 2
    )
    between = numbers.difference(NumberOf(OWN, "f1", "vectors of length 1"), NumberOf(OWN, "f1"))
    expected = ttest_1samp(np.subtract(swapped, F1["softmax"][:3]), 0).confidence_interval(0.95)
    assert (between.low, between.high) == pytest.approx((expected.low, expected.high))


def test_two_numbers_of_unlike_settings_vary_as_they_do_as_published(tmp_path: Path) -> None:
    short = {"softmax": [0.7, 0.74], "uniform": [0.8, 0.81]}
    settings = {"softmax": "fewer epochs", "uniform": "as published"}
    rows = of_sst() + [
        ("imdb", projection, settings[projection], seed, OVERALL, value)
        for projection, values in short.items()
        for seed, value in enumerate(values)
    ]
    numbers = table(tmp_path / "numbers.csv", rows)
    even, own = (("imdb", *cell[1:]) for cell in (EVEN, OWN))
    found = numbers.difference(NumberOf(own, "f1", "fewer epochs"), NumberOf(even, "f1"))
    pairs = [np.subtract(*F1.values()), np.subtract(*short.values())]
    freedom = 4 / sum(1 / (len(pair) - 1) for pair in pairs)
    variance = np.mean([np.var(pair, ddof=1) for pair in pairs])
    half = student.ppf(0.975, freedom) * np.sqrt(variance / 2)
    assert (found.mean, found.half) == pytest.approx((-0.085, half))


def test_classes_are_pooled_with_each_other_and_not_with_the_whole(tmp_path: Path) -> None:
    wild = [(*row[:4], OVERALL, row[5] * (-1) ** row[3]) for row in of_sst()]
    numbers = table(tmp_path / "numbers.csv", of_sst("positive") + of_sst("negative") + wild)
    alone = table(tmp_path / "alone.csv", of_sst("positive"))
    of_class, whole = numbers.mean(OWN, "f1", class_="positive"), numbers.mean(OWN, "f1")
    # Two classes of the same models tell no more of them than one.
    assert of_class.half == pytest.approx(alone.mean(OWN, "f1", class_="positive").half)
    assert whole.half > 10 * of_class.half
