"""Fits of what a model says of a text by which of its words are on, many texts at once, in float64."""

import torch
from torch import Tensor

_NO_MORE_THAN_ROUNDING = 1e-9
"""Directions in which coalitions differ by less than this share of the most say nothing."""


def fit_ridge(on: Tensor, values: Tensor, weights: Tensor, strength: float) -> Tensor:
    """Fit values [b,S] by switches [b,S,W] with weights [b,S], and an intercept that is free: [b,W]."""
    shares = (weights / weights.sum(dim=1, keepdim=True))[..., None]
    x, y = on.double(), values[..., None]
    x, y = x - (shares * x).sum(dim=1, keepdim=True), y - (shares * y).sum(dim=1, keepdim=True)
    weighted = (weights[..., None] * x).transpose(1, 2)
    gram = weighted @ x
    gram.diagonal(dim1=1, dim2=2).add_(strength)
    slopes: Tensor = torch.linalg.solve(gram, weighted @ y)
    return slopes.squeeze(-1)


def fit_shapley(
    on: Tensor, values: Tensor, weights: Tensor, words: Tensor, nothing: Tensor, whole: Tensor
) -> Tensor:
    """Fit values [b,S] of coalitions [b,S,W] so that words [b,W] share whole − nothing [b]: [b,W].

    Around equal shares, u = φ − (whole − nothing)/n sums to 0: the fit is one of u to coalitions less
    their mean, and of all that fit alike the pseudo-inverse gives the smallest.
    """
    count = words.sum(dim=1, keepdim=True).clamp(min=1)
    equal = (whole - nothing)[:, None] / count
    x = on.double()
    size = x.sum(dim=2)
    beyond = values - nothing[:, None] - size * equal
    x = (x - (size / count)[..., None]) * words[:, None]
    weighted = (weights[..., None] * x).transpose(1, 2)
    inverse: Tensor = torch.linalg.pinv(weighted @ x, rtol=_NO_MORE_THAN_ROUNDING, hermitian=True)
    apart = (inverse @ (weighted @ beyond[..., None])).squeeze(-1)
    # Their sum is 0 but for rounding, which coalitions that hardly differ blow up.
    return equal + (apart - apart.sum(dim=1, keepdim=True) / count) * words
