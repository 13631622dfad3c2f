"""The tables of analyses against values worked out text by text."""

import json
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
import vl_convert
from scipy.stats import kendalltau
from toy_evidence import ABOUT, LENGTHS, analysed, evidence, specs

from attex.agreement.statistic import STATISTICS
from attex.analyses.agreement import AgreementAnalysis
from attex.analyses.performance import PerformanceAnalysis
from attex.analyses.truth import TruthAnalysis
from attex.charts.density import density_rows
from attex.foundations.errors import UserError


@pytest.mark.parametrize("left_out", [0, 1])
def test_agreement_rows_are_scipys_values_summarised(left_out: int) -> None:
    given = evidence()
    analysis = AgreementAnalysis(drop_ends=bool(left_out))
    table = analysed(analysis, given).tables["tables/agreement"]
    starts = given.texts.starts.tolist()
    values: dict[str, list[float]] = {"0": [], "1": []}
    for seed in given.seeds:
        for i in range(len(LENGTHS)):
            part = slice(starts[i] + left_out, starts[i + 1] - left_out)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                a, b = seed.scores["attention"][part], seed.scores["leave_one_out"][part]
                values[str(seed.seed)].append(float(kendalltau(a, b).statistic))
    values["all"] = values["0"] + values["1"]
    for name, found in values.items():
        row = table.filter(
            (table["measure_a"] == "attention")
            & (table["measure_b"] == "leave_one_out")
            & (table["seed"] == name)
            & (table["class"] == "overall")
        ).to_dicts()[0]
        assert row["n"] == len(found)
        assert row["undefined"] == int(np.isnan(found).sum())
        assert row["mean"] == pytest.approx(np.nanmean(found))
        assert row["std"] == pytest.approx(np.nanstd(found))
        assert row["low"] <= row["mean"] <= row["high"]


def test_agreement_has_a_row_for_each_pair_seed_and_class() -> None:
    result = analysed(AgreementAnalysis(), evidence())
    table = result.tables["tables/agreement"]
    assert len(table) == 3 * 3 * 3
    assert table.columns[:2] == list(ABOUT)
    classes = table.filter((table["class"] != "overall") & (table["seed"] == "0"))
    overall = table.filter((table["class"] == "overall") & (table["seed"] == "0"))
    assert classes["n"].sum() == overall["n"].sum()


def test_correlation_files_begin_with_the_columns_of_the_original_repository() -> None:
    table = analysed(AgreementAnalysis(), evidence()).tables[
        "correlation/attention_gradient_kendall_tau"
    ]
    assert table.columns[:4] == ["class", "pval_sig", "mean", "std"]
    assert table["class"].to_list() == ["no", "yes", "all_classes"]


def test_what_is_undefined_everywhere_is_counted_and_not_drawn() -> None:
    given = evidence()
    for seed in given.seeds:
        seed.scores["attention"] = torch.ones_like(seed.scores["attention"])
    result = analysed(AgreementAnalysis(), given)
    table = result.tables["tables/agreement"]
    alike = table.filter(table["measure_a"] == "attention")
    assert (alike["n"] == alike["undefined"]).all()
    assert [*result.charts] == ["kendall_tau", "gradient_leave_one_out_kendall_tau"]
    drawn = str(result.charts["kendall_tau"])
    assert "gradient ~ leave_one_out" in drawn
    assert "attention" not in drawn
    for chart in result.charts.values():
        assert vl_convert.vegalite_to_png(json.dumps(chart))


def test_agreement_needs_two_measures() -> None:
    with pytest.raises(UserError, match="two measures"):
        AgreementAnalysis().check(evidence().corpus, specs("attention"))


def test_truth_needs_a_measure() -> None:
    with pytest.raises(UserError, match="a measure under importance"):
        TruthAnalysis().check(evidence().corpus, [])


