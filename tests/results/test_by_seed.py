"""What follows from two numbers of the same models, against what is computed text by text."""

import numpy as np
import pytest
import torch
from results.by_seed import Seeds, built_in, ceiling, chance, mean_of, mean_of_all
from results.markdown import number
from scipy.stats import t as student

from attex.agreement import calibrate
from attex.agreement.calibration import Calibration

TEXTS, WORDS, WEIGHTS = 400, 20, 4


def compared(statistic: str, **options: int) -> Calibration:
    """Compare sparse weights with scores that go along with them."""
    generator = torch.Generator().manual_seed(0)
    noise, scores = torch.rand(2, TEXTS, WORDS, dtype=torch.float64, generator=generator)
    keys = noise + scores
    kept = keys >= keys.topk(WEIGHTS, dim=1).values[:, -1:]
    mask = torch.ones(TEXTS, WORDS, dtype=torch.bool)
    return calibrate(statistic, keys * kept, scores, mask, draws=99, **options)


def seeds(*values: float) -> Seeds:
    return Seeds(values)


@pytest.mark.parametrize("statistic", ["top_k_published", "top_k"])
def test_chance_is_what_shuffled_scores_give(statistic: str) -> None:
    found = compared(statistic, k=WEIGHTS)
    mean = float(found.observed.mean())
    by_chance = chance(seeds(mean, mean), seeds(found.calibrated, found.calibrated))
    assert by_chance.values == pytest.approx([float(found.null.mean())] * 2, abs=1e-9)


def test_the_ceiling_of_tau_is_that_of_sorted_scores() -> None:
    found = compared("kendall_tau")
    most = ceiling(seeds(float(found.observed.mean())), seeds(found.calibrated))
    assert most.mean == pytest.approx(float(found.ceiling.mean()), abs=1e-9)
    assert most.mean < 0.8


def test_what_is_built_in_is_what_permuted_attention_has_above_chance() -> None:
    value, permuted, null = np.random.default_rng(0).random((3, TEXTS))
    room = 1.5 - null
    calibrated, beyond = ((value - less).sum() / room.sum() for less in (null, permuted))
    share = built_in(seeds(calibrated), seeds(beyond))
    assert share.mean == pytest.approx((permuted - null).sum() / (value - null).sum())


def test_differences_are_taken_seed_by_seed() -> None:
    assert (seeds(0.5, 0.75) - seeds(0.25, 0.25)).values == (0.25, 0.5)
    assert not seeds() - seeds(0.5)
    assert str(seeds()) == "–"
    with pytest.raises(ValueError, match="shorter"):
        _ = seeds(0.5, 0.75) - seeds(0.25)


def test_what_rounds_to_0_has_no_sign() -> None:
    assert [number(value) for value in (-0.0004, -0.0006, float("nan"))] == ["0.000", "−0.001", "–"]


def test_the_interval_of_a_mean_of_one_cell_is_students() -> None:
    some = seeds(0.81, 0.84, 0.79, 0.83)
    found = mean_of(some, [[some]])
    scale = np.std(some.values, ddof=1) / 2
    assert (found.low, found.high) == pytest.approx(student.interval(0.95, 3, some.mean, scale))
    assert str(found) == f"{number(found.mean)} [{number(found.low)}, {number(found.high)}]"
    assert (mean_of(some, [[some]], (0.8, 0.82)).low, mean_of(some, [[some]], (0, 0.82)).high) == (
        0.8,
        0.82,
    )


def test_a_mean_without_seeds_or_without_a_spread_has_no_interval() -> None:
    assert str(mean_of(seeds(), [[seeds(0.1, 0.2)]])) == "–"
    assert str(mean_of(seeds(0.5), [[seeds(0.5)]])) == "0.500"
    assert not mean_of(seeds(), [])
    assert str(mean_of(seeds(0.5), [[seeds(0.1, 0.2)]])) != "0.500", "others say how far seeds differ"


def test_intervals_of_means_have_the_mean_19_times_of_20_whatever_the_seeds_of_other_cells() -> None:
    rng = np.random.default_rng(0)
    counts, times = (3, 2, 8), 2000
    one, every = 0, 0
    for _ in range(times):
        cells = [seeds(*rng.normal(at, 0.1, count)) for at, count in enumerate(counts)]
        one += mean_of(cells[0], [[cell] for cell in cells]).has(0.0)
        alike = [seeds(*rng.normal(0.4, 0.1, count)) for count in counts]
        every += mean_of_all(alike).has(0.4)
    # Three standard deviations of a share of 2,000.
    assert one / times == pytest.approx(0.95, abs=0.015)
    assert every / times == pytest.approx(0.95, abs=0.015)
