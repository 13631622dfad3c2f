"""What happens to the output when the tokens that attention points at are erased."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.readings import Reading, readings
from attex.analyses.summary import frame, seed_groups, summarise
from attex.charts.erasure import flipped_chart, flipped_rows, single_chart
from attex.counterfactual.erasing import Eraser, random_scores
from attex.data.corpus import Corpus

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

    def check(self, corpus: Corpus, measures: Sequence[str]) -> None:
        """Ask for nothing: every model has attention, and `gradient` is used where it is."""

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Erase one token, and one after the other in every order: [N] each, by name."""
        found: dict[str, Tensor] = {}
        for reading in readings(subject):
            eraser = Eraser(reading.readout, reading.attention, reading.mask)
            columns = eraser.top_against_random(reading.ids)
            for name, scores in _orders(eraser, reading, subject):
                columns[_ERASED + name] = eraser.flipping_prefix(scores)
            for name, values in columns.items():
                whole = found.setdefault(name, torch.empty(len(subject.texts), dtype=torch.float64))
                whole[reading.texts] = values.cpu()
        return found

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out what erasing one token does, and how many it takes."""
        seeds = [seed.seed for seed in evidence.seeds]
        columns = {
            name: np.stack([seed.findings[name].numpy() for seed in evidence.seeds])
            for name in evidence.seeds[0].findings
        }
        single = _single(columns)
        lengths = evidence.texts.lengths.numpy()
        shares = {order: columns[_ERASED + order] / lengths for order in _orders_of(columns)}
        rows = [evidence.about | row for row in _single_rows(single, seeds)]
        prefix = [evidence.about | row for row in _prefix_rows(shares, lengths, seeds)]
        points = _points(single, columns["weight_top"] - columns["weight_random"], evidence.texts.names)
        flippable = _flippable(shares)
        curves = [p for order, found in shares.items() for p in flipped_rows(order, found[flippable])]
        charts = {
            "erasure": flipped_chart(curves, RANDOM, SMALLEST),
            "erasure_single": single_chart(points, _FLIPS),
        }
        tables = {"tables/erasure": frame(rows), "tables/erasure_prefix": frame(prefix)}
        return Result(tables, charts, [_single_headline(rows), *_prefix_headlines(prefix)])


def _orders(eraser: Eraser, reading: Reading, subject: Subject) -> Iterator[tuple[str, Tensor]]:
    """Name the orders of erasing, and the scores [B,T] that give them, highest first."""
    attention, slope = reading.attention, eraser.weight_gradient()
    yield ATTENTION, attention
    yield SLOPE, slope
    yield SLOPE + _TIMES, slope * attention
    gradients = [m for m in subject.measures if m == "gradient" or m.startswith("gradient(")]
    for measure in gradients[:1]:
        gradient = reading.beside(subject.scores[measure], subject)
        yield measure, gradient
        yield measure + _TIMES, gradient * attention
    yield RANDOM, random_scores(reading.mask, reading.ids)
    support = eraser.support()
    if support is not None:
        yield SMALLEST, support


def _orders_of(columns: Iterable[str]) -> list[str]:
    """Name the orders found, attention first, chance and limit last: files do not keep their order."""
    found = [name.removeprefix(_ERASED) for name in columns if name.startswith(_ERASED)]
    places = {ATTENTION: 0, SLOPE: 1, SLOPE + _TIMES: 2, RANDOM: 4, SMALLEST: 5}
    return sorted(found, key=lambda order: (places.get(order, 3), order))


def _single(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What erasing one token does, by quantity: [S,N] each."""
    flips = columns["flip_top"] * 2 + columns["flip_random"]
    kinds = {name: np.where(np.isnan(flips), np.nan, flips == n) for n, name in enumerate(_FLIPS)}
    return {
        "js_top": columns["js_top"],
        "js_random": columns["js_random"],
        "delta_js": columns["js_top"] - columns["js_random"],
        "flip_top": columns["flip_top"],
        "flip_random": columns["flip_random"],
    } | kinds


def _single_rows(single: dict[str, np.ndarray], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for quantity, values in single.items():
        for seed, members in seed_groups(seeds):
            chosen = np.ones_like(values[members], dtype=bool)
            yield {"quantity": quantity, "seed": seed} | summarise(values[members], chosen)


def _flippable(shares: dict[str, np.ndarray]) -> np.ndarray:
    """Mark the texts whose decision some order flips: [S,N]."""
    found: np.ndarray = ~np.isnan(np.stack([*shares.values()])).all(axis=0)
    return found


def _prefix_rows(
    shares: dict[str, np.ndarray], lengths: np.ndarray, seeds: Sequence[int]
) -> Iterator[dict[str, Any]]:
    flippable = _flippable(shares)
    for order, values in shares.items():
        for seed, members in seed_groups(seeds):
            found, counted = values[members], flippable[members]
            flipped, tokens = ~np.isnan(found), found * lengths
            erased = summarise(np.nan_to_num(found, nan=1.0), counted)
            yield {
                "order": order,
                "seed": seed,
                **summarise(found, np.ones_like(counted)),
                "median": float(np.median(found[flipped])) if flipped.any() else float("nan"),
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
