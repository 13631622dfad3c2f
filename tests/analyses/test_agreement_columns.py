"""Every column of the agreement table against values worked out text by text."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy.stats import false_discovery_control
from toy_evidence import LENGTHS, analysed, evidence, specs

from attex.agreement import calibrate, kendall_tau, top_k
from attex.agreement.calibration import Calibration
from attex.agreement.statistic import STATISTICS
from attex.analyses.agreement import AgreementAnalysis
from attex.analyses.analysis import Evidence
from attex.models.encoder import ENCODERS

TOP = STATISTICS.spec({"type": "top_k", "k": 2})


def calibrations(given: Evidence, pair: tuple[str, str], name: str, **options: Any) -> list[Calibration]:
    """Calibrate text by text, seed after seed."""
    starts = given.texts.starts.tolist()
    found = []
    for seed in given.seeds:
        for i, (start, end) in enumerate(pairwise(starts)):
            a, b = (seed.scores[m][start:end][None] for m in pair)
            whole = torch.ones_like(a, dtype=torch.bool)
            ids = given.texts.ids[i : i + 1]
            found.append(calibrate(name, a, b, whole, ids=ids, **options))
    return found


def row(table: pl.DataFrame, pair: tuple[str, str], **where: str) -> dict[str, Any]:
    where = {"measure_a": pair[0], "measure_b": pair[1], "seed": "all", "class": "overall"} | where
    kept = table
    for key, value in where.items():
        kept = kept.filter(kept[key] == value) if key in kept.columns else kept
    assert len(kept) == 1
    return kept.to_dicts()[0]


@pytest.mark.parametrize("pair", [("attention", "gradient"), ("gradient", "leave_one_out")])
def test_chance_ceiling_and_what_is_left_of_it(pair: tuple[str, str]) -> None:
    given = evidence()
    table = analysed(AgreementAnalysis(statistics=(TOP,)), given).tables["tables/agreement"]
    found = calibrations(given, pair, "top_k", k=2)
    defined = [c for c in found if not c.observed.isnan()]
    shown = row(table, pair)

    def mean(field: str) -> float:
        return float(np.mean([float(getattr(c, field)) for c in defined]))

    assert shown["undefined"] == len(found) - len(defined)
    assert shown["mean"] == pytest.approx(mean("observed"))
    assert shown["null"] == pytest.approx(mean("null"))
    assert shown["null_std"] == pytest.approx(mean("null_std"))
    assert shown["ceiling"] == pytest.approx(mean("ceiling"))
    gained = sum(float(c.observed - c.null) for c in defined)
    room = sum(float(c.ceiling - c.null) for c in defined)
    assert shown["calibrated"] == pytest.approx(gained / room)
    assert shown["calibrated_low"] <= shown["calibrated"] <= shown["calibrated_high"]
    assert shown["uncalibrated"] == sum(c.uncalibrated for c in found)
    p = np.array([float(c.two_sided) for c in defined])
    above = np.array([float(c.p_value) < float(c.p_below) for c in defined])
    assert shown["significant"] == pytest.approx((p <= 0.05).sum() / len(found))
    assert shown["positive"] == pytest.approx(((p <= 0.05) & above).sum() / len(found))
    assert shown["negative"] == pytest.approx(((p <= 0.05) & ~above).sum() / len(found))
    assert shown["significant_bh"] == pytest.approx(
        (false_discovery_control(p) <= 0.05).sum() / len(found)
    )


def test_a_statistic_with_a_test_is_judged_by_it() -> None:
    given = evidence(seeds=1)
    given.seeds[0].scores["gradient"] = given.seeds[0].scores["attention"] ** 2
    table = analysed(AgreementAnalysis(), given).tables["tables/agreement"]
    found = [
        kendall_tau(
            torch.rand(1, n).sort().values.expand(2, -1),
            torch.arange(n).double().expand(2, -1),
            torch.ones(2, n, dtype=torch.bool),
        )
        for n in LENGTHS
    ]
    expected = np.mean([float(f.p_value[0]) <= 0.05 for f in found])  # type: ignore[index]
    shown = row(table, ("attention", "gradient"), seed="0")
    assert shown["significant"] == shown["positive"] == pytest.approx(expected)
    assert shown["negative"] == 0
    n = np.array([length for length in LENGTHS if length > 1], dtype=float)
    assert shown["null_std"] == pytest.approx(np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))).mean())
    assert shown["calibrated"] == pytest.approx(1.0)


def test_shifted_scores_are_the_second_null() -> None:
    given = evidence(seeds=1)
    table = analysed(AgreementAnalysis(), given).tables["tables/agreement"]
    found = calibrations(given, ("attention", "gradient"), "kendall_tau", null="shift", draws=5)
    means = [float(c.null) for c in found if not c.null.isnan()]
    assert row(table, ("attention", "gradient"), seed="0")["null_shift"] == pytest.approx(np.mean(means))


def test_bins_of_length_hold_all_texts() -> None:
    given = evidence()
    table = analysed(AgreementAnalysis(statistics=(TOP,)), given).tables["tables/agreement_by_length"]
    some = table.filter((table["measure_b"] == "gradient") & (table["seed"] == "all"))
    counts = dict(zip(some["tokens"], some["n"], strict=True))
    assert counts == {
        "1–10": 2 * sum(n <= 10 for n in LENGTHS),
        "11–20": 2 * sum(n > 10 for n in LENGTHS),
    }


def test_differences_are_paired_on_texts() -> None:
    given = evidence()
    table = analysed(AgreementAnalysis(statistics=(TOP,)), given).tables["tables/agreement_differences"]
    values = {
        pair: np.array([float(c.observed) for c in calibrations(given, pair, "top_k", draws=1, k=2)])
        for pair in combinations(given.titles, 2)
    }
    assert len(table) == 3 * 3
    for line in table.filter(table["seed"] == "all").to_dicts():
        first, second = (tuple(line[key].split(" ~ ")) for key in ("pair", "less"))
        gap = values[first] - values[second]  # type: ignore[index]
        assert line["mean"] == pytest.approx(np.nanmean(gap))
        assert line["undefined"] == np.isnan(gap).sum()


def test_support_and_controls() -> None:
    given = evidence()
    controls = {}
    for seed in given.seeds:
        seed.scores["attention"] = seed.scores["leave_one_out"]
        rising = torch.arange(sum(LENGTHS)).double()
        controls[seed.seed] = {
            "untrained": {m: 1 - s for m, s in seed.scores.items()},
            "permuted": dict.fromkeys(seed.scores, rising),
        }
    table = analysed(AgreementAnalysis(statistics=(TOP,)), given, controls).tables["tables/agreement"]
    shown = row(table, ("attention", "gradient"))
    counts = [int((s.scores["attention"] != 0).sum()) for s in given.seeds]
    assert shown["mean_support"] == pytest.approx(sum(counts) / (2 * len(LENGTHS)))
    assert shown["permuted"] == 1.0
    values = []
    for seed in given.seeds:
        for start, end in pairwise(given.texts.starts.tolist()):
            a, b = (1 - seed.scores[m][start:end][None] for m in ("attention", "gradient"))
            values.append(float(top_k(a, b, torch.ones_like(a, dtype=torch.bool), k=2).value))
    assert shown["untrained"] == pytest.approx(np.nanmean(values))


@pytest.mark.parametrize(
    ("controls", "measures", "encoder", "asked"),
    [
        ("where_built_in", ["attention", "gradient"], "lstm", False),
        ("where_built_in", ["attention", "gradient"], "average", True),
        ("where_built_in", ["attention", "gradient_norm[hidden]"], "lstm", True),
        ("never", ["attention", "gradient_norm[hidden]"], "average", False),
        ("always", ["attention", "gradient"], "lstm", True),
    ],
)
def test_controls_run_where_agreement_is_built_in(
    controls: Any, measures: list[str], encoder: str, asked: bool
) -> None:
    kind: Any = ENCODERS[encoder].target
    assert bool(AgreementAnalysis(controls=controls).requires(specs(*measures), kind)) == asked


def test_figures_show_chance_and_ceiling() -> None:
    charts = analysed(AgreementAnalysis(statistics=(TOP,)), evidence()).charts
    assert next(iter(charts)) == "top_k_k=2"
    assert "differences_top_k_k=2" in charts
    for drawn in (str(chart) for name, chart in charts.items() if "differences" not in name):
        assert "chance (shuffled)" in drawn
        assert "ceiling of" in drawn


def test_of_many_measures_a_matrix_has_all_pairs_and_charts_have_the_first_ones() -> None:
    given = evidence(further=("random", "occlusion"))
    found = analysed(AgreementAnalysis(), given)
    rows = found.tables["tables/agreement"]
    charts = found.charts
    assert next(iter(charts)) == "matrix_kendall_tau"
    drawn = str(charts["matrix_kendall_tau"])
    for pair in combinations(("attention", "gradient", "leave_one_out", "random", "occlusion"), 2):
        told = row(rows, pair)
        square = {"row": pair[0], "column": pair[1]}
        written = f"{told['mean'] - told['null']:.2f}".replace("-", "−").replace("0.", ".", 1)
        assert str(square)[:-1] + f", 'written': '{written}'" in drawn
        assert f"correlation/{'_'.join(pair)}_kendall_tau" in found.tables
        assert (f"{'_'.join(pair)}_kendall_tau" in charts) == ("attention" in pair)
    differences = found.tables["tables/agreement_differences"]
    assert len(differences.filter(pl.col("seed") == "all")) == 6, "pairs of the four with attention"
    assert "matrix_kendall_tau" not in analysed(AgreementAnalysis(), evidence()).charts
