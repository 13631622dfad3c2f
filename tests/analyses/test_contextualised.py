"""Dispersion, contextualisation and faithfulness against values worked out text by text."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy.stats import entropy, kendalltau
from toy_evidence import LENGTHS, evidence, specs
from toys import make_batch, make_model

from attex.agreement.statistic import STATISTICS
from attex.analyses.analysis import Analysis, Evidence, Result, Subject
from attex.analyses.contextualisation import ContextualisationAnalysis
from attex.analyses.dispersion import OWN, OWN_FIRST, STATES, DispersionAnalysis
from attex.analyses.faithfulness import RANDOM, FaithfulnessAnalysis, _top
from attex.data.batch import Batch, Batcher
from attex.foundations.divergences import distribution
from attex.foundations.errors import UserError
from attex.importance.influence import influence_on_states
from attex.models.encoder import ENCODERS

MEASURES = ("attention", "gradient_norm", "gradient_norm[hidden]")


def given(seeds: int = 2) -> Evidence:
    """Evidence of made-up models whose scores have the names of real measures."""
    found = evidence(seeds)
    named = tuple(
        replace(seed, scores=dict(zip(MEASURES, seed.scores.values(), strict=True)))
        for seed in found.seeds
    )
    return replace(found, measures=specs(*MEASURES), seeds=named)


def subject_of(known: Evidence, seed: int, encoder: str = "lstm") -> Subject:
    model, fresh = make_model(encoder, seed=seed), make_model(encoder, seed=100 + seed)
    scores = known.seeds[seed].scores
    controls = {v: {m: s.flip(0) for m, s in scores.items()} for v in ("untrained", "permuted")}
    return Subject(
        known.corpus,
        torch.device("cpu"),
        known.measures,
        scores,
        controls,
        lambda: model,
        lambda: fresh,
    )


def analysed(analysis: Analysis, known: Evidence, encoder: str = "lstm") -> Result:
    seeds = tuple(
        replace(s, scores={}, findings=analysis.examine(subject_of(known, s.seed, encoder)))
        for s in known.seeds
    )
    return analysis(replace(known, seeds=seeds))


def only(table: pl.DataFrame, **where: str) -> dict[str, Any]:
    for key, value in where.items():
        table = table.filter(table[key] == value)
    assert len(table) == 1, where
    return table.to_dicts()[0]


def parts(known: Evidence, seed: int, measure: str) -> list[np.ndarray]:
    """The scores of each text."""
    flat = known.seeds[seed].scores[measure].numpy()
    return [flat[start:end] for start, end in pairwise(known.texts.starts.tolist())]


def test_dispersion_of_measures_is_their_normalised_entropy() -> None:
    known = given()
    table = analysed(DispersionAnalysis(), known).tables["tables/dispersion"]
    for measure in MEASURES:
        values = [
            entropy(x) / np.log(len(x)) for x in parts(known, 0, measure) if len(x) > 1 and x.sum() > 0
        ]
        shown = only(table, of=measure, seed="0")
        assert shown["n"] == len(LENGTHS)
        assert shown["undefined"] == len(LENGTHS) - len(values)
        assert shown["mean"] == pytest.approx(np.mean(values))
        assert shown["std"] == pytest.approx(np.std(values))


def test_dispersion_of_scores_alone_is_that_of_measures_and_needs_no_model() -> None:
    known = given(2)
    result = analysed(DispersionAnalysis(on="scores"), known)
    whole = analysed(DispersionAnalysis(), known).tables["tables/dispersion"]
    alone = result.tables["tables/dispersion"]
    same = whole.filter(pl.col("of").is_in(list(known.titles)))
    assert alone["mean"].to_list() == same["mean"].to_list()
    assert set(alone["of"]) == set(known.titles)
    assert "attention" in result.headline[0].question


def test_dispersion_over_states_counts_every_state_of_every_text() -> None:
    known = given(1)
    table = analysed(DispersionAnalysis(), known).tables["tables/dispersion"]
    values, own, first = [], [], []
    for text, length in enumerate(LENGTHS):
        batch = Batcher(known.corpus, "test").batch([text])
        ((_, found),) = influence_on_states(make_model(seed=0), batch)
        counted = found[0][batch.scorable[0]][:, batch.scorable[0]].numpy()
        if length > 1:
            values += [entropy(row) / np.log(length) for row in counted]
            own += counted.diagonal().tolist()
            first += (counted.argmax(axis=1) == np.arange(length)).tolist()
    shown = only(table, of=STATES, seed="0")
    assert shown["n"] == sum(LENGTHS)
    assert shown["undefined"] == LENGTHS.count(1)
    assert shown["mean"] == pytest.approx(np.mean(values))
    assert shown["std"] == pytest.approx(np.std(values))
    assert shown["low"] <= shown["mean"] <= shown["high"]
    assert only(table, of=OWN, seed="0")["mean"] == pytest.approx(np.mean(own))
    assert only(table, of=OWN_FIRST, seed="0")["mean"] == pytest.approx(np.mean(first))


def test_states_of_a_position_wise_encoder_are_not_dispersed() -> None:
    table = analysed(DispersionAnalysis(), given(1), "average").tables["tables/dispersion"]
    shown = only(table, of=STATES, seed="0")
    assert shown["mean"] == shown["untrained"] == 0.0
    assert only(table, of=OWN, seed="0")["mean"] == 1.0


def test_an_untrained_transformer_has_no_dispersion_of_lengths() -> None:
    table = analysed(DispersionAnalysis(), given(1), "transformer").tables["tables/dispersion"]
    shown = only(table, of=STATES, seed="0")
    assert shown["undefined"] == shown["n"]
    assert np.isnan(shown["mean"])
    assert np.isnan(shown["std"])
    dimensions = analysed(DispersionAnalysis(on="dimensions"), given(1), "transformer").tables
    assert 0 < only(dimensions["tables/dispersion"], of=f"{STATES} (dimensions)", seed="0")["mean"] < 1


def test_contextualisation_compares_attention_with_inputs_and_states() -> None:
    known = given()
    result = analysed(ContextualisationAnalysis(), known)
    table, gaps = (result.tables[f"tables/contextualisation{end}"] for end in ("", "_differences"))
    assert set(table["measure_b"]) == set(MEASURES[1:])

    def taus(measure: str, turn: int = 1) -> np.ndarray:
        flat = {m: known.seeds[0].scores[m].numpy()[::turn] for m in ("attention", measure)}
        ends = pairwise(known.texts.starts.tolist())
        pairs = [[flat[m][start:end] for m in ("attention", measure)] for start, end in ends]
        return np.array([kendalltau(*pair)[0] if len(pair[0]) > 1 else np.nan for pair in pairs])

    shown = only(table, measure_b=MEASURES[2], seed="0", **{"class": "overall"})
    own, control = taus(MEASURES[2]), taus(MEASURES[2], turn=-1)
    assert shown["over"] == "hidden states"
    assert shown["mean"] == pytest.approx(np.nanmean(own))
    assert shown["permuted"] == shown["untrained"] == pytest.approx(np.nanmean(control))
    where = {"measure": MEASURES[2], "seed": "0"}
    gap = only(gaps, less="inputs", **where)
    assert gap["mean"] == pytest.approx(np.nanmean(own - taus(MEASURES[1])))
    assert only(gaps, less="permuted", **where)["mean"] == pytest.approx(np.nanmean(own - control))


@pytest.mark.parametrize(
    "measures", [["attention", "gradient"], ["gradient", "gradient_norm[hidden]"], ["attention"]]
)
def test_contextualisation_says_what_it_needs(measures: list[str]) -> None:
    with pytest.raises(UserError, match="a measure of inputs and one of hidden"):
        ContextualisationAnalysis().check(given().corpus, specs(*measures))


def test_contextualisation_always_has_its_controls() -> None:
    encoder = ENCODERS["lstm"].target
    wanted = ContextualisationAnalysis().requires(specs("attention"), encoder)  # type: ignore[arg-type]
    assert wanted == ("untrained", "permuted")


def without(batch: Batch, gone: list[int]) -> Batch:
    """Delete positions one by one, by hand."""
    left = [p for p in range(batch.tokens.shape[1]) if p not in gone]
    cut = {name: v[:, left] if v.dim() == 2 else v for name, v in batch.tensors().items()}
    return Batch(**cut)


@torch.no_grad()
def test_faithfulness_deletes_the_top_tokens_or_leaves_them_alone() -> None:
    known = replace(given(1), measures=specs("attention"))
    subject = subject_of(known, 0)
    found = FaithfulnessAnalysis(fractions=(0.25, 0.99)).examine(
        replace(subject, measures=known.measures)
    )
    model = subject.load()
    for text, length in enumerate(LENGTHS):
        batch = Batcher(known.corpus, "test").batch([text])
        margin = int(known.corpus.markers)
        order = parts(known, 0, "attention")[text].argsort()[::-1][: -(-length // 4)] + margin
        words = range(margin, margin + length)
        whole = distribution(model(batch).logits)[0]
        class_ = whole.argmax()

        def lost(gone: list[int], batch: Batch = batch, whole: Any = whole, c: Any = class_) -> float:
            return float((whole - distribution(model(without(batch, gone)).logits)[0])[c])

        comprehensiveness = found["attention|comprehensiveness|0.25"][text]
        sufficiency = found["attention|sufficiency|0.25"][text]
        if length == 1:
            assert comprehensiveness.isnan()
        else:
            assert comprehensiveness == pytest.approx(lost(order.tolist()), abs=1e-6)
        assert sufficiency == pytest.approx(lost([p for p in words if p not in order]), abs=1e-6)
    assert found["attention|comprehensiveness|0.99"].isnan().all(), "nothing would be left"
    assert found["attention|sufficiency|0.99"].abs().max() < 1e-6


def test_faithfulness_of_random_scores_gains_nothing_over_random() -> None:
    known = given(1)
    result = analysed(FaithfulnessAnalysis(), known)
    table = result.tables["tables/faithfulness"]
    for quantity in ("comprehensiveness", "sufficiency"):
        where = {"quantity": quantity, "fraction": "area", "seed": "0"}
        assert only(table, measure=RANDOM, **where)["gain"] == 0.0
        each = [
            only(table, measure="attention", **where | {"fraction": f"{f:g}"})["mean"]
            for f in (0.01, 0.05, 0.1, 0.2, 0.5)
        ]
        assert only(table, measure="attention", **where)["mean"] == pytest.approx(np.mean(each))


def test_ties_are_broken_by_a_draw_of_the_text() -> None:
    known = given(1)
    subject = subject_of(known, 0)
    flat = torch.zeros_like(subject.scores["attention"])
    found = FaithfulnessAnalysis(fractions=(0.5,)).examine(
        replace(subject, measures=specs("gradient"), scores={"gradient": flat})
    )
    for quantity in ("comprehensiveness", "sufficiency"):
        torch.testing.assert_close(
            found[f"gradient|{quantity}|0.5"], found[f"{RANDOM}|{quantity}|0.5"], equal_nan=True
        )


@pytest.mark.parametrize(("length", "fraction", "top"), [(50, 0.3, 15), (200, 0.15, 30), (25, 0.6, 15)])
def test_a_share_of_the_tokens_is_not_rounded_up_by_arithmetic(
    length: int, fraction: float, top: int
) -> None:
    batch = make_batch([length])
    ranks = torch.arange(length + 2)[None] - 1
    assert _top(ranks, batch, fraction).sum() == top


def test_every_statistic_has_a_chart_of_its_own() -> None:
    statistics = tuple(STATISTICS.spec({"type": "top_k", "k": k}) for k in (1, 3))
    result = analysed(ContextualisationAnalysis(statistics=statistics), given(1))
    assert [*result.charts] == ["contextualisation_top_k_k=1", "contextualisation_top_k_k=3"]
