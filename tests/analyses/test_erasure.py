"""The erasure tables against a loop that decodes attended hidden states text by text."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from torch import Tensor
from toy_evidence import ABOUT, LENGTHS, split
from toys import make_model

from attex.analyses.analysis import Evidence, Result, SeedEvidence, Subject
from attex.analyses.erasure import ErasureAnalysis
from attex.charts.flips import flipped_rows
from attex.counterfactual.erasing import other_token
from attex.data.batch import Batcher
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.registry import Spec
from attex.importance.gradients import gradient
from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel

CPU = torch.device("cpu")
SEEDS = (0, 1, 2)
KINDS = [("softmax", 2), ("sparsemax", 2), ("softmax", 3)]


def toy_model(projection: str, classes: int, seed: int) -> AttentionModel:
    model = make_model("lstm", projection=projection, classes=classes, seed=seed)
    # Without it all tokens of a text tend to speak for the same class, and nothing flips.
    with torch.no_grad():
        model.decoder.output.bias.fill_(0.1)  # type: ignore[union-attr]
    return model


GRADIENT = MEASURES.spec("gradient")


def subject(
    projection: str, classes: int, seed: int, measures: tuple[Spec, ...] = (GRADIENT,)
) -> Subject:
    corpus = Corpus(
        [f"w{i}" for i in range(11)], 11, ["a", "b", "c"][:classes], {"test": split(False)}, {}
    )
    model = toy_model(projection, classes, seed)
    batch = Batcher(corpus, "test").batch(range(len(LENGTHS)))
    scores = gradient(model, batch)
    flat = torch.cat([row[1 : n + 1] for row, n in zip(scores, LENGTHS, strict=True)])
    scores = {measure.title: flat for measure in measures}
    return Subject(corpus, CPU, measures, scores, {}, lambda: model)


@cache
def examined(projection: str, classes: int) -> tuple[dict[str, Tensor], ...]:
    return tuple(ErasureAnalysis().examine(subject(projection, classes, seed)) for seed in SEEDS)


@cache
def analysed(projection: str, classes: int) -> Result:
    corpus = subject(projection, classes, 0).corpus
    unread = torch.zeros(len(LENGTHS), 1)
    # Files give tensors back by name.
    found = [dict(sorted(each.items())) for each in examined(projection, classes)]
    seeds = [
        SeedEvidence(s, unread, unread[:, 0].numpy(), {}, f) for s, f in zip(SEEDS, found, strict=True)
    ]
    return ErasureAnalysis()(Evidence(ABOUT, corpus, (GRADIENT,), tuple(seeds)))


class Text:
    """One text of a toy model, and its output under any attention."""

    @torch.no_grad()
    def __init__(self, given: Subject, number: int) -> None:
        self.model = given.load().double()
        self.batch = Batcher(given.corpus, "test").batch([number])
        self.hidden = self.model.encode(self.model.embed(self.batch), self.batch)
        self.attention = self.model.attend(self.hidden, self.batch)
        self.n = LENGTHS[number]
        self.weights = self.attention[0, 1 : self.n + 1]

    @torch.no_grad()
    def without(self, erased: Sequence[int]) -> Tensor | None:
        attention = self.attention.clone()
        attention[0, [t + 1 for t in erased]] = 0
        total = attention.sum()
        return None if total == 0 else self.model.decode(self.hidden, attention / total, self.batch)[0]

    def decision(self, erased: Sequence[int]) -> int | None:
        logits = self.without(erased)
        return None if logits is None else int(distribution(logits).argmax())

    def first_flip(self, scores: Tensor) -> float:
        order = sorted(range(self.n), key=lambda t: (-float(scores[t]), t))
        for k in range(1, self.n):
            if self.decision(order[:k]) not in (None, self.decision([])):
                return k
        return float("nan")


@pytest.mark.parametrize(("projection", "classes"), KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_findings_are_those_of_a_loop_over_texts(projection: str, classes: int, seed: int) -> None:
    found = examined(projection, classes)[seed]
    given = subject(projection, classes, seed)
    starts = given.texts.starts.tolist()
    for number, (start, end) in enumerate(pairwise(starts)):
        text = Text(given, number)
        slopes = given.scores["gradient"][start:end]
        for order, scores in (
            ("attention", text.weights),
            ("gradient", slopes),
            ("gradient × attention", slopes * text.weights),
        ):
            expected = text.first_flip(scores)
            assert float(found[f"erased|{order}"][number]) == pytest.approx(expected, nan_ok=True)
        if text.n < 2 or int((text.weights > 0).sum()) < 2:
            assert found["js_top"][number].isnan()
            assert found["flip_random"][number].isnan()
            continue
        mask = torch.ones(1, text.n, dtype=torch.bool)
        top = text.weights.argmax()[None]
        other = other_token(top, mask, given.texts.ids[number : number + 1])
        whole = text.without([])
        for name, token in (("top", top), ("random", other)):
            logits = text.without(token.tolist())
            assert whole is not None
            assert logits is not None
            distance = jensenshannon(distribution(whole), distribution(logits)) ** 2
            assert float(found[f"js_{name}"][number]) == pytest.approx(distance, rel=1e-3, abs=1e-9)
            flips = text.decision(token.tolist()) != text.decision([])
            assert bool(found[f"flip_{name}"][number]) == flips
            weight = float(text.weights[token])
            assert float(found[f"weight_{name}"][number]) == pytest.approx(weight, abs=1e-6)


def rows(table: pl.DataFrame, key: str, seed: str = "all") -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in table.filter(table["seed"] == seed).to_dicts()}


@pytest.mark.parametrize(("projection", "classes"), KINDS)
def test_the_table_of_one_token_counts_every_text(projection: str, classes: int) -> None:
    found = examined(projection, classes)
    table = analysed(projection, classes).tables["tables/erasure"]
    assert table.columns[:2] == list(ABOUT)
    for seed, members in [*((str(s), [s]) for s in SEEDS), ("all", [*SEEDS])]:
        shown = rows(table, "quantity", seed)
        tops = torch.cat([found[s]["js_top"] for s in members])
        gaps = tops - torch.cat([found[s]["js_random"] for s in members])
        assert {row["n"] for row in shown.values()} == {len(members) * len(LENGTHS)}
        assert {row["undefined"] for row in shown.values()} == {int(tops.isnan().sum())}
        assert shown["delta_js"]["mean"] == pytest.approx(float(gaps.nanmean()))
        kinds = ("neither_flips", "only_random_flips", "only_top_flips", "both_flip")
        assert sum(shown[kind]["mean"] for kind in kinds) == pytest.approx(1.0)
        for name in ("top", "random"):
            share = shown[f"only_{name}_flips"]["mean"] + shown["both_flip"]["mean"]
            assert shown[f"flip_{name}"]["mean"] == pytest.approx(share)


@pytest.mark.parametrize(("projection", "classes"), KINDS)
def test_the_table_of_prefixes_compares_orders_on_the_same_texts(projection: str, classes: int) -> None:
    found = examined(projection, classes)
    table = analysed(projection, classes).tables["tables/erasure_prefix"]
    shown = rows(table, "order")
    counts = {o: torch.stack([f[f"erased|{o}"] for f in found]).numpy() for o in shown}
    measured = [
        "gradient",
        "gradient × attention",
        "random",
        *(["smallest set"] if classes == 2 else []),
    ]
    assert list(shown) == ["attention", "slope", "slope × attention", *measured]
    flippable = ~np.isnan(np.stack([*counts.values()])).all(axis=0)
    assert 0 < flippable.sum() < flippable.size
    for order, row in shown.items():
        shares = counts[order] / np.array(LENGTHS)
        # An order may flip no text at all: then its means are undefined here as there.
        assert row["undefined"] == np.isnan(shares).sum()
        assert row["flippable"] == flippable.sum()
        assert row["mean"] == pytest.approx(np.nanmean(shares), nan_ok=True)
        assert row["median"] == pytest.approx(np.nanmedian(shares), nan_ok=True)
        assert row["mean_tokens"] == pytest.approx(np.nanmean(counts[order]), nan_ok=True)
        assert row["erased"] == pytest.approx(np.nan_to_num(shares, nan=1.0)[flippable].mean())
        assert row["erased_low"] <= row["erased"] <= row["erased_high"]
        if classes == 2:
            assert row["erased"] >= shown["smallest set"]["erased"]
            # Of every text: never is more than any number.
            fewest = np.nan_to_num(counts["smallest set"], nan=np.inf)
            assert (np.nan_to_num(counts[order], nan=np.inf) >= fewest).all()


@pytest.mark.parametrize(
    ("measures", "named"),
    [
        (["gradient"], "gradient"),
        ([{"type": "gradient", "detach_attention": False}], "gradient(detach_attention=False)"),
        (["gradient_norm", "gradient"], "gradient"),
        (["gradient_norm"], None),
        ([], None),
    ],
)
def test_the_measure_gradient_is_used_where_it_is(measures: list[Any], named: str | None) -> None:
    asked = tuple(MEASURES.spec(measure) for measure in measures)
    found = ErasureAnalysis().examine(subject("softmax", 2, 0, asked))
    orders = {name.removeprefix("erased|") for name in found if name.startswith("erased|")}
    always = {"attention", "slope", "slope × attention", "random", "smallest set"}
    assert orders == always | ({named, f"{named} × attention"} if named else set())
    same = examined("softmax", 2)[0]
    if named:
        assert torch.allclose(found[f"erased|{named}"], same["erased|gradient"], equal_nan=True)


def test_headlines_give_chance() -> None:
    result = analysed("softmax", 2)
    shown = rows(result.tables["tables/erasure_prefix"], "order")
    first, second, third = result.headline
    single = rows(result.tables["tables/erasure"], "quantity")["delta_js"]
    assert (first.value, first.low, first.chance) == (single["mean"], single["low"], 0.0)
    assert (second.value, second.chance) == (shown["attention"]["erased"], shown["random"]["erased"])
    assert third.value == shown["smallest set"]["erased"]
    assert len(analysed("softmax", 3).headline) == 2


def test_figures_hold_every_order_and_at_most_a_thousand_texts() -> None:
    assert set(analysed("softmax", 2).charts) == {"erasure", "erasure_single"}
    given = subject("softmax", 2, 0)
    found = examined("softmax", 2)[0]
    times = 200
    texts = replace(
        given.texts,
        starts=torch.arange(times * len(LENGTHS) + 1),
        names=given.texts.names * times,
        labels=given.texts.labels.repeat(times),
    )
    corpus = replace(given.corpus, splits={"test": texts})
    findings = {name: values.repeat(times) for name, values in found.items()}
    seed = SeedEvidence(0, torch.zeros(1), np.zeros(1), {}, findings)
    evidence = Evidence(ABOUT, corpus, (), (seed,))
    charts = [ErasureAnalysis()(evidence).charts for _ in range(2)]
    assert charts[0] == charts[1]
    drawn = json.dumps(charts[0]["erasure_single"])
    assert drawn.count('"delta"') - drawn.count('"field": "delta"') == 1000
    curves = json.dumps(charts[0]["erasure"], ensure_ascii=False)
    assert all(
        f'"order": "{order}"' in curves for order in ("attention", "slope", "random", "smallest set")
    )


def test_curves_are_shares_of_the_texts() -> None:
    points = flipped_rows("x", np.array([0.15, 0.5, np.nan, 3 / 20]))
    at = {point["erased"]: point["flipped"] for point in points}
    assert (at[0.0], at[0.14], at[0.16], at[0.48], at[0.5], at[1.0]) == (0, 0, 0.5, 0.5, 0.75, 0.75)
    assert {point["flipped"] for point in flipped_rows("x", np.array([]))} == {0.0}


def test_models_whose_decisions_nothing_flips_are_laid_out_too() -> None:
    given = subject("softmax", 2, 0)
    model = given.load()
    with torch.no_grad():
        model.decoder.output.bias.fill_(1e4)  # type: ignore[union-attr]
    findings = ErasureAnalysis().examine(given)
    seed = SeedEvidence(0, torch.zeros(1), np.zeros(1), {}, findings)
    result = ErasureAnalysis()(Evidence(ABOUT, given.corpus, (), (seed,)))
    table = result.tables["tables/erasure_prefix"]
    assert set(table["undefined"]) == {len(LENGTHS)}
    assert set(table["flippable"]) == {0}
    assert table["erased"].is_nan().all()
    assert rows(result.tables["tables/erasure"], "quantity", "0")["neither_flips"]["mean"] == 1.0
