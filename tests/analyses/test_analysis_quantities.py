"""Quantities: the numbers of the tables, known by name before training, with draws that bound them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from every_analysis import EVERY, SEEDS, examined, led_through
from toys import make_model

from attex.agreement.intervals import ratio_draws
from attex.analyses.analysis import ANALYSES, Evidence
from attex.analyses.quantity import OVERALL, Quantity, binned_medians, by_class, drawn, mean, ratio

CLASSES = ["no", "yes"]


def of_seed(name: str, seed: int, classes: int = 2) -> dict[tuple[str, str], Quantity]:
    prepared = examined(name, classes)
    assert prepared is not None
    analysis, evidence = prepared
    alone = replace(evidence, seeds=(evidence.seeds[seed],))
    found = [*analysis.quantities(alone)]
    keys = [(one.name, one.class_) for one in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def offered(name: str, evidence: Evidence) -> set[str]:
    prepared = examined(name)
    assert prepared is not None
    return set(prepared[0].offers(evidence.measures, type(make_model().encoder)))


@pytest.mark.parametrize("name", EVERY)
def test_what_is_offered_before_training_is_there_after_it(name: str) -> None:
    prepared = examined(name)
    assert prepared is not None
    there = {name for name, class_ in of_seed(name, 0) if class_ == OVERALL}
    assert offered(name, prepared[1]) <= there
    bounded = {key[0] for key, one in of_seed(name, 0).items() if one.above is not None}
    # What is not offered is a median in a bin that may be empty, or hangs on the decoder.
    assert all(
        "median" in other or "exact" in other or "erased" in other
        for other in bounded - offered(name, prepared[1])
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_they_are_the_numbers_of_the_tables(seed: int, classes: int) -> None:
    def row(analysis: str, **where: object) -> dict[str, object]:
        result = led_through(analysis, classes)
        assert result is not None
        rows = result.tables[f"tables/{analysis}"].to_dicts()
        (found,) = [r for r in rows if r["seed"] == str(seed) and where.items() <= r.items()]
        return found

    agreement, labels = of_seed("agreement", seed, classes), ["no", "yes", "maybe"][:classes]
    pair = {"measure_a": "attention", "measure_b": "gradient"}
    for label in (OVERALL, *labels):
        name = "kendall_tau(attention, gradient)"
        expected = row("agreement", **pair, **{"class": label})
        assert agreement[name, label].value == pytest.approx(expected["mean"], nan_ok=True)
    overall = row("agreement", **pair, **{"class": OVERALL})
    for ending in ("calibrated", "permuted", "untrained", "null", "ceiling"):
        name = f"kendall_tau(attention, gradient) {ending}"
        assert agreement[name, OVERALL].value == pytest.approx(overall[ending])
    truth = of_seed("truth", seed, classes)
    expected = row("truth", measure="gradient", score="auprc")
    assert truth["auprc(gradient)", OVERALL].value == pytest.approx(expected["mean"])
    assert truth["auprc(chance)", OVERALL].value == pytest.approx(expected["chance"])
    measures, expected = of_seed("measures", seed, classes), row("measures", measure="gradient")
    assert measures["zeros(gradient)", OVERALL].value == pytest.approx(expected["zeros"])
    permutation = of_seed("permutation", seed, classes)
    expected = row("permutation", **{"class": "yes", "highest_weight": "0.25–0.5"})
    median = permutation["median_output_change[0.25-0.5] median", "yes"].value
    assert median == pytest.approx(expected["q50"], nan_ok=True)
    faithfulness = of_seed("faithfulness", seed, classes)
    area = row("faithfulness", measure="attention", quantity="comprehensiveness", fraction="area")
    assert faithfulness["comprehensiveness(attention)", OVERALL].value == pytest.approx(area["mean"])
    dispersion = of_seed("dispersion", seed, classes)
    for of, name in (("own token's share", "own_share"), ("attention", "entropy(attention)")):
        assert dispersion[name, OVERALL].value == pytest.approx(row("dispersion", of=of)["mean"])
    performance, scores = of_seed("performance", seed, classes), row("performance")
    for column, name in (("accuracy", "accuracy"), ("f1", "f1_macro"), ("roc_auc", "roc_auc")):
        assert performance[name, OVERALL].value == pytest.approx(scores[column], nan_ok=True)
    per_class = [performance["f1", label].value for label in labels]
    assert np.mean(per_class) == pytest.approx(scores["f1"])


def test_bounds_are_numbers_only_where_they_are_asked_for() -> None:
    for name, bound in (("agreement", " ceiling"), ("truth", "(chance)")):
        prepared = examined(name)
        assert prepared is not None
        evidence = replace(prepared[1], seeds=prepared[1].seeds[:1])
        plain = ANALYSES.bind(ANALYSES.spec(name))
        assert "bounds" not in ANALYSES.spec(name).settings()
        assert not [one for one in plain.quantities(evidence) if one.name.endswith(bound)]
        assert [one for one in prepared[0].quantities(evidence) if one.name.endswith(bound)]


def test_draws_are_paired_and_those_of_the_tables_intervals() -> None:
    rng = np.random.default_rng(0)
    above, below = rng.normal(size=(2, 40)), rng.random((2, 40))
    several = drawn([ratio("a", above[0], below[0]), ratio("b", above[1], below[1])], 50)
    for row, a, b in zip(several, above, below, strict=True):
        np.testing.assert_allclose(row, ratio_draws(a[None], b[None], 50))


def test_undefined_texts_do_not_count() -> None:
    values = np.array([1.0, np.nan, 3.0, np.nan])
    assert mean("m", values).value == 2.0
    assert mean("m", values, np.array([True, True, False, False])).value == 1.0
    assert np.isnan(mean("m", values, np.array([False, True, False, True])).value)
    assert np.isnan(drawn([mean("m", np.full(4, np.nan))], 3)).all()
    predicted = np.array([0, 0, 1, 1])
    assert [q.value for q in by_class("m", values, predicted, CLASSES)] == [2.0, 1.0, 3.0]


def test_medians_by_bin_are_numpys() -> None:
    rng = np.random.default_rng(1)
    values, highest, predicted = rng.random(200), rng.random(200), rng.integers(0, 2, 200)
    found = {
        (q.name, q.class_): q.value for q in binned_medians("v", values, highest, predicted, CLASSES)
    }
    for low in (0.0, 0.25, 0.5, 0.75):
        inside = (highest >= low) & (highest < low + 0.25)
        name = f"v[{low:g}-{low + 0.25:g}] median"
        assert found[name, OVERALL] == np.median(values[inside])
        assert found[name, "yes"] == np.median(values[inside & (predicted == 1)])


@pytest.mark.parametrize("name", EVERY)
def test_a_class_that_no_text_has_has_no_numbers(name: str) -> None:
    prepared = examined(name, 3)
    if prepared is None:
        pytest.skip("of two classes only")
    analysis, evidence = prepared
    alone = replace(evidence, seeds=evidence.seeds[:1])
    if name == "performance":
        # Its scores are of the logits, one for each class.
        seed = alone.seeds[0]
        wide = torch.cat([seed.logits, torch.full((len(seed.logits), 2), -30.0)], dim=1)
        alone = replace(alone, seeds=(replace(seed, logits=wide),))
    classes = [*evidence.corpus.classes, "never", "nowhere"]
    more = replace(alone, corpus=replace(evidence.corpus, classes=classes))
    found = {(one.name, one.class_) for one in analysis.quantities(more)}
    assert found == {*of_seed(name, 0, 3)}
