"""Which way the rows of Table 3 of Pruthi et al. go: verdicts, intervals, and what was published."""

import csv
from pathlib import Path

import numpy as np
import pytest
from results.directions import (
    ABOVE,
    ACCURACY,
    ATTENTION,
    OPEN,
    OTHER,
    SAME,
    Direction,
    _published,
    apart,
    directions,
)
from results.paper_numbers import PaperNumbers
from results.study_numbers import StudyNumbers
from scipy.stats import ttest_ind

CELL = ("pronoun", "embedding", "linear", "softmax")
PAPER = "pruthi_2020"


@pytest.mark.parametrize(
    ("theirs", "ours", "verdict"),
    [
        (-0.5, (-0.2, -0.3, -0.1), SAME),
        (-0.5, (0.2, 0.1, 0.3), OTHER),
        (-0.5, (-0.2, -0.5, 0.1), OPEN),
        (-0.5, (-0.001, -0.004, 0.002), OTHER),
        (-0.006, (-0.001, -0.004, 0.002), SAME),
        (-0.006, (-0.05, -0.07, -0.03), OTHER),
        (-0.006, (-0.01, -0.03, 0.01), OPEN),
        (float("nan"), (-0.2, -0.3, -0.1), OPEN),
        (-0.5, (-0.2, float("nan"), float("nan")), OPEN),
    ],
)
def test_a_direction_is_up_down_or_nowhere(
    theirs: float, ours: tuple[float, float, float], verdict: str
) -> None:
    assert Direction(CELL, "0.1", ACCURACY, theirs, theirs, False, *ours).verdict == verdict
    assert Direction(CELL, "0.1", ACCURACY, 9.0, theirs, True, *ours).verdict == verdict


def test_of_a_misprint_the_ledger_speaks() -> None:
    # 93.3 without a penalty, where all other rows point to 96.3; and 96.5 in the replication.
    cell = ("occupation dealt out anew", *CELL[1:])
    _, again, misprinted = _published(cell, ["accuracy(lambda=1)", "accuracy(lambda=0)"])
    assert again == pytest.approx(-0.003, abs=2e-3)
    assert misprinted
    assert not _published(cell, ["impermissible_mass(lambda=1)", "impermissible_mass(lambda=0)"])[2]


def test_means_over_seeds_are_compared_after_welch() -> None:
    rng = np.random.default_rng(0)
    some, others = rng.normal(0.9, 0.01, 5), rng.normal(0.7, 0.05, 4)
    interval = ttest_ind(some, others, equal_var=False).confidence_interval(0.95)
    gap = some.mean() - others.mean()
    assert apart([*some], [*others]) == pytest.approx((gap, interval.low, interval.high))
    assert np.isnan(apart([0.9], [0.7, 0.8])[1]), "one seed has no interval"


def write(path: Path, header: list[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def test_ours_stand_beside_the_paper_and_its_replication(tmp_path: Path) -> None:
    folder = tmp_path / PAPER
    folder.mkdir()
    names = ["dataset", "encoder", "attention", "projection"]
    changes = ["quantity", "difference", "difference_low", "difference_high"]
    table = [
        [*CELL, weight, quantity, change, change - 0.005, change + 0.005]
        for quantity, change in (("impermissible_mass", -0.4), ("accuracy", -0.008))
        for weight in (0, 0.1, 1)
    ]
    write(folder / f"{PAPER}_deception.csv", [*names, "weight", *changes], table)
    long = [*names, "seed", "quantity", "class", "value"]
    penalised = [*CELL, "as published"]
    rows = [[*penalised, seed, "accuracy(lambda=1)", "overall", 0.9 + seed / 100] for seed in (0, 1)]
    write(folder / "numbers.csv", [*names, "setting", *long[4:]], rows)
    without = [f"{CELL[0]} without impermissible tokens", *CELL[1:]]
    rows = [[*without, seed, "accuracy", "overall", 0.6 + seed / 100] for seed in (0, 1)]
    write(folder / f"numbers_{PAPER}_without.csv", long, rows)

    ways = directions(PaperNumbers(PAPER, tmp_path))
    # Table 3: 99.2 % of the attention and 100.0 right at λ = 0, 3.4 and 99.4 at 0.1, 0.8 and 99.2 at 1;
    # 66.8 right without the words. Replicated: 97.77 and 100.0, 4.06 and 100.0, 0.84 and 99.84; 70.81.
    found = [(one.what, one.weight, one.theirs, one.replicated, one.ours) for one in ways.every]
    assert found == [
        (ATTENTION, "0.1", pytest.approx(-0.958), pytest.approx(-0.9371), -0.4),
        (ATTENTION, "1", pytest.approx(-0.984), pytest.approx(-0.9693), -0.4),
        (ACCURACY, "0.1", pytest.approx(-0.006), pytest.approx(0), -0.008),
        (ACCURACY, "1", pytest.approx(-0.008), pytest.approx(-0.0016), -0.008),
        (ABOVE, "1", pytest.approx(0.324), pytest.approx(0.2903), pytest.approx(0.3)),
    ]
    assert ways.counted(ATTENTION) == "2 of 2"
    assert ways.not_again() == []
    first, second = ways.table().splitlines()[2:]
    assert "| 0.1 | −0.958 (−0.937) | −0.400 [−0.405, −0.395] ✓ |" in first
    assert first.endswith("| – | – |"), "no model of that weight stands beside those without the words"
    assert second.startswith("| pronoun | embedding | 1 | −0.984 (−0.969) |")
    swaps = folder / "numbers_swaps.csv"
    rows = [
        [*CELL, setting, seed, f"accuracy(lambda={weight})", "overall", value]
        for setting, weight, seed, value in (
            *(("as published", weight, 0, 1.0) for weight in "01"),
            *(("longer", "0", 0, 0.9), ("longer", "1", 0, 0.8), ("longer", "1", 1, 0.7)),
        )
    ]
    write(swaps, [*names, "setting", *long[4:]], rows)
    told = ways.swapped(ways.of(ACCURACY)[1], StudyNumbers([swaps], []))
    assert told == ["longer: −0.100 ~"], "of the seed that has both"
    falls = {
        "as published": [-0.05, -0.04, -0.06],
        "longer": [0.0, -0.01, 0.01],
        "other": [-0.07, -0.03],
    }
    rows = [
        [*CELL, setting, seed, f"accuracy(lambda={weight})", "overall", 0.9 + change * int(weight)]
        for setting, changes in falls.items()
        for seed, change in enumerate(changes)
        for weight in "01"
    ]
    write(swaps, [*names, "setting", *long[4:]], rows)
    longer, other = ways.swapped(ways.of(ACCURACY)[1], StudyNumbers([swaps], []))
    t = ttest_ind(falls["longer"], falls["as published"], equal_var=False).confidence_interval(0.95)
    assert longer.endswith(f", moved by 0.050 [{t.low:.3f}, {t.high:.3f}]")
    assert "moved" not in other, "by chance, for all that two seeds can say"
