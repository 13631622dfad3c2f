"""What happens to the output when the tokens that attention points at are erased."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import (
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
    no_attention,
)
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, mean
from attex.analyses.readings import Reading, readings
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.flips import flipped_chart, flipped_rows, single_chart
from attex.counterfactual.erasing import Eraser, random_scores
from attex.data.corpus import Corpus
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

ATTENTION, SLOPE, RANDOM, SMALLEST = "attention", "slope", "random", "smallest set"
_TIMES = " × attention"
_ERASED = "erased|"
_FLIPS = ("neither_flips", "only_random_flips", "only_top_flips", "both_flip")
_POINTS = 1_000


@ANALYSES.register("erasure", cite="Serrano & Smith 2019")
class ErasureAnalysis(Analysis):
    """The output when weights are set to 0 and the others renormalised, hidden states fixed.

    One token: the highest weight against another, drawn at random. `delta_js` = JS(ŷ, ŷ without
    the top) − JS(ŷ, ŷ without the other) in nats, and how often either flips the decision;
    undefined where a text has one token, or one weight that is not 0.

    Several: the share of a text's tokens that must go until the decision flips, erased from the
    highest down by attention; by the slope of the decided output in each weight, ∂ŷ/∂α_t, and that
    times attention (the paper's gradients); by the measure `gradient`, and that times attention,
    where there is one; at random; and, for a binary linear model, in the order that finds the
    smallest set. `mean`, `std`, `median` and `mean_tokens` are of the texts that the order flips,
    `undefined` those that it never does, so they are of other texts for every order. To compare
    orders there is `erased`, with an interval: the mean over the `flippable` texts, which at least
    one order flips, with 1 for a text that this one does not.
    """

    title = "Erasure"
    examines = True
    reads_scores = False
    explanation = (
        "Tokens are erased by setting their attention to 0. If attention says what matters, erasing "
        "the highest weight changes the output more than erasing another one (ΔJS above 0), and "
        "erasing from the highest down flips the decision sooner than erasing at random. The slope "
        "is that of the output in each weight, ∂ŷ/∂α; the smallest set is the fewest tokens that can "
        "flip the decision. Where every token speaks for it, no erasing can."
    )
    views: ClassVar = {
        "erasure": View(("quantity",), ("mean", "low", "high")),
        "erasure_prefix": View(("order",), ("erased", "erased_low", "erased_high", "flippable")),
    }

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that scores states."""
        return no_attention(model)

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Erase one token, and one after the other in every order: [N] each, by name."""
        pieces = (
            (reading.texts, _erased(reading, subject))
            for reading in readings(subject, self.title.lower(), by_word=True)
        )
        return put_together(pieces, len(subject.texts))

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name what erasing one token does, and the share that attention must erase."""
        return ("delta_js", f"erased({ATTENTION})", f"erased({RANDOM})")

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield what erasing one token does, and the share of the tokens that each order must erase."""
        yield mean("delta_js", _single(evidence)["delta_js"][0])
        lengths = evidence.texts.lengths.numpy()
        shares = {order: evidence.stacked(_ERASED + order) / lengths for order in _orders_of(evidence)}
        counted = _flippable(shares)[0]
        for order, each in shares.items():
            yield mean(f"erased({order})", np.nan_to_num(each[0], nan=1.0), counted)

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out what erasing one token does, and how many it takes."""
        single = _single(evidence)
        lengths = evidence.texts.lengths.numpy()
        shares = {order: evidence.stacked(_ERASED + order) / lengths for order in _orders_of(evidence)}
        rows = [evidence.about | row for row in _single_rows(single, evidence.numbers)]
        prefix = [evidence.about | row for row in _prefix_rows(shares, lengths, evidence.numbers)]
        gap = evidence.stacked("weight_top") - evidence.stacked("weight_random")
        points = _points(single, gap, evidence.texts.names)
        flippable = _flippable(shares)
        curves = [p for order, each in shares.items() for p in flipped_rows(order, each[flippable])]
        charts = {
            "erasure": flipped_chart(curves, RANDOM, SMALLEST),
            "erasure_single": single_chart(points, _FLIPS),
        }
        tables = {"tables/erasure": frame(rows), "tables/erasure_prefix": frame(prefix)}
        return Result(tables, charts, [_single_headline(rows), *_prefix_headlines(prefix)])


def _erased(reading: Reading, subject: Subject) -> dict[str, Tensor]:
    eraser = Eraser(reading.readout, reading.attention, reading.mask)
    columns = eraser.top_against_random(reading.ids)
    for order, scores in _orders(eraser, reading, subject):
        columns[_ERASED + order] = eraser.flipping_prefix(scores)
    return {name: values.double() for name, values in columns.items()}


def _orders(eraser: Eraser, reading: Reading, subject: Subject) -> Iterator[tuple[str, Tensor]]:
    """Name the orders of erasing, and the scores [B,T] that give them, highest first."""
    attention, slope = reading.attention, eraser.weight_gradient()
    yield ATTENTION, attention
    yield SLOPE, slope
    yield SLOPE + _TIMES, slope * attention
    for title in _gradients(subject.measures):
        gradient = reading.beside(subject.scores[title], subject)
        yield title, gradient
        yield title + _TIMES, gradient * attention
    yield RANDOM, random_scores(reading.mask, reading.ids)
    support = eraser.support()
    if support is not None:
        yield SMALLEST, support


def _gradients(measures: Iterable[Spec]) -> list[str]:
    """Give the title of the first measure `gradient`, whatever its options, if there is one."""
    return [measure.title for measure in measures if measure.type == "gradient"][:1]


def _orders_of(evidence: Evidence) -> list[str]:
    """Name the orders that texts were erased in, attention first, chance and limit last."""
    by_gradient = [order for title in _gradients(evidence.measures) for order in (title, title + _TIMES)]
    orders = [ATTENTION, SLOPE, SLOPE + _TIMES, *by_gradient, RANDOM, SMALLEST]
    return [order for order in orders if _ERASED + order in evidence.findings]


def _single(evidence: Evidence) -> dict[str, np.ndarray]:
    """What erasing one token does, by quantity: [S,N] each."""
    js_top, js_random = evidence.stacked("js_top"), evidence.stacked("js_random")
    flip_top, flip_random = evidence.stacked("flip_top"), evidence.stacked("flip_random")
    flips = flip_top * 2 + flip_random
    kinds = {name: np.where(np.isnan(flips), np.nan, flips == n) for n, name in enumerate(_FLIPS)}
    return {
        "js_top": js_top,
        "js_random": js_random,
        "delta_js": js_top - js_random,
        "flip_top": flip_top,
        "flip_random": flip_random,
    } | kinds


def _single_rows(single: dict[str, np.ndarray], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for quantity, values in single.items():
        for seed, members in seed_groups(seeds):
            chosen = np.ones_like(values[members], dtype=bool)
            yield {"quantity": quantity, "seed": seed} | summarise(values[members], chosen)


def _flippable(shares: dict[str, np.ndarray]) -> np.ndarray:
    """Mark the texts whose decision some order flips: [S,N]."""
    flippable: np.ndarray = ~np.isnan(np.stack([*shares.values()])).all(axis=0)
    return flippable


def _prefix_rows(
    shares: dict[str, np.ndarray], lengths: np.ndarray, seeds: Sequence[int]
) -> Iterator[dict[str, Any]]:
    flippable = _flippable(shares)
    for order, values in shares.items():
        for seed, members in seed_groups(seeds):
            share, counted = values[members], flippable[members]
            flipped, tokens = ~np.isnan(share), share * lengths
            erased = summarise(np.nan_to_num(share, nan=1.0), counted)
            yield {
                "order": order,
                "seed": seed,
                **summarise(share, np.ones_like(counted)),
                "median": float(np.median(share[flipped])) if flipped.any() else float("nan"),
                "mean_tokens": float(tokens[flipped].mean()) if flipped.any() else float("nan"),
                "flippable": erased["n"],
                "erased": erased["mean"],
                "erased_low": erased["low"],
                "erased_high": erased["high"],
            }


def _points(
    single: dict[str, np.ndarray], gap: np.ndarray, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Take at most `_POINTS` texts to show, the same ones every time."""
    seeds, texts = np.nonzero(~np.isnan(gap))
    if len(texts) > _POINTS:
        chosen = np.sort(np.random.default_rng(0).choice(len(texts), _POINTS, replace=False))
        seeds, texts = seeds[chosen], texts[chosen]
    return [
        {
            "text": names[text],
            "gap": round(float(gap[seed, text]), 4),
            "delta": float(f"{single['delta_js'][seed, text]:.4g}"),
            "flips": next(name for name in _FLIPS if single[name][seed, text]),
        }
        for seed, text in zip(seeds.tolist(), texts.tolist(), strict=True)
    ]


def _single_headline(rows: list[dict[str, Any]]) -> Headline:
    pooled = {row["quantity"]: row for row in rows}["delta_js"]
    question = "Does erasing the highest weight change the output more than a random one?"
    return Headline(question, "ΔJS (nats)", pooled["mean"], pooled["low"], pooled["high"], 0.0)


def _prefix_headlines(rows: list[dict[str, Any]]) -> Iterator[Headline]:
    pooled = {row["order"]: row for row in rows}
    asked = {
        ATTENTION: "How much must be erased to flip the decision, from the highest weight down?",
        SMALLEST: "How little could be erased to flip the decision?",
    }
    for order, question in asked.items():
        if order in pooled:
            value, low, high = (pooled[order][key] for key in ("erased", "erased_low", "erased_high"))
            chance = pooled[RANDOM]["erased"]
            yield Headline(question, "share of the tokens (never: 1)", value, low, high, chance)
