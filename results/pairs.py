"""Attention and attribution methods in pairs: what Neely et al. (2022) compare, for their page."""

import itertools
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from attex.charts.style import finish, short
from attex.claims.ledger import Cell
from results.by_seed import Seeds
from results.paper_numbers import PaperNumbers

ATTENTION = "attention"
METHODS = {
    "lime": "LIME",
    "integrated_gradients": "integrated gradients",
    "deep_lift": "DeepLIFT",
    "gradient_shap": "GradientSHAP",
    "deep_lift_shap": "DeepLIFT-SHAP",
}
MEASURES = {ATTENTION: ATTENTION} | METHODS
STATISTICS = {"kendall_tau": "τ", "weighted_tau": "weighted τ", "tau_ap": "τ-AP"}
TAU = "kendall_tau"
ROLLOUT = "attention_rollout"
"""What attention is to them in a Transformer: the marker's, followed down through the layers."""
OF_TRANSFORMER = ("lime", "integrated_gradients", "deep_lift", "gradient_shap")
"""The methods that a pretrained model has, too. DeepLIFT-SHAP from padding is DeepLIFT."""
_SAME = ("deep_lift", "deep_lift_shap")
"""With padding as the only baseline these two are one."""
_SQUARE, _LABEL = 40, "#222"


def pair(a: str, b: str, statistic: str = TAU) -> str:
    """Name the agreement of two measures."""
    return f"{statistic}({a}, {b})"


def in_words(quantity: str) -> str:
    """Write two measures that are compared as a person does."""
    inside = quantity.partition("(")[2].removesuffix(")")
    return " and ".join(MEASURES[name] for name in inside.split(", "))


def with_attention(
    methods: Sequence[str] = tuple(METHODS), attention: str = ATTENTION, statistic: str = TAU
) -> list[str]:
    """Name the agreement of attention with every method."""
    return [pair(attention, method, statistic) for method in methods]


def among_methods(methods: Sequence[str] = tuple(METHODS), statistic: str = TAU) -> list[str]:
    """Name the agreement of all pairs of methods, but for the one that is the same by definition."""
    both = itertools.combinations(methods, 2)
    return [pair(*two, statistic) for two in both if two != _SAME]


def mean_of(paper: PaperNumbers, cell: Cell, quantities: Sequence[str]) -> Seeds:
    """Return the mean of several numbers of a model, for every seed that has all of them."""
    known = [paper.by_seed(cell, quantity) for quantity in quantities]
    seeds = [seed for seed in known[0] if all(seed in one for one in known)]
    means = (float(np.mean([one[seed] for one in known])) for seed in seeds)
    return Seeds(tuple(mean for mean in means if mean == mean))


def published_mean(paper: PaperNumbers, cell: Cell, quantities: Sequence[str]) -> float:
    """Return the mean of the published ones of some numbers; NaN without any."""
    known = [paper.published(cell, quantity) for quantity in quantities]
    there = [value for value in known if value is not None]
    return float(np.mean(there)) if there else float("nan")


ASKED: dict[str, Any] = {
    "statistics": STATISTICS,
    "rollout": ROLLOUT,
    "of_transformer": OF_TRANSFORMER,
    **{f.__name__: f for f in (pair, in_words, with_attention, among_methods, mean_of, published_mean)},
}
"""What the template of the page may ask for."""


def pairs_of_measures(paper: PaperNumbers) -> dict[str, Any]:
    """Draw all pairs of measures of the BiLSTMs: ours above the diagonal, the published ones below."""
    cells = [cell for cell in paper.cells if cell[1:] == ("lstm", "tanh", "softmax")]
    panels = [_panel(paper, cell, place == 0) for place, cell in enumerate(cells)]
    title = "Kendall's τ of all pairs, BiLSTM with softmax: above the diagonal ours, below it theirs"
    caption = (
        "A square is a pair of measures, the mean over texts and seeds. The redder, the more alike; the "
        "lightest grey is 0, what shuffled scores give. A square that is not there has no number."
    )
    return finish(alt.hconcat(*panels, title=title), caption)


def _panel(paper: PaperNumbers, cell: Cell, first: bool) -> Any:
    points: list[dict[str, Any]] = []
    for a, b in itertools.combinations(MEASURES, 2):
        ours, theirs = paper.seeds(cell, pair(a, b)).mean, paper.published(cell, pair(a, b))
        for row, column, value in ((a, b, ours), (b, a, theirs)):
            if value is not None and value == value:
                written = f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)
                place = {"row": MEASURES[row], "column": MEASURES[column], "written": written}
                points.append({**place, "value": short(value)})
    order = alt.Scale(domain=[*MEASURES.values()])
    plain: dict[str, Any] = {"ticks": False, "domain": False, "labelLimit": 220}
    base = alt.Chart(alt.InlineData(points), title=cell[0]).encode(
        x=alt.X("column:N", scale=order, title=None, axis=alt.Axis(labelAngle=-60, **plain)),
        y=alt.Y("row:N", scale=order, title=None, axis=alt.Axis(labels=first, **plain)),
    )
    scale = alt.Scale(scheme="redblue", domain=[-1, 1], reverse=True)
    colour = alt.Color("value:Q", scale=scale, legend=None)
    dark = alt.condition("datum.value > 0.65", alt.value("white"), alt.value(_LABEL))
    squares = base.mark_rect(stroke="white").encode(color=colour)
    texts = base.mark_text(fontSize=11).encode(text="written:N", color=dark)
    size = _SQUARE * len(MEASURES)
    return (squares + texts).properties(width=size, height=size)
