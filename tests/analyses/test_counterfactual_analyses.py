"""Permutation and adversarial analyses against the functions they are made of, text by text."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from toy_evidence import LENGTHS, evidence
from toys import make_model

from attex.analyses.adversarial import AdversarialAnalysis
from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Result, Subject
from attex.analyses.permutation import PermutationAnalysis
from attex.analyses.readings import readings
from attex.charts.violins import bin_of
from attex.counterfactual import adversarial_exact, adversarial_search, permute
from attex.data.batch import Batcher


def subject_of(given: Evidence, seed: int, classes: int = 2) -> Subject:
    model = make_model(classes=classes, seed=seed)
    scores = given.seeds[0].scores
    return Subject(given.corpus, torch.device("cpu"), given.measures, scores, {}, lambda: model)


def analysed(analysis: Analysis, given: Evidence, classes: int = 2) -> Result:
    seeds = tuple(
        replace(s, scores={}, findings=analysis.examine(subject_of(given, s.seed, classes)))
        for s in given.seeds
    )
    return analysis(replace(given, seeds=seeds))


def test_a_reading_holds_all_that_the_output_depends_on() -> None:
    given = evidence()
    subject = subject_of(given, 0)
    model, texts = subject.load(), Batcher(given.corpus, "test")
    seen = []
    for part in readings(subject):
        with torch.no_grad():
            trace = model(texts.batch(part.texts))
        torch.testing.assert_close(
            part.readout.decode(part.attention), trace.logits.double(), atol=1e-6, rtol=0
        )
        assert part.mask.sum(dim=1).tolist() == [LENGTHS[i] for i in part.texts]
        assert (part.attention[~part.mask] == 0).all()
        flat = torch.arange(sum(LENGTHS)).double()
        starts = given.texts.starts[torch.from_numpy(part.texts)]
        assert part.beside(flat, subject)[:, 0].tolist() == starts.tolist()
        seen += part.texts.tolist()
    assert sorted(seen) == list(range(len(LENGTHS)))


@pytest.mark.parametrize("draws", [20, 7])
def test_permutation_rows_are_medians_by_bin_and_class(draws: int) -> None:
    given = evidence()
    result = analysed(PermutationAnalysis(draws=draws), given)
    table = result.tables["tables/permutation"]
    medians, highest = np.full(len(LENGTHS), np.nan), np.full(len(LENGTHS), np.nan)
    for part in readings(subject_of(given, 0)):
        change = permute(part.readout, part.attention, part.mask, draws=draws, ids=part.ids)
        medians[part.texts] = np.median(change.numpy(), axis=1)
        highest[part.texts] = part.attention.amax(dim=1)
    some = table.filter((table["seed"] == "0") & (table["class"] == "overall")).to_dicts()
    for number, row in enumerate(some[:-1]):
        inside = medians[bin_of(highest) == number]
        assert row["n"] == len(inside)
        if len(inside):
            assert row["mean"] == pytest.approx(inside.mean(), rel=1e-12)
            assert row["q50"] == pytest.approx(np.median(inside), rel=1e-12)
    assert some[-1]["highest_weight"] == "any"
    assert some[-1]["mean"] == pytest.approx(medians.mean())
    assert sum(row["n"] for row in some[:-1]) == some[-1]["n"] == len(LENGTHS)
    assert "permutation" in result.charts


def test_adversarial_rows_are_the_exact_maximum_and_the_search_below_it() -> None:
    given = evidence()
    result = analysed(AdversarialAnalysis(epsilon=(0.01, 0.1), steps=60), given)
    table = result.tables["tables/adversarial"]
    exact = np.full(len(LENGTHS), np.nan)
    for part in readings(subject_of(given, 1)):
        bias = float(subject_of(given, 1).load().decoder.output.bias.detach())  # type: ignore[union-attr, arg-type]
        jsd, _ = adversarial_exact(part.readout.values[..., 0], part.attention, part.mask, bias, 0.1)
        exact[part.texts] = jsd
    row = table.filter((table["seed"] == "1") & (table["method"] == "exact") & (table["epsilon"] == 0.1))
    assert row["mean"][0] == pytest.approx(exact.mean())
    methods = {(r["method"], r["epsilon"]): r for r in table.filter(table["seed"] == "all").to_dicts()}
    assert set(methods) == {("exact", 0.01), ("exact", 0.1), ("search", 0.01)}
    assert (
        methods["search", 0.01]["mean"]
        <= methods["exact", 0.01]["mean"]
        <= methods["exact", 0.1]["mean"]
    )
    assert methods["search", 0.01]["reached"] == pytest.approx(
        methods["search", 0.01]["mean"] / methods["exact", 0.01]["mean"]
    )
    assert 0 <= methods["search", 0.01]["within_1_percent"] <= 1
    assert methods["exact", 0.1]["ratio"] <= 1 + 1e-9
    assert [line.ceiling for line in result.headline] == [1.0, 1.0]


def test_several_classes_have_the_search_only() -> None:
    result = analysed(AdversarialAnalysis(steps=10), evidence(), classes=3)
    table = result.tables["tables/adversarial"]
    assert set(table["method"]) == {"search"}
    assert table["ratio"].is_nan().all()
    assert result.headline == []


def test_one_epsilon_needs_no_list() -> None:
    analysis = ANALYSES.bind(ANALYSES.spec({"type": "adversarial", "epsilon": 0.02, "steps": 5}))
    table = analysed(analysis, evidence(seeds=1)).tables["tables/adversarial"]
    assert set(table["epsilon"]) == {0.02}


RELEASED = {"cross": "released", "distance": "l1", "accept": 0.05, "keep": "last"}
"""What the released code does otherwise than the paper says."""


@pytest.mark.parametrize("forgotten", [None, *RELEASED])
def test_as_released_is_the_search_with_every_constant_of_the_released_code(
    forgotten: str | None,
) -> None:
    analysis = AdversarialAnalysis(epsilon=(0.02,), steps=80, as_released=True)
    model = make_model("average", classes=3, spread=4.0)
    # An output that the words decide, and not the bias: else no bound would be felt.
    torch.nn.init.zeros_(model.decoder.output.bias)  # type: ignore[union-attr, arg-type]
    subject = replace(subject_of(evidence(seeds=1), 0), load=lambda: model)
    found = analysis.examine(subject)["search|0.02"]
    constants: dict[str, Any] = {name: RELEASED[name] for name in RELEASED if name != forgotten}
    expected = torch.full_like(found, torch.nan)
    for part in readings(subject):
        given = (part.readout, part.attention, part.mask)
        jsd, _ = adversarial_search(*given, epsilon=0.02, steps=80, ids=part.ids, **constants)
        expected[part.texts] = jsd
    same = torch.allclose(found, expected, atol=1e-9, equal_nan=True)
    assert same == (forgotten is None)