def test_truth_counts_texts_without_a_true_token_as_undefined() -> None:
    given = evidence(seeds=1)
    assert given.texts.truth is not None
    starts = given.texts.starts.tolist()
    empty = sum(not given.texts.truth[a:b].any() for a, b in pairwise(starts))
    assert empty > 0
    table = TruthAnalysis()(given).tables["tables/truth"]
    assert set(table["undefined"]) == {empty}
    assert set(table["n"]) == {len(LENGTHS)}


def test_a_perfect_measure_scores_one() -> None:
    given = evidence(seeds=1)
    assert given.texts.truth is not None
    given.seeds[0].scores["attention"] = given.texts.truth.double()
    table = TruthAnalysis()(given).tables["tables/truth"]
    assert table.filter(table["measure"] == "attention")["mean"].to_list() == [1.0, 1.0]


def test_performance_is_the_share_of_right_predictions() -> None:
    given = evidence()
    rows = PerformanceAnalysis()(given).tables["tables/performance"].to_dicts()
    right = [np.mean(seed.predicted == given.texts.labels.numpy()) for seed in given.seeds]
    assert [row["accuracy"] for row in rows] == pytest.approx([*right, np.mean(right)])


def test_densities_integrate_to_one_and_leave_undefined_values_out() -> None:
    values = np.append(np.random.default_rng(0).uniform(-1, 1, 500), np.nan)
    for sample in (values, np.full(10, 1.0), np.array([0.3])):
        points = density_rows("x", sample)
        step = points[1]["value"] - points[0]["value"]
        heights = [point["density"] for point in points]
        area = step * (sum(heights) - (heights[0] + heights[-1]) / 2)
        assert area == pytest.approx(1.0, abs=0.02)
    assert density_rows("x", np.array([np.nan])) == []


@pytest.mark.parametrize("k", [3, {"fraction": 0.5}, "average_length", "non_zero"], ids=str)
def test_every_rule_for_k_gives_one_k_per_text(k: object) -> None:
    given = evidence(seeds=1)
    sparse = given.seeds[0].scores["attention"] = given.seeds[0].scores["leave_one_out"]
    spec = STATISTICS.spec({"type": "top_k", "k": k})
    table = analysed(AgreementAnalysis(statistics=(spec,)), given).tables["tables/agreement"]
    row = table.filter((table["class"] == "overall") & (table["measure_b"] == "gradient"))
    starts, lengths = given.texts.starts.tolist(), np.array(LENGTHS)
    support = np.array([int((sparse[a:b] > 0).sum()) for a, b in pairwise(starts)])
    wanted = {
        "3": np.minimum(3, lengths),
        "average_length": np.minimum(int(lengths.mean()), lengths),
        "non_zero": support,
    }.get(str(k), np.ceil(lengths / 2))
    # Against an untied measure the zeros end the list where there are several of them.
    effective = np.minimum(wanted, np.where(lengths - support > 1, support, lengths))
    defined = (effective > 0) & (lengths > 1)
    assert row["mean_k"][0] == pytest.approx(effective[defined].mean())
    assert row["undefined"][0] == (~defined).sum()


def test_classes_that_no_text_has_and_no_model_decides_for_have_no_rows() -> None:
    given = evidence(seeds=2)
    names = ["never", "no", "hardly", "yes", "nowhere"]
    texts = replace(given.texts, labels=given.texts.labels * 2 + 1)
    corpus = replace(given.corpus, classes=names, splits={"test": texts})
    seeds = [replace(seed, predicted=seed.predicted * 2 + 1) for seed in given.seeds]
    seeds[1].predicted[0] = 2
    wide = replace(given, corpus=corpus, seeds=tuple(seeds))
    assert wide.classes == ["no", "hardly", "yes"]
    assert np.array(wide.classes)[wide.decided].tolist() == np.array(names)[wide.predicted].tolist()
    table = analysed(AgreementAnalysis(), wide).tables["tables/agreement"]
    assert set(table["class"]) == {"no", "hardly", "yes", "overall"}
