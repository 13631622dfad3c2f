"""What missing training texts cost: the slope over still smaller parts, followed to the published size.

Some training sets at hand are parts of the published ones. With y the numbers of n models of a cell and
x = log₂ of the share of the texts at hand that each was trained on, least squares give y = a + b·x. Its
noise is the spread s between seeds, pooled as for a verdict. A model with all published texts, at
x* = log₂(published / at hand), then lies in a + b·x* ± t·s·√(1 + 1/n + (x* − x̄)² / Σ(x − x̄)²) 19 times
of 20, if the line goes on as it began.
"""

import math
from collections.abc import Mapping

import numpy as np

from attex.claims.ledger import Claim
from attex.claims.numbers import BASE, Study
from attex.claims.verdict import CHANCE, Interval, Prediction, change, p_value, quantile, together

HALF = "half of the training texts"
SHARES = {BASE: 1.0, HALF: 1 / 2, "an eighth of the training texts": 1 / 8}
"""Of the training texts at hand, by the setting of a study."""

AS_MANY = "as many training texts as published, by renaming"
"""The setting of models that were trained with as many texts as the published ones."""

PUBLISHED: Mapping[str, tuple[int, int]] = {
    "ag_news": (11_795, 51_000),
    "babi_3": (850, 8_500),
    "snli": (21_605, 549_367),
}
"""How many training texts are at hand of how many, for datasets that are a part."""


def has_parts(study: Study, claim: Claim) -> bool:
    """Say whether models were trained on parts of a training set that is itself a part."""
    return claim.dataset in PUBLISHED and sum(bool(study.values(claim, s)) for s in SHARES) > 1


def halved(study: Study, claim: Claim) -> Interval | None:
    """Say what halving a training set that is itself a part does to a number; None where it was not."""
    if claim.dataset not in PUBLISHED:
        return None
    whole, half = study.prediction(claim), study.prediction(claim, HALF)
    return None if whole is None or half is None else change(whole, half)


def with_all_texts(study: Study, claim: Claim, level: float) -> Prediction | None:
    """Predict a published number from all published texts.

    It is None where the slope is one that chance gives more often than `level`.
    """
    known = {setting: study.values(claim, setting) for setting in SHARES}
    x = np.array([math.log2(SHARES[setting]) for setting, some in known.items() for _ in some])
    y = np.array([value for some in known.values() for value in some])
    found = [study.prediction(claim, setting) for setting in SHARES]
    spread = together([one.spread for one in found if one is not None])
    if not spread.freedom or not spread.deviation:
        return None
    centred = x - x.mean()
    squares = float((centred**2).sum())
    slope = float(centred @ y) / squares
    if p_value(slope * math.sqrt(squares) / spread.deviation, spread.freedom) > level:
        return None
    at_hand, published = PUBLISHED[claim.dataset]
    beyond = math.log2(published / at_hand) - float(x.mean())
    width = math.sqrt(1 + 1 / len(y) + beyond**2 / squares)
    half = quantile(spread.freedom, 1 - CHANCE) * spread.deviation * width
    return Prediction(float(y.mean()) + slope * beyond, half, len(y), spread)
