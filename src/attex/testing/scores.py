"""Pairs of score vectors to try a statistic on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

_WIDTH = 16
_STEPS, _STEP = 240, 0.25
"""Scores are 0, ¼, …, 59¾: whole numbers of quarters that every floating-point type can hold."""


@dataclass(frozen=True)
class Pairs:
    """Two score vectors for each text: a, b, mask [B,T]; text [B] says which sample a row is."""

    a: Tensor
    b: Tensor
    mask: Tensor
    text: Tensor

    def __len__(self) -> int:
        return len(self.text)

    def rows(self, chosen: Tensor | slice) -> "Pairs":
        """Take some texts, in any order."""
        return Pairs(self.a[chosen], self.b[chosen], self.mask[chosen], self.text[chosen])

    def columns(self, change: Callable[[Tensor], Tensor]) -> "Pairs":
        """Change scores and mask alike."""
        return replace(self, a=change(self.a), b=change(self.b), mask=change(self.mask))

    def scores(self, change: Callable[[Tensor], Tensor]) -> "Pairs":
        """Change the scores alone."""
        return replace(self, a=change(self.a), b=change(self.b))

    def outside(self, filler: float) -> "Pairs":
        """Put a number in place of the scores that do not count."""
        return self.scores(lambda values: values.masked_fill(~self.mask, filler))

    def clone(self) -> "Pairs":
        """Copy scores and mask."""
        return self.columns(torch.clone)

    def to(self, device: str) -> "Pairs":
        """Move every tensor."""
        return Pairs(*(x.to(device) for x in (self.a, self.b, self.mask, self.text)))

    @property
    def broken(self) -> Tensor:
        """Whether a counted score is NaN: [B]."""
        return ((self.a.isnan() | self.b.isnan()) & self.mask).any(dim=1)

    @property
    def untied(self) -> Tensor:
        """Whether no two counted scores are equal in a or in b: [B]."""
        return _all_differ(self.a, self.mask) & _all_differ(self.b, self.mask) & ~self.broken


def pairs_of_every_kind() -> tuple[Pairs, list[str]]:
    """Return samples and what each is, the same every time."""
    generator = torch.Generator().manual_seed(0)
    names, rows = [], []
    for name, n, a, b in _samples(generator):
        prefix = torch.arange(_WIDTH) < n
        holes = prefix[torch.randperm(_WIDTH, generator=generator)]
        for kind, mask in ((name, prefix), (f"{name}, with holes", holes)):
            names.append(f"{kind}, n = {n}")
            # What does not count is like what does, so that only the mask tells them apart.
            rows.append((*(_untied(_WIDTH, generator).masked_scatter(mask, x) for x in (a, b)), mask))
    a, b, mask = (torch.stack(column) for column in zip(*rows, strict=True))
    return Pairs(a, b, mask, torch.arange(len(names))), names


def _samples(generator: torch.Generator) -> Iterator[tuple[str, int, Tensor, Tensor]]:
    for n in (_WIDTH, 9, 4, 3, 2, 1, 0):
        yield "random", n, _untied(n, generator), _untied(n, generator)
    for n in (12, 7, 2):
        yield "tied", n, _tied(n, generator), _tied(n, generator)
    for n in (13, 8):
        a, b = _untied(n, generator), _untied(n, generator)
        # As sparse attention is: most weights exactly zero.
        sparse, other = (x * (torch.rand(n, generator=generator) < 0.4) for x in (a, b))
        yield "sparse and random", n, sparse, b
        yield "sparse both", n, sparse, other
        yield "constant and random", n, torch.ones_like(a), b
        yield "constant both", n, torch.ones_like(a), torch.zeros_like(a)
        yield "the same twice", n, a, a
        yield "reversed", n, a, -a
        undefined = b.clone()
        undefined[n // 2] = float("nan")
        yield "a counted NaN in b", n, a, undefined
        yield "a counted NaN in a", n, undefined, a


def _untied(n: int, generator: torch.Generator) -> Tensor:
    return _STEP * torch.randperm(_STEPS, generator=generator)[:n].double()


def _tied(n: int, generator: torch.Generator) -> Tensor:
    return torch.randint(0, 4, (n,), generator=generator).double()


def _all_differ(values: Tensor, mask: Tensor) -> Tensor:
    rows = zip(values, mask, strict=True)
    return torch.tensor([len(x[counted].unique()) == int(counted.sum()) for x, counted in rows])
