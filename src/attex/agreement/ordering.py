"""How the tokens of a text lie to each other in two score vectors: what rank statistics count.

Three sorts and one count of inversions give, for every token, the tokens tied with it and those
that the two vectors put on opposite sides of it; no statistic needs the pairs themselves.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attex.foundations.memory import spans

TOKEN_BYTES = 128
"""What one token takes while it is sorted and counted."""

_CACHE_BYTES = 2**20
"""Inversions are counted on a CPU in pieces that stay in its cache."""


class Runs:
    """The runs of equal tokens in sorted rows: [B,T'], given where a token differs from the last."""

    def __init__(self, first: Tensor) -> None:
        self._first = first
        position = torch.arange(first.shape[1], device=first.device, dtype=torch.int32)
        self._position = position.expand_as(first)
        self._untied = bool(first.all())

    @cached_property
    def start(self) -> Tensor:
        """The first position of a token's run: [B,T'] in int32."""
        if self._untied:
            return self._position
        return self._position.where(self._first, 0).cummax(dim=1).values

    @cached_property
    def end(self) -> Tensor:
        """The last position of a token's run: [B,T'] in int32."""
        if self._untied:
            return self._position
        last = torch.ones_like(self._first)
        last[:, :-1] = self._first[:, 1:]
        backwards = self._position.where(last, self._first.shape[1]).flip(1)
        return backwards.cummin(dim=1).values.flip(1)

    @cached_property
    def before(self) -> Tensor:
        """How many of its run come before a token: [B,T'] in float64."""
        return (self._position - self.start).double()

    @cached_property
    def others(self) -> Tensor:
        """How many others are in a token's run: [B,T'] in float64."""
        return (self.end - self.start).double()

    @cached_property
    def pairs(self) -> Tensor:
        """How many pairs of tokens are equal: [B] in float64."""
        return self.before.sum(dim=1)


@dataclass(frozen=True)
class Ordering:
    """The counted tokens of every text, lowest first by (a, b), T' of them in the longest text.

    A position past the n tokens of its text has no ties and no inversions.
    """

    n: Tensor
    """How many tokens count: [B] in float64."""
    counted: Tensor
    """Whether there is a token at this position: [B,T']."""
    lower_b: Tensor
    """How many tokens have a lower b: [B,T'] in int32."""
    ties_a: Runs
    ties_both: Runs
    ties_b: Runs
    """In an order of their own, lowest b first."""

    @cached_property
    def pairs(self) -> Tensor:
        """How many pairs of tokens there are: [B]."""
        return self.n * (self.n - 1) / 2

    @cached_property
    def inverted(self) -> Tensor:
        """How many tokens are lower in a and higher in b: [B,T'] in float64."""
        return _earlier_and_higher(self.lower_b.where(self.counted, self.counted.shape[1]))

    @cached_property
    def inverted_above(self) -> Tensor:
        """How many tokens are higher in a and lower in b: [B,T'] in float64."""
        from_the_top = (-self.lower_b).where(self.counted, -self.counted.shape[1]).flip(1)
        return _earlier_and_higher(from_the_top).flip(1)

    @cached_property
    def others_b(self) -> Tensor:
        """How many other tokens have the same b: [B,T'] in float64, 0 past the tokens."""
        return self.ties_b.others.gather(1, self.lower_b.long()) * self.counted

    @cached_property
    def discordant(self) -> Tensor:
        """How many pairs the two vectors order oppositely: [B]."""
        return self.inverted.sum(dim=1)

    @cached_property
    def tied_in_one(self) -> Tensor:
        """How many pairs are tied in exactly one of the two vectors: [B]."""
        return self.ties_a.pairs + self.ties_b.pairs - 2 * self.ties_both.pairs


def order(a: Tensor, b: Tensor, mask: Tensor) -> Ordering:
    """Sort the counted tokens by (a, b): a, b, mask [B,T] → Ordering; a NaN is taken as 0."""
    n = mask.sum(dim=1)
    longest = int(n.max()) if len(n) else 0
    counted = torch.arange(longest, device=a.device) < n[:, None]
    by_a, ties_a = _sorted(a, mask, counted)
    by_b, ties_b = _sorted(b, mask, counted)
    lower_b = torch.zeros(mask.shape, dtype=torch.int32, device=a.device)
    lower_b = lower_b.scatter(1, by_b, ties_b.start).gather(1, by_a)
    # One number orders by (a, b). Sorting it moves tokens inside the runs of a only, so what it
    # holds of a is still known after, and taking that away leaves what it held of b.
    whole = torch.int32 if longest < 2**15 else torch.int64
    of_a = ties_a.start.to(whole) * longest
    key = sort_rows((of_a + lower_b).where(counted, torch.iinfo(whole).max))
    return Ordering(
        n=n.double(),
        counted=counted,
        lower_b=(key - of_a).where(counted, 0).to(torch.int32),
        ties_a=ties_a,
        ties_both=Runs(differs(key) | ~counted),
        ties_b=ties_b,
    )


def _sorted(values: Tensor, mask: Tensor, counted: Tensor) -> tuple[Tensor, Runs]:
    values = last_outside(values, mask)
    by_value = argsort_rows(values)[:, : counted.shape[1]]
    return by_value, Runs(differs(values.gather(1, by_value)) | ~counted)


def last_outside(values: Tensor, mask: Tensor) -> Tensor:
    """Return the values in float64 with what does not count above everything that does."""
    # Infinite scores become the largest finite numbers.
    return values.double().nan_to_num(0.0).masked_fill(~mask, float("inf"))


def average_ranks(values: Tensor, mask: Tensor) -> Tensor:
    """Rank from 1, equal values sharing the mean of their ranks: [B,T] → [B,T], 0 off the mask."""
    counted = torch.ones_like(mask).cumsum(dim=1) <= mask.sum(dim=1, keepdim=True)
    by_value, ties = _sorted(values, mask, counted)
    ranks = (1 + (ties.start + ties.end).double() / 2).where(counted, 0.0)
    return torch.zeros_like(ranks).scatter(1, by_value, ranks)


def sort_rows(values: Tensor) -> Tensor:
    """Sort every row, lowest first."""
    if values.device.type != "cpu":
        return values.sort(dim=1).values
    return torch.from_numpy(np.sort(values.numpy(), axis=1))


def argsort_rows(values: Tensor, stable: bool = False) -> Tensor:
    """Return where the values of every row come from in order, equal ones as they stand if `stable`.

    That goes for finite values; infinite ones, which do not count, come in any order.
    """
    # On a CPU NumPy sorts several times as fast as torch.
    if values.device.type != "cpu":
        return values.argsort(dim=1, stable=stable)
    array = values.numpy()
    order = np.argsort(array, axis=1)
    if stable:
        in_order = np.take_along_axis(array, order, axis=1)
        ties = (in_order[:, 1:] == in_order[:, :-1]) & np.isfinite(in_order[:, 1:])
        tied = ties.any(axis=1)
        # A stable sort takes several times as long, and most rows have no ties.
        order[tied] = np.argsort(array[tied], axis=1, stable=True)
    return torch.from_numpy(order)


def differs(values: Tensor) -> Tensor:
    """Whether each value differs from the one before it."""
    first = torch.ones_like(values, dtype=torch.bool)
    first[:, 1:] = values[:, 1:] != values[:, :-1]
    return first


def _earlier_and_higher(rank: Tensor) -> Tensor:
    """Count, for every position, the earlier ones of higher rank: [B,T'] → [B,T'] in float64."""
    length = rank.shape[1]
    rank = rank.to(torch.int16 if length < 2**15 else torch.int32)
    if rank.device.type != "cpu":
        # Few large kernels: all pairs of positions at once.
        pieces = [
            (rank[span, :, None] > rank[span, None, :]).triu(1).sum(dim=1)
            for span in spans(len(rank), 2 * length**2)
        ]
    else:
        size = 3 * rank.element_size() * length
        pieces = [_count_in_cache(rank[span]) for span in spans(len(rank), size, _CACHE_BYTES)]
    return torch.cat([rank[:0], *pieces]).double()


def _count_in_cache(rank: Tensor) -> Tensor:
    # Texts side by side in memory: the processor compares many of them at a time.
    rows = np.ascontiguousarray(rank.numpy().T)
    lower, count = np.empty(rows.shape, dtype=bool), np.zeros_like(rows)
    for i in range(len(rows) - 1):
        below, later = lower[i + 1 :], count[i + 1 :]
        np.less(rows[i + 1 :], rows[i], out=below)
        np.add(later, below, out=later)
    return torch.from_numpy(count.T)
