"""Causes: swaps that were run, and universes of a multiverse."""

import itertools

import numpy as np
import pytest
from number_files import PUBLISHED, SST, TAU
from scipy import stats

from attex.claims.causes import (
    BETWEEN,
    EXPLAINS,
    IN_PART,
    LOOKS,
    Cause,
    cause_in_study,
    cause_in_universes,
    most_telling,
    sides,
    tried_in_study,
    tried_in_universes,
)
from attex.claims.ledger import Cell, Claim, published
from attex.claims.numbers import BASE, Number, Study, Universes
from attex.claims.verdict import CHANCE, are_different, pooled, predict

CELL: Cell = ("sst", "lstm", "tanh", "softmax")
NOISE = (-0.02, 0.0, 0.02)


def claim() -> Claim:
    (found,) = published(paper="jain_wallace_2019", quantity=TAU, class_="overall", **SST)
    return found


def study(**means: float) -> Study:
    """The base and swaps of it, three seeds each that lie 0.02 apart."""
    settings = {BASE: means.pop("base")} | means
    return Study.of(
        "jain_wallace_2019",
        [
            Number(CELL, {"setting": name}, str(seed), TAU, "overall", mean + noise)
            for name, mean in settings.items()
            for seed, noise in enumerate(NOISE)
        ],
    )


@pytest.mark.parametrize(
    ("swaps", "kind", "after"),
    [
        ({}, None, None),
        ({"length": 0.36}, EXPLAINS, "length"),
        ({"length": 0.90}, BETWEEN, "length"),
        ({"length": 0.20}, IN_PART, "length"),
        ({"length": 0.11}, None, None),
        ({"length": -0.3}, None, None),
        ({"rate": 0.36, "length": 0.35}, EXPLAINS, "length"),
        ({"rate": 0.90, "length": 0.20}, BETWEEN, "rate"),
    ],
)
def test_a_swap_is_a_cause_if_the_number_comes_out_with_it(
    swaps: dict[str, float], kind: str | None, after: str | None
) -> None:
    found = cause_in_study(study(base=0.10, **swaps), claim())
    if kind is None:
        assert found is None
    else:
        assert found is not None
        assert (found.kind, found.before, found.after, found.tried) == (kind, BASE, after, len(swaps))
        assert found.gives.mean == pytest.approx(swaps[str(after)])


def test_a_wide_interval_is_no_cause() -> None:
    """What has the number only because it has everything is not told from the base."""
    values = {BASE: (0.08, 0.10, 0.12), "loose": (-0.5, 0.2, 0.9)}
    numbers = [
        Number(CELL, {"setting": name}, str(seed), TAU, "overall", value)
        for name, some in values.items()
        for seed, value in enumerate(some)
    ]
    loose = Study.of("study", numbers)
    swap = loose.prediction(claim(), "loose")
    assert swap is not None
    assert swap.has(PUBLISHED)
    assert cause_in_study(loose, claim()) is None


def test_many_swaps_must_differ_more_from_the_base() -> None:
    one = cause_in_study(study(base=0.29, length=0.345), claim())
    assert one is not None
    others = {f"swap {n}": 0.29 for n in range(20)}
    assert cause_in_study(study(base=0.29, length=0.345, **others), claim()) is None


def test_a_stricter_level_leaves_the_surer_causes() -> None:
    values = {name: np.add(mean, NOISE) for name, mean in {"base": 0.29, "length": 0.344}.items()}
    p = stats.ttest_ind(values["base"], values["length"]).pvalue
    assert CHANCE / LOOKS < p < CHANCE
    one = study(base=0.29, length=0.344)
    assert cause_in_study(one, claim()) is not None
    assert cause_in_study(one, claim(), level=1.01 * p) is not None
    assert cause_in_study(one, claim(), level=0.99 * p) is None
    assert cause_in_study(one, claim(), level=CHANCE / LOOKS) is None


def test_the_level_is_kept_however_often_seeds_are_added_after_a_look() -> None:
    """Seeds are added until a swap that does nothing looks like a cause: at 3, 6 and 9 of them."""
    rng = np.random.default_rng(0)
    found = {CHANCE: 0, CHANCE / LOOKS: 0}
    trials = 2000
    for _ in range(trials):
        drawn = rng.normal(size=(2, 9))
        for level in found:
            found[level] += any(_looks_like_a_cause(drawn[:, :seeds], level) for seeds in (3, 6, 9))
    assert found[CHANCE] > 1.5 * CHANCE * trials, "else there was nothing to mend"
    assert found[CHANCE / LOOKS] <= CHANCE * trials


def _looks_like_a_cause(both: np.ndarray, level: float) -> bool:
    base, swap = (predict(list(some), pooled([[list(some)]])) for some in both)
    assert base is not None
    assert swap is not None
    return are_different(base, swap, level)


def universes(base: dict[str, str], effect: float) -> Universes:
    """All settings of two choices, two seeds each: the length moves τ, the width does not."""
    rng = np.random.default_rng(0)
    numbers = [
        Number(CELL, {"length": length, "width": width}, seed, TAU, "overall", value)
        for length, width, seed in itertools.product(("1", "5"), map(str, range(6)), "01")
        for value in [0.1 + effect * (length == "5") + 0.02 * rng.normal()]
    ]
    return Universes.of(numbers, base)


def test_a_choice_is_a_cause_if_one_level_has_the_number_and_the_base_has_not() -> None:
    found = cause_in_universes(universes({"length": "1", "width": "0"}, 0.25), claim())
    assert found is not None
    assert (found.kind, found.ingredient, found.before, found.after) == (EXPLAINS, "length", "1", "5")
    assert found.gives.mean == pytest.approx(0.35, abs=0.02)
    assert cause_in_universes(universes({"length": "5"}, 0.25), claim()) is None, "the base has it"
    assert cause_in_universes(universes({"length": "1"}, 0.0), claim()) is None, "nothing has it"


def test_what_was_tried_is_named() -> None:
    assert tried_in_study(study(base=0.10), claim()) == []
    assert tried_in_study(study(base=0.10, rate=0.1, length=0.2), claim()) == ["rate", "length"]
    levels = tried_in_universes(universes({"length": "1", "width": "0"}, 0.25), claim())
    assert levels == ["length 5"], "over all lengths the base width has the number"
    assert tried_in_universes(Universes({}, {"length": "1"}), claim()) == []


def test_a_nested_choice_that_is_not_there_is_no_level_of_it() -> None:
    of_vectors = [
        Number(CELL, {"vectors": vectors, "length": length}, seed, TAU, "overall", value)
        for vectors, length, value in (("glove", "1", 0.1), ("glove", "5", 0.3), ("none", "", 0.5))
        for seed in "01"
    ]
    tried = tried_in_universes(Universes.of(of_vectors, {"vectors": "glove", "length": "1"}), claim())
    assert tried == ["length 5"]


def test_universes_lie_on_two_sides_of_a_number() -> None:
    assert sides(universes({}, 0.0), claim()) == (12, 1.0, 0.0)
    assert sides(universes({}, 0.9), claim()) == (12, 0.5, 0.5)
    assert sides(Universes({}, {}), claim())[0] == 0


def test_the_most_telling_cause_is_taken() -> None:
    part = cause_in_study(study(base=0.10, length=0.20), claim())
    whole = cause_in_study(study(base=0.10, length=0.36), claim())
    assert isinstance(part, Cause)
    assert most_telling([part, None, whole]) is whole
    assert most_telling([None]) is None
