"""Which settings a multiverse trains: a design gives every universe a level of every choice.

All combinations of eleven choices with three levels each are 177,147 settings. A design is a part of
them from which the effects of the choices can still be told apart. Three kinds, in the order of
preference:

*Full factorial*: every combination once. It is taken where there are at most 243 of them. Nothing is
confused with anything.

*Orthogonal array of the dual ternary Golay code*: 243 settings of up to eleven choices with two or three
levels. The words of the code are all sums (mod 3) of five rows, and letter f of a word is the level of
choice f. Its strength is 4: any four choices show each of their 3⁴ = 81 combinations equally often,
three times. Hence no choice is confused with another choice or a pair, and no pair with another pair.
What can be confused with a pair are interactions of three choices and more.

Two of the eleven letters cut the array into nine blocks of 27: a block is the words in which these two
are fixed. Fixing two letters takes two from the strength, so the other nine letters have strength 2 in
each block, and its choices are not confused with each other (but with pairs). With up to nine choices a
study may thus stop after any block and be extended: blocks come in one order, and the first k are the
same however many follow. Three blocks (and six) have strength 3, for they have one letter fixed.
With ten or eleven choices those two letters are levels themselves: the 243 settings are one block.

A choice of two levels fills a letter of three values: its first level stands for two of them, so it is
in two thirds of all universes. The array stays orthogonal, and the shares of variance are those of
choices weighted like this.

*Balanced random design*: for all else, as five choices of four levels. Every choice deals out its levels
like a shuffled deck, again and again, so that after any number of universes each level was there equally
often up to one. Which levels meet is chance, drawn by a hash of the seed: effects overlap a little.
It comes in blocks of 27, too, and can be extended without end.

References: Golay (1949), "Notes on digital coding"; Rao (1947), "Factorial experiments derivable from
combinatorial arrangements of arrays"; Hedayat, Sloane & Stufken (1999), *Orthogonal Arrays*, chapter 4:
a linear code is an array whose strength is the distance of its dual, less one. The Golay code's is 5.
"""

import hashlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BLOCK = 27
"""How many universes a block has, where a design comes in blocks."""
BLOCKS = 9
"""How many blocks the Golay design has; as many are drawn of a random one if nothing is said."""
SMALL = BLOCK * BLOCKS
"""Up to so many combinations all of them are taken."""

_GOLAY = np.array(
    [
        [0, 0, 0, 1, 2, 2, 2, 1, 0, 1, 0],
        [0, 0, 0, 0, 1, 2, 2, 2, 1, 0, 1],
        [1, 0, 0, 2, 1, 2, 0, 1, 2, 0, 0],
        [0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0],
        [0, 0, 1, 2, 2, 2, 1, 0, 1, 0, 0],
    ]
)
"""Five rows whose sums mod 3 are the words of the dual ternary Golay code.

The first two rows alone decide the last two letters, which number the blocks. The letters are put in
such an order that the first three choices are a full factorial in every block, four have strength 3
there, and five are a full factorial in all blocks.
"""


@dataclass(frozen=True)
class Design:
    """The settings of a study: U universes, each with a level of F choices.

    Attributes:
        levels: [U,F], the level of each choice, counted from 0.
        blocks: [U], the block each universe belongs to, counted from 0. They stand in this order.
        kind: what kind of design it is, in words.
        weights: which levels are there more often than others by design, in words; empty if none are.
    """

    levels: np.ndarray
    blocks: np.ndarray
    kind: str
    weights: str = ""


def design_for(
    levels: Sequence[int], blocks: int | None = None, seed: int = 0, names: Sequence[str] | None = None
) -> Design:
    """Choose the settings for choices with these numbers of levels: F numbers → Design.

    Without `blocks`: all combinations if they are 243 at most, else the whole Golay design if no choice
    has more than three levels and there are eleven choices at most, else nine blocks of a random one.
    With `blocks`: the first so many blocks of 27 of the Golay design for up to nine choices of at most
    three levels (nine are all), else of a random one. More blocks later change nothing of the first.

    Args:
        levels: how many levels each choice has, 2 or more.
        blocks: how many blocks of 27 universes; None for the whole design.
        seed: where a random design starts; the others have nothing random.
        names: what the choices are called in `weights`.

    Raises:
        ValueError: if there is no choice, one has fewer than two levels, or there are no such blocks.

    Example:
        >>> from attex.studies.designs import design_for
        >>> design_for([2, 2]).levels.tolist()
        [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> golay = design_for([3, 3, 3, 3, 3, 2], blocks=2, names=list("abcdef"))
        >>> golay.levels.shape, golay.weights
        ((54, 6), 'the first of two levels stands in 2 of 3 universes: f')
    """
    counts = [int(count) for count in levels]
    names = [f"choice {f + 1}" for f in range(len(counts))] if names is None else names
    _check(counts, blocks, names)
    combinations = math.prod(counts)
    if blocks is None and combinations <= SMALL:
        every = np.array(list(itertools.product(*map(range, counts))))
        kind = f"full factorial: all {combinations} combinations, once each"
        return Design(every, np.zeros(len(every), dtype=int), kind)
    if max(counts) <= 3 and len(counts) <= (9 if blocks else 11):
        return _golay(counts, blocks, names)
    if max(counts) <= 3 and len(counts) <= 11:
        raise ValueError(
            f"blocks = {blocks} with {len(counts)} choices: the Golay design has blocks for nine at "
            "most; leave blocks out for all of its 243 settings"
        )
    return _random(counts, blocks or BLOCKS, seed)


