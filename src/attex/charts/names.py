"""Where the names of dots stand, so that none covers another or a dot."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

NAME_SIZE = 11
"""Points of a name's letters."""

_LETTER, _LINE, _DOT = 0.55 * NAME_SIZE, 1.2 * NAME_SIZE, 5
"""In pixels how wide a letter is on average, how high a line, and how far a dot reaches."""

_ASIDE = 8
_ABOVE = [step for line in range(10) for step in (-6 - 14 * line, 8 + 14 * line)]
"""In pixels how far a name is from the middle of its dot, the nearest heights first."""

Box = tuple[float, float, float, float]


class Place(NamedTuple):
    """On which side of its dot a name stands, and how many pixels from its middle, down and right."""

    align: Literal["left", "right"]
    dx: int
    dy: int

    @property
    def is_far(self) -> bool:
        """Whether a line has to say whose name it is."""
        return abs(self.dy) > _LINE


def places(
    named: Sequence[tuple[str, float, float]],
    dots: Sequence[tuple[float, float]],
    width: float,
    height: float,
) -> list[Place]:
    """Return where each name stands: (name, x, y) in pixels from the upper left, all dots likewise.

    One after the other takes the first place inside the figure where it covers least.
    """
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    chosen = []
    for name, x, y in named:
        ways = [(place, _box(place, name, x, y)) for place in _ways()]
        inside = [(place, box) for place, box in ways if _is_inside(box, width, height)] or ways
        place, box = min(inside, key=lambda way: sum(_shared(way[1], other) for other in taken))
        taken.append(box)
        chosen.append(place)
    return chosen


def _ways() -> Iterator[Place]:
    for dy in _ABOVE:
        yield Place("left", _ASIDE, dy)
        yield Place("right", -_ASIDE, dy)


def _box(place: Place, name: str, x: float, y: float) -> Box:
    length, start, middle = len(name) * _LETTER, x + place.dx, y + place.dy
    left = start if place.align == "left" else start - length
    return left, middle - _LINE / 2, left + length, middle + _LINE / 2


def _is_inside(box: Box, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height


def _shared(one: Box, other: Box) -> float:
    """Return how many square pixels two boxes have in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(down, 0.0)
