"""Training sets that are a part: a line over still smaller parts, followed to all published texts."""

import math

import numpy as np
import pytest
from scipy import stats

from attex.claims.causes import EXPLAINS, LINE, SIZE, cause_in_study, tried_in_study
from attex.claims.ledger import Cell, Claim, published
from attex.claims.numbers import BASE, Number, Study
from attex.claims.sizes import AS_MANY, PUBLISHED, SHARES, halved, with_all_texts

CELL: Cell = ("snli", "lstm", "tanh", "softmax")
HALF, EIGHTH = (name for name in SHARES if name != BASE)
FAR = math.log2(PUBLISHED["snli"][1] / PUBLISHED["snli"][0])
NOISE = 0.01


def claim() -> Claim:
    dataset, encoder, attention, projection = CELL
    return published(
        paper="jain_wallace_2019",
        quantity="accuracy",
        dataset=dataset,
        encoder=encoder,
        attention=attention,
        projection=projection,
        class_="overall",
    )[0]


def study(by_setting: dict[str, list[float]]) -> Study:
    return Study.of(
        "jain_wallace_2019_pairs",
        [
            Number(CELL, {"setting": setting}, str(seed), "accuracy", "overall", value)
            for setting, values in by_setting.items()
            for seed, value in enumerate(values)
        ],
    )


def drawn(rng: np.random.Generator, start: float, slope: float) -> dict[str, list[float]]:
    return {
        setting: [*(start + slope * math.log2(share) + NOISE * rng.normal(size=3))]
        for setting, share in SHARES.items()
    }


def test_the_line_is_that_of_least_squares() -> None:
    values = drawn(np.random.default_rng(0), 0.61, 0.03)
    x = [math.log2(share) for share in SHARES.values() for _ in range(3)]
    line = stats.linregress(x, np.concatenate([*values.values()]))
    found = with_all_texts(study(values), claim(), 0.05)
    assert found is not None
    assert found.mean == pytest.approx(line.intercept + line.slope * FAR)
    # The noise is that between seeds, and not what the line leaves over.
    within = np.sqrt(np.mean([np.var(some, ddof=1) for some in values.values()]))
    off = (FAR - np.mean(x)) ** 2 / np.sum((x - np.mean(x)) ** 2)
    assert found.half == pytest.approx(stats.t.ppf(0.975, 6) * within * math.sqrt(1 + 1 / 9 + off))


def test_intervals_hold_as_often_as_they_say_and_no_slope_is_seen_as_rarely() -> None:
    rng = np.random.default_rng(1)
    inside = seen = 0
    draws = 400
    for _ in range(draws):
        found = with_all_texts(study(drawn(rng, 0.61, 0.1)), claim(), 0.05)
        assert found is not None
        inside += found.has(0.61 + 0.1 * FAR + NOISE * rng.normal())
        seen += with_all_texts(study(drawn(rng, 0.61, 0.0)), claim(), 0.05) is not None
    assert stats.binomtest(inside, draws, 0.95).pvalue > 0.001
    assert stats.binomtest(seen, draws, 0.05).pvalue > 0.001


def test_size_is_a_cause_only_where_fewer_texts_lead_away() -> None:
    rng = np.random.default_rng(2)
    assert claim().mean > 0.7, "the published models are better"
    away = cause_in_study(study(drawn(rng, 0.61, 0.03)), claim())
    assert away is not None
    assert (away.kind, away.before, away.after) == (SIZE, "21,605", "549,367")
    assert cause_in_study(study(drawn(rng, 0.61, -0.03)), claim()) is None


def test_fewer_texts_are_no_swap() -> None:
    """A number that comes out with fewer texts is not explained: the published models had more."""
    values = {BASE: [0.60, 0.61, 0.62], HALF: [0.77, 0.78, 0.79], EIGHTH: [0.77, 0.78, 0.79]}
    assert cause_in_study(study(values), claim()) is None


def test_models_of_as_many_texts_take_the_place_of_the_line() -> None:
    parts = drawn(np.random.default_rng(3), 0.61, 0.03)
    assert tried_in_study(study(parts), claim()) == [LINE]
    near = cause_in_study(study(parts | {AS_MANY: [0.77, 0.78, 0.79]}), claim())
    assert near is not None
    assert (near.kind, near.after, near.tried) == (EXPLAINS, AS_MANY, 1)
    # The line would lead to the number, but models with as many texts do not.
    still = study(parts | {AS_MANY: [*parts[BASE]]})
    assert cause_in_study(still, claim()) is None
    assert tried_in_study(still, claim()) == [AS_MANY]
    both = study(parts | {"GloVe's vectors": [0.61, 0.62, 0.63]})
    assert tried_in_study(both, claim()) == ["GloVe's vectors", LINE], "any other swap stands beside it"


def test_halving_is_the_difference_of_means_with_its_interval() -> None:
    values = drawn(np.random.default_rng(4), 0.61, 0.03)
    found = halved(study(values), claim())
    assert found is not None
    theirs = stats.ttest_ind(values[HALF], values[BASE]).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
    assert halved(study({BASE: values[BASE], EIGHTH: values[EIGHTH]}), claim()) is None


def test_swaps_that_another_study_made_of_the_same_model_count() -> None:
    base = study({BASE: [0.60, 0.61, 0.62]})
    other = study({BASE: [0.60, 0.61, 0.62], "GloVe's vectors": [0.77, 0.78, 0.79]})
    assert cause_in_study(base, claim()) is None
    found = cause_in_study(base, claim(), further=[other])
    assert found is not None
    assert found.after == "GloVe's vectors"


def test_babi_says_nothing_of_how_others_vary() -> None:
    values = {BASE: [0.60, 0.61, 0.62]}
    alone = study(values).prediction(claim())
    noisy = [
        Number(("babi_2", *CELL[1:]), {}, str(seed), "accuracy", "overall", value)
        for seed, value in enumerate([0.2, 0.9, 0.2])
    ]
    assert study(values).with_further(noisy).prediction(claim()) == alone
