"""Swaps of one ingredient on a paper's page: what is said of them is what their tables have."""

import csv
import shutil
from pathlib import Path

import pytest
from results.dropped_words import OF_STATES, SETTING, dropped_rows
from results.paper_numbers import PaperNumbers
from results.papers import PLACE
from results.study_numbers import CELL, StudyNumbers, further_table
from results.swaps import swap_table, swaps, unexplained

from attex.claims.judging import BESIDE

PAPER, STUDY = "meister_2021", "meister_2021_swaps"
PAIRS = "jain_wallace_2019_pairs"
TEN = "attention learns ten times as fast"
OF_WORDS = "kendall_tau(attention, leave_one_out)"


def row(projection: str, setting: str, quantity: str, value: float, seed: int = 0) -> dict[str, object]:
    about = dict(zip(CELL, ("sst", "lstm", "tanh", projection), strict=True))
    named = {"setting": setting, "seed": seed, "quantity": quantity, "class": "overall"}
    return about | named | {"value": value}


def test_a_state_that_goes_with_its_word_has_the_number_of_the_word() -> None:
    asked = [
        row("sparsemax", "as published", OF_WORDS, 0.2),
        row("sparsemax", "as published", OF_STATES, 0.9),
        row("sparsemax", "vectors of length 1", OF_WORDS, 0.3),
        row("sparsemax", "vectors of length 1", OF_STATES, 0.8),
        row("softmax", "as published", OF_WORDS, 0.4),
        row("softmax", "as published", OF_STATES, 0.7),
        # Its states were not left out.
        row("sparsemax", "as published", OF_WORDS, 0.5, seed=1),
    ]
    assert [*dropped_rows(asked)] == [row("sparsemax", SETTING, OF_STATES, 0.2)]


def test_the_derived_table_is_made_of_the_numbers_beside_it() -> None:
    def values(table: str, setting: str, quantity: str) -> dict[tuple[str, ...], str]:
        with (PLACE / PAPER / table).open(encoding="utf-8", newline="") as file:
            rows = [r for r in csv.DictReader(file) if r["projection"] == "sparsemax"]
        chosen = [r for r in rows if (r["setting"], r["quantity"]) == (setting, quantity)]
        return {(*(r[name] for name in CELL), r["seed"], r["class"]): r["value"] for r in chosen}

    derived = values("numbers_derived.csv", SETTING, OF_STATES)
    assert derived
    assert derived == values("numbers.csv", "as published", OF_WORDS)


@pytest.fixture
def whole(tmp_path: Path) -> PaperNumbers:
    """The paper's page with one swap, trained for one model, that has all that was published of it."""
    shutil.copytree(PLACE / PAPER, tmp_path / PAPER)
    for further in (tmp_path / PAPER).glob("numbers_meister_*.csv"):
        further.unlink()
    cell = ("sst", "lstm", "tanh", "softmax")
    before = PaperNumbers(PAPER, tmp_path)
    there = [one.claim for one in before.differing() if one.claim.cell == cell]
    # One of them moves away instead.
    shifts = [0.5, *([0.0] * (len(there) - 1))]
    with (tmp_path / PAPER / f"{further_table(STUDY)}.csv").open("w", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*CELL, "setting", "seed", "quantity", "class", "value"])
        for claim, shift in zip(there, shifts, strict=True):
            away = -shift if before_is_below(before, claim.claim) else shift
            for seed in range(3):
                value = claim.mean + away + 0.001 * seed
                writer.writerow([*cell, TEN, seed, claim.quantity, "overall", value])
    return PaperNumbers(PAPER, tmp_path)


def before_is_below(paper: PaperNumbers, claim: str) -> bool:
    (one,) = [one for one in paper.differing() if one.claim.claim == claim]
    assert one.ours is not None
    return one.ours.mean < one.claim.mean


def test_a_swap_says_what_it_moved_and_what_it_explains(whole: PaperNumbers) -> None:
    by_name = {swap.setting: swap for swap in swaps(whole, [STUDY])}
    first, *_, last = by_name
    assert (first, last) == ("vectors of length 1", SETTING)
    ten, planned = by_name[TEN], StudyNumbers([], [STUDY]).planned
    assert (ten.made, ten.planned) == (3, sum(model.setting == TEN for model in planned))
    count = len(ten.measured)
    assert count > 2
    assert (ten.nearer, ten.named) == (count - 1, count - 1)
    assert f"measured for {count} of" in str(ten)
    assert f"{count - 1} come nearer" in str(ten)
    assert str(by_name["GloVe's vectors"]) == "*GloVe's vectors*: not trained yet (24 models)."


def test_the_table_of_swaps_has_every_number_that_differs_once(whole: PaperNumbers) -> None:
    header, _, *lines = swap_table(whole, swaps(whole, [STUDY])).splitlines()
    assert len(lines) == len(whole.differing())
    assert f"| {TEN} |" in header
    assert "GloVe" not in header, "what was not trained has no column"
    for one, line in zip(whole.differing(), lines, strict=True):
        assert f"`{one.claim.quantity}`" in line
        assert line.count("**") == (0 if one.cause is None else 2)


def test_every_number_without_a_cause_is_laid_out_with_what_was_tried() -> None:
    with (PLACE / "claims" / "claims.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] == PAIRS]
    without = [row for row in rows if row["cause"] in ("not found", "not tried")]
    paper = PaperNumbers("jain_wallace_2019", PLACE)
    two = paper.together(BESIDE[PAIRS][1])
    lines = [line.split(" | ") for line in unexplained(two).splitlines()[2:]]
    assert len(lines) == len(without)
    for row, (model, quantity, *_, tried, halving) in zip(without, lines, strict=True):
        assert model == f"| {row['dataset']} {row['encoder']} {row['attention']}"
        assert quantity.startswith(row["quantity"])
        # Behind a name stands what the swap gives.
        assert [name.partition(":")[0] for name in tried.split("; ")] == (
            row["tried"].split("; ") if row["tried"] else ["nothing"]
        )
        assert (halving == "– |") == (row["halving"] == "")