def every_combination(levels: Sequence[int], blocks: int | None, study: str) -> Design:
    """Cross all levels; `study` says whose design it is.

    Raises:
        ValueError: if some blocks are asked for: there are none.
    """
    if blocks is not None:
        raise ValueError(f"blocks: {study} has every combination; a multiverse can have a part")
    every = np.array([*itertools.product(*map(range, levels))], dtype=int).reshape(-1, len(levels))
    return Design(every, np.zeros(len(every), dtype=int), f"every combination, {len(every):,} in all")


def _check(counts: list[int], blocks: int | None, names: Sequence[str]) -> None:
    if not counts:
        raise ValueError("a design needs at least one choice")
    if len(names) != len(counts):
        raise ValueError(f"{len(names)} names for {len(counts)} choices")
    for name, count in zip(names, counts, strict=True):
        if count < 2:
            raise ValueError(f"{name} has {count} level{'s' * (count != 1)}: a choice needs two or more")
    if blocks is not None and blocks < 1:
        raise ValueError(f"blocks = {blocks} is less than 1")


def _golay(counts: list[int], blocks: int | None, names: Sequence[str]) -> Design:
    """Take the first blocks of the code's words, with a letter for each choice."""
    taken = BLOCKS if blocks is None else blocks
    if taken > BLOCKS:
        raise ValueError(f"blocks = {taken}: the Golay design has {BLOCKS} blocks of {BLOCK}")
    # The first two of the five factors of the sums change slowest: they number the blocks.
    sums = np.array(list(itertools.product(range(3), repeat=5)))[: taken * BLOCK]
    letters = sums @ _GOLAY[:, : len(counts)] % 3
    two = np.array(counts) == 2
    levels = np.where(two & (letters == 2), 0, letters)
    numbers = np.arange(len(sums)) // BLOCK if len(counts) <= 9 else np.zeros(len(sums), dtype=int)
    strength = 4 if taken == BLOCKS else 3 if taken % 3 == 0 else 2
    part = "" if taken == BLOCKS else f", the first {taken} of {BLOCKS} blocks of {BLOCK}"
    kind = f"orthogonal array (dual ternary Golay code{part}): {len(sums)} settings, strength {strength}"
    repeated = [name for name, is_two in zip(names, two, strict=True) if is_two]
    words = "the first of two levels stands in 2 of 3 universes: " + ", ".join(repeated)
    return Design(levels, numbers, kind, words if repeated else "")


def _random(counts: list[int], blocks: int, seed: int) -> Design:
    """Deal out block after block, each in the one of ten ways that repeats the fewest settings."""
    rows: list[tuple[int, ...]] = []
    for block in range(blocks):
        ways = [_dealt(rows, counts, (seed, block, way)) for way in range(10)]
        rows = max(ways, key=lambda way: len(set(way)))
    again = len(rows) - len(set(rows))
    kind = f"balanced random design: {len(rows)} settings, seed {seed}; effects overlap a little" + (
        f"; {again} of them repeat others" if again else ""
    )
    return Design(np.array(rows), np.arange(len(rows)) // BLOCK, kind)


def _dealt(
    rows: list[tuple[int, ...]], counts: list[int], key: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """Deal another block after these rows: every choice from its deck, if possible no setting twice."""
    rows, seen = rows.copy(), set(rows)
    for _ in range(BLOCK):
        decks = [_deck(rows, choice, count) for choice, count in enumerate(counts)]
        for attempt in range(20):
            drawn = (*key, len(rows), attempt)
            row = tuple(deck[_hashed(len(deck), (*drawn, f))] for f, deck in enumerate(decks))
            if row not in seen:
                break
        rows.append(row)
        seen.add(row)
    return rows


def _deck(rows: list[tuple[int, ...]], choice: int, count: int) -> list[int]:
    """Return the levels that a choice still has to deal before it takes up all of them again."""
    gone = {row[choice] for row in rows[len(rows) - len(rows) % count :]}
    return [level for level in range(count) if level not in gone]


def _hashed(below: int, key: tuple[int, ...]) -> int:
    # Not by NumPy: its generators may change with a version, and a study is extended years later.
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big") % below
