"""Unrelated rankings to compare with: one vector's values, moved to other positions."""

import hashlib
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor

from attex.agreement.patterns import Pattern, compacted, dependence_of, first_positions
from attex.agreement.statistic import Agreement
from attex.foundations.draws import permutations, uniforms
from attex.foundations.memory import spans

Options = dict[str, Any]
"""A statistic's options; a tensor holds one number for each text."""

_BYTES_PER_POSITION = 64
"""What one position of one draw takes while it is drawn."""
_PIECE = {"cpu": 2**25, "cuda": 2**31}
"""Bytes drawn together: what a processor's cache holds, or what keeps a GPU busy."""
_MOST_PATTERNS = 20_000
"""Null distributions that are kept for texts to come."""


class Drawn(NamedTuple):
    """The statistic under the null: draws [B,R] (NaN: no such draw), their mean and std [B]."""

    values: Tensor
    mean: Tensor
    std: Tensor


class Null(Protocol):
    """Draws a statistic's value for unrelated rankings."""

    exact: ClassVar[bool]
    """Whether what a statistic knows of all shuffles holds."""

    def draw(self, a: Tensor, b: Tensor, mask: Tensor, ids: Tensor | None, options: Options) -> Drawn:
        """Move b over the counted positions: a, b, mask [B,T] → Drawn."""


