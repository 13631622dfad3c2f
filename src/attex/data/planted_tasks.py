"""The planted tasks: each writes a text for a wanted label and marks the words that decide it.

A task draws its frame and its neutral words without looking at the label.
"""

import random
from collections.abc import Callable, Sequence
from itertools import product
from typing import Literal

from attex.data.planted_frames import (
    ADJECTIVE,
    NEGATORS,
    POLAR,
    QUESTIONS,
    SERVED,
    TEMPERATURES,
    Frame,
    Marked,
    draw_frame,
)

TaskName = Literal["keyword", "majority", "negation", "interaction", "position", "question"]
Task = Callable[[bool, random.Random], tuple[Marked, ...]]
Asked = tuple[tuple[Marked, ...], tuple[str, ...]]
"""A text, and what is asked of it."""


def keyword(positive: bool, rng: random.Random) -> tuple[Marked, ...]:
    """Plant one polar word: it is the label."""
    frame = draw_frame(rng)
    return _with_polar(frame, [positive], [True], rng)


def majority(positive: bool, rng: random.Random) -> tuple[Marked, ...]:
    """Plant three or five polar words: most of them agree with the label."""
    count = rng.choice((3, 5))
    against = rng.randrange(count // 2 + 1)
    sides = [not positive] * against + [positive] * (count - against)
    rng.shuffle(sides)
    frame = draw_frame(rng, adjectives=count)
    return _with_polar(frame, sides, [True] * count, rng)


def negation(positive: bool, rng: random.Random) -> tuple[Marked, ...]:
    """Plant one polar word that a negator directly before it turns round.

    The number of negators does not depend on whether one of them turns the polar word: the others
    stand before neutral words. So the words without their order say nothing about the label.
    """
    negators = rng.sample(NEGATORS, rng.choice((1, 2)))
    negated = rng.random() < 0.5
    frame = draw_frame(rng, closing=len(negators) + 1)
    polar, *others = rng.sample(frame.closing, len(frame.closing))
    planted = {polar: [(rng.choice(POLAR[positive != negated]), True)]}
    if negated:
        planted[polar].insert(0, (negators.pop(), True))
    for place, negator in zip(others, negators, strict=False):
        planted[place] = [(negator, False), (ADJECTIVE, False)]
    return frame.filled(planted, rng)


def interaction(positive: bool, rng: random.Random) -> tuple[Marked, ...]:
    """Plant a dish or drink and its temperature: positive if they fit each other.

    Hot soup and cold beer fit, cold soup and hot beer do not, so either word alone says nothing.
    Had the label been the presence of both words, one missing word would have decided alone.
    """
    frame = draw_frame(rng)
    place = rng.choice(frame.adjectives)
    hot = rng.random() < 0.5
    planted = {
        frame.noun_of(place): [(rng.choice(SERVED[hot == positive]), True)],
        place: [(rng.choice(TEMPERATURES[hot]), True)],
    }
    return frame.filled(planted, rng)


def position(positive: bool, rng: random.Random) -> tuple[Marked, ...]:
    """Plant three or four polar words of both kinds: the first is the label.

    The later ones are any that bring in the other kind too. Of two words the second would always
    be the opposite of the first and decide as well; here no later word, and no count of the words
    without their order, is right about more than two texts in three.
    """
    count = rng.choice((3, 4))
    later = [sides for sides in product((False, True), repeat=count - 1) if (not positive) in sides]
    frame = draw_frame(rng, adjectives=count)
    return _with_polar(frame, [positive, *rng.choice(later)], [True] + [False] * (count - 1), rng)


def question(positive: bool, rng: random.Random) -> Asked:
    """Say how good, how warm and how dear things were, and ask after one of the three.

    The answer is yes to one of the three at least, and no to another: without the question, no count
    of the words is right about more than two texts in three. The question alone says nothing.
    """
    every = [
        (sides, asked)
        for sides in product((False, True), repeat=len(QUESTIONS))
        for asked in range(len(sides))
        if len(set(sides)) == 2 and sides[asked] == positive
    ]
    sides, asked = rng.choice(every)
    frame = draw_frame(rng, adjectives=len(sides))
    planted = {}
    for number, place in enumerate(rng.sample(frame.adjectives, len(sides))):
        words = QUESTIONS[number].answers[sides[number]]
        planted[place] = [(rng.choice(words), number == asked)]
    return frame.filled(planted, rng), rng.choice(QUESTIONS[asked].forms)


TASKS: dict[TaskName, Task] = {
    "keyword": keyword,
    "majority": majority,
    "negation": negation,
    "interaction": interaction,
    "position": position,
}


def _with_polar(
    frame: Frame, sides: Sequence[bool], decide: Sequence[bool], rng: random.Random
) -> tuple[Marked, ...]:
    """Plant polar words of the given sides, in this order and none twice, in some slots."""
    words = {side: iter(rng.sample(POLAR[side], len(POLAR[side]))) for side in POLAR}
    places = sorted(rng.sample(frame.adjectives, len(sides)))
    planted = {
        place: [(next(words[side]), decides)]
        for place, side, decides in zip(places, sides, decide, strict=True)
    }
    return frame.filled(planted, rng)
