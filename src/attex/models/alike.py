"""Positions of a text that stand for each other: what is worked out for one of them holds for all."""

import torch
from torch import Tensor


def themselves(counted: Tensor) -> Tensor:
    """Return each position [B,T] for itself."""
    return torch.arange(counted.shape[1], device=counted.device).expand(counted.shape)


def first_alike(counted: Tensor, tokens: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return for each position the first counted one with the same token, and weight if given.

    counted, tokens, weights [B,T] → [B,T]; a position that does not count stands for itself.
    """
    place = themselves(counted)
    labels = tokens if weights is None else tokens * place.shape[1] + first_equal(weights)
    # No token has a number below 0: those that do not count have one each.
    return first_equal(labels.where(counted, -1 - place))


def first_of_run(counted: Tensor, tokens: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return for each position where its run of counted ones begins with the same token.

    counted, tokens, weights [B,T] → [B,T]; and with the same weight, if given.
    """
    goes_on = torch.zeros_like(counted)
    goes_on[:, 1:] = counted[:, 1:] & counted[:, :-1]
    for key in (tokens,) if weights is None else (tokens, weights):
        goes_on[:, 1:] &= key[:, 1:] == key[:, :-1]
    return themselves(counted).masked_fill(goes_on, 0).cummax(dim=1).values


def first_equal(values: Tensor) -> Tensor:
    """Return the first position of each row with the same value: [B,T] → [B,T]."""
    ordered, order = values.sort(dim=1, stable=True)
    begins = torch.ones_like(ordered, dtype=torch.bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    # Sorting is stable, so that a run of equal values begins with the first of them.
    start = themselves(values).where(begins, 0).cummax(dim=1).values
    return torch.empty_like(order).scatter(1, order, order.gather(1, start))