class Shuffles:
    """Random permutations; a distribution that texts share is drawn once."""

    exact: ClassVar[bool] = True

    def __init__(self, statistic: Callable[..., Agreement], draws: int, seed: int = 0) -> None:
        self._statistic = statistic
        self._draws = draws
        self._seed = seed
        self._known: dict[bytes, Tensor] = {}
        self._known_for: Options = {}

    def draw(self, a: Tensor, b: Tensor, mask: Tensor, ids: Tensor | None, options: Options) -> Drawn:
        """Shuffle b."""
        dependence = dependence_of(self._statistic)
        if dependence is None:
            pattern = Pattern(compacted(a.double(), mask), compacted(b.double(), mask), options)
            numbers = [_number(key) for key in _contents(pattern, mask)] if ids is None else ids.tolist()
            return _summed(self._shuffle(pattern, mask, range(len(a)), numbers))
        pattern = dependence.reduction(a, b, mask, options)
        drawn = _summed(self._shared(pattern, mask))
        if dependence.mean is None or not len(a):
            return drawn
        mean = dependence.mean(pattern, mask.sum(dim=1))
        return drawn._replace(mean=mean.where(~mean.isnan(), drawn.mean))

    def _shared(self, pattern: Pattern, mask: Tensor) -> Tensor:
        keys = _contents(pattern, mask)
        shared = {name: x for name, x in pattern.options.items() if not isinstance(x, Tensor)}
        if shared != self._known_for:
            self._known, self._known_for = {}, shared
        rows = {key: row for row, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(rows) > _MOST_PATTERNS:
            self._known = {key: self._known[key] for key in set(keys) & set(self._known)}
        fresh = self._shuffle(pattern, mask, list(rows.values()), [_number(key) for key in rows])
        self._known |= dict(zip(rows, fresh, strict=True))
        return torch.stack([self._known[key] for key in keys]) if keys else fresh

    def _shuffle(
        self, pattern: Pattern, mask: Tensor, rows: "range | list[int]", numbers: list[int]
    ) -> Tensor:
        """Draw for some texts, each under its number: → [len(rows), draws]."""
        chosen = torch.tensor(rows, device=mask.device, dtype=torch.long)
        key = torch.tensor(numbers, device=mask.device, dtype=torch.long)
        pieces = [torch.empty(0, self._draws, dtype=torch.float64, device=mask.device)]
        for span in spans(
            len(rows), self._draws * mask.shape[1] * _BYTES_PER_POSITION, _PIECE[mask.device.type]
        ):
            of = chosen[span]
            counted = first_positions(mask[of])
            counted = counted[:, : int(counted.sum(dim=1).max())]
            order = permutations(key[span], counted, self._draws, self._seed)
            a, b = (x[of, : counted.shape[1]] for x in (pattern.a, pattern.b))
            b = b[:, None].expand_as(order).gather(-1, order)
            pieces.append(_values(self._statistic, a, b, counted, taken(pattern.options, of)))
        return torch.cat(pieces)


class Shifts:
    """Circular shifts: neighbouring tokens stay neighbours; `draws` of them where n − 1 is more."""

    exact: ClassVar[bool] = False

    def __init__(self, statistic: Callable[..., Agreement], draws: int) -> None:
        self._statistic = statistic
        self._draws = draws

    def draw(self, a: Tensor, b: Tensor, mask: Tensor, ids: Tensor | None, options: Options) -> Drawn:
        """Move b along, around the end."""
        n = mask.sum(dim=1)
        most = max(1, min(self._draws, a.shape[1] - 1))
        number = torch.arange(most, device=a.device)
        others = (n[:, None] - 1).clamp(min=0)
        # All distances where there are few enough, else evenly spaced ones.
        distance = 1 + number * others // others.clamp(min=1, max=most)
        a, b, counted = compacted(a.double(), mask), compacted(b.double(), mask), first_positions(mask)
        position = torch.arange(a.shape[1], device=a.device)
        pieces = [a.new_empty(0, most)]
        for span in spans(len(a), most * a.shape[1] * _BYTES_PER_POSITION, _PIECE[mask.device.type]):
            source = (position + distance[span, :, None]) % n[span, None, None].clamp(min=1)
            moved = b[span, None].expand(-1, most, -1).gather(-1, source)
            pieces.append(_values(self._statistic, a[span], moved, counted[span], taken(options, span)))
        return _summed(torch.cat(pieces).where(number < others, float("nan")))


class GroupShuffles:
    """Random permutations within groups of positions, as of words that are equally long.

    What such words have in common, whatever two measures say of them, is left as it is.
    """

    def __init__(self, statistic: Callable[..., Agreement], draws: int, seed: int = 0) -> None:
        self._statistic = statistic
        self._draws = draws
        self._seed = seed

    def draw(
        self, a: Tensor, b: Tensor, groups: Tensor, mask: Tensor, ids: Tensor, options: Options
    ) -> Drawn:
        """Shuffle b within the groups: a, b, groups (whole numbers), mask [B,T], ids [B] → Drawn."""
        a, b, of = (compacted(x.double(), mask) for x in (a, b, groups))
        counted, length = first_positions(mask), mask.shape[1]
        # Positions that do not count are a group of their own, behind all others.
        of = of.masked_fill(~counted, float(groups.max()) + 1 if groups.numel() else 0.0)
        places = (of * length + torch.arange(length, device=of.device)).argsort(dim=1)
        pieces = [a.new_empty(0, self._draws)]
        size = self._draws * length * _BYTES_PER_POSITION
        for span in spans(len(a), size, _PIECE[mask.device.type]):
            drawn = uniforms(ids.to(mask.device)[span], counted[span], self._draws, self._seed)
            # Sorted by group and then by draw, and by group and then by place: value for value.
            source = (of[span, None] + drawn).argsort(dim=-1)
            order = torch.empty_like(source).scatter(-1, places[span, None].expand_as(source), source)
            moved = b[span, None].expand_as(drawn).gather(-1, order)
            pieces.append(_values(self._statistic, a[span], moved, counted[span], taken(options, span)))
        return _summed(torch.cat(pieces))


def taken(options: Options, rows: Any) -> Options:
    """Take the options of some texts."""
    return {key: x[rows] if isinstance(x, Tensor) and x.dim() else x for key, x in options.items()}


def _values(
    statistic: Callable[..., Agreement], a: Tensor, b: Tensor, mask: Tensor, options: Options
) -> Tensor:
    """Compute a statistic of a with every draw of b: a, mask [B,T], b [B,R,T] → [B,R]."""
    many = torch.arange(len(a), device=a.device).repeat_interleave(b.shape[1])
    agreement = statistic(a[many], b.flatten(0, 1), mask[many], **taken(options, many))
    return agreement.value.view(len(a), b.shape[1])


def _summed(drawn: Tensor) -> Drawn:
    mean = drawn.nanmean(dim=1)
    return Drawn(drawn, mean, ((drawn - mean[:, None]) ** 2).nanmean(dim=1) ** 0.5)


def _contents(pattern: Pattern, mask: Tensor) -> list[bytes]:
    """Write what a pattern holds of each text, padding and what all texts share left out."""
    a, b = pattern.a.cpu().numpy(), pattern.b.cpu().numpy()
    options = [x.tolist() for _, x in sorted(pattern.options.items()) if isinstance(x, Tensor)]
    return [
        a[row, :n].tobytes()
        + b[row, :n].tobytes()
        + repr([numbers[row] for numbers in options]).encode()
        for row, n in enumerate(mask.sum(dim=1).tolist())
    ]


def _number(key: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big", signed=True)
