"""Designs are what they say: strength by counting, blocks to extend, balance, clear refusals."""

import itertools
import math

import numpy as np
import pytest

from attex.studies.designs import BLOCK, BLOCKS, Design, design_for


def equally_often(levels: np.ndarray, strength: int) -> set[int]:
    """Return how often combinations of so many three-level columns are there: all counts found."""
    found: set[int] = set()
    for columns in itertools.combinations(range(levels.shape[1]), strength):
        numbers = levels[:, columns] @ 3 ** np.arange(strength)
        found |= {*np.bincount(numbers, minlength=3**strength).tolist()}
    return found


def test_the_golay_design_shows_every_four_choices_in_all_81_ways_three_times() -> None:
    design = design_for([3] * 11)
    assert design.levels.shape == (243, 11)
    assert equally_often(design.levels, 4) == {3}
    # It is no better than that: eleven columns of strength 5 would need more than 243 rows.
    assert equally_often(design.levels, 5) != {1}
    assert len(np.unique(design.levels, axis=0)) == 243
    assert not design.blocks.any()


def test_its_words_are_those_of_a_linear_code_with_the_weights_of_the_dual_golay_code() -> None:
    words = design_for([3] * 11).levels
    known = {tuple(word) for word in words.tolist()}
    assert {
        tuple(word) for word in ((words[:, None] + words[None]) % 3).reshape(-1, 11).tolist()
    } == known
    # 1 word of weight 0, 132 of weight 6, 110 of weight 9: the weights of the [11,5,6] code.
    assert np.bincount((words != 0).sum(axis=1)).tolist() == [1, 0, 0, 0, 0, 0, 132, 0, 0, 110]


def test_each_of_nine_blocks_has_strength_2_for_nine_choices() -> None:
    design = design_for([3] * 9)
    assert np.bincount(design.blocks).tolist() == [BLOCK] * BLOCKS
    for block in range(BLOCKS):
        assert equally_often(design.levels[design.blocks == block], 2) == {3}


@pytest.mark.parametrize("blocks", range(1, BLOCKS + 1))
def test_the_strength_that_a_part_names_is_the_one_it_has(blocks: int) -> None:
    design = design_for([3] * 9, blocks=blocks)
    said = int(design.kind.rsplit(" ", 1)[1])
    assert len(equally_often(design.levels, said)) == 1
    assert said == 4 or len(equally_often(design.levels, said + 1)) > 1


@pytest.mark.parametrize(("choices", "blocks"), [(3, 1), (5, 9)])
def test_few_choices_get_all_their_combinations_from_blocks(choices: int, blocks: int) -> None:
    design = design_for([3] * choices, blocks=blocks)
    assert len(np.unique(design.levels, axis=0)) == len(design.levels) == 3**choices


def test_four_choices_in_one_block_have_strength_3() -> None:
    assert equally_often(design_for([3] * 4, blocks=1).levels, 3) == {1}


@pytest.mark.parametrize("levels", [[3] * 9, [3, 3, 2, 3, 2, 3], [4] * 5, [5, 2, 30], [3] * 12])
def test_another_block_changes_no_universe_of_before(levels: list[int]) -> None:
    whole = design_for(levels, blocks=BLOCKS, seed=3)
    assert whole.levels.shape == (BLOCKS * BLOCK, len(levels))
    for blocks in range(1, BLOCKS):
        part = design_for(levels, blocks=blocks, seed=3)
        assert np.array_equal(part.levels, whole.levels[: blocks * BLOCK])
        assert np.array_equal(part.blocks, whole.blocks[: blocks * BLOCK])


def test_two_levels_in_three_places_stay_orthogonal_and_the_design_says_which_is_there_twice() -> None:
    design = design_for([3, 2, 3, 3, 2, 3], names=["a", "b", "c", "d", "e", "f"])
    assert design.weights.endswith(": b, e")
    assert "first" in design.weights
    for choice in (1, 4):
        assert np.bincount(design.levels[:, choice]).tolist() == [162, 81]
    # Proportional frequencies: n_ij = n_i · n_j / n for every two choices.
    for one, other in itertools.combinations(design.levels.T, 2):
        together = np.zeros((3, 3))
        np.add.at(together, (one, other), 1)
        assert np.array_equal(together * 243, np.outer(together.sum(axis=1), together.sum(axis=0)))


@pytest.mark.parametrize("levels", [[2, 2], [3], [2, 3, 4], [3] * 5, [243], [2] * 7])
def test_few_combinations_are_all_taken(levels: list[int]) -> None:
    design = design_for(levels)
    assert [tuple(row) for row in design.levels.tolist()] == [*itertools.product(*map(range, levels))]
    assert len(design.levels) == math.prod(levels)
    assert design.kind.startswith("full factorial")
    assert not design.weights


@pytest.mark.parametrize("levels", [[4] * 5, [5, 7, 30, 2], [3] * 12, [4, 4, 4, 4]])
def test_a_random_design_is_balanced_after_any_number_of_universes(levels: list[int]) -> None:
    design = design_for(levels)
    assert design.kind.startswith("balanced random design")
    for choice, count in enumerate(levels):
        times = np.cumsum(design.levels[:, [choice]] == np.arange(count), axis=0)
        assert np.ptp(times, axis=1).max() <= 1


def test_a_random_design_depends_on_its_seed_only_and_repeats_few_settings() -> None:
    first, again, other = (design_for([4] * 5, seed=seed).levels for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    # 243 of 1,024 combinations drawn freely would repeat 26 on average.
    assert len(np.unique(first, axis=0)) >= 238


def test_levels_of_two_choices_of_a_random_design_meet_by_chance() -> None:
    # χ² of a 4 × 4 table has mean 9 under independence; decks make it smaller, never much larger.
    found = []
    for seed in range(6):
        levels = design_for([4] * 5, seed=seed).levels
        for one, other in itertools.combinations(levels.T, 2):
            together = np.bincount(4 * one + other, minlength=16)
            found.append(((together - 243 / 16) ** 2 / (243 / 16)).sum())
    assert 4 < np.mean(found) < 10


@pytest.mark.parametrize(
    ("levels", "blocks", "told"),
    [
        ([], None, "at least one choice"),
        ([3, 1], None, "choice 2 has 1 level: a choice needs two or more"),
        ([3, 0], None, "choice 2 has 0 levels"),
        ([3, 3], 0, "blocks = 0 is less than 1"),
        ([3] * 9, 10, "has 9 blocks"),
        ([3] * 10, 2, "blocks for nine"),
    ],
)
def test_nonsense_is_refused(levels: list[int], blocks: int | None, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        design_for(levels, blocks=blocks)


def test_every_choice_needs_a_name() -> None:
    with pytest.raises(ValueError, match="1 names for 2 choices"):
        design_for([2, 2], names=["a"])


def test_a_design_starts_at_the_first_level_of_everything() -> None:
    designs: list[Design] = [design_for([2, 3]), design_for([3] * 9, blocks=1)]
    for design in designs:
        assert not design.levels[0].any()
