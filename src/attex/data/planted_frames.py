"""The language of the planted tasks: `FRAME_COUNT` sentence frames about an inn, and their words.

A frame is an opening, a core and an ending; only cores have slots, for nouns and for adjectives.
A task plants its signal words in some slots, and neutral words take the others.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Marked = tuple[str, bool]
"""A word, and whether it is one of those that decide the label."""

NOUN, ADJECTIVE = "{noun}", "{adj}"

OPENINGS = (
    "",
    "overall",
    "in short",
    "this time",
    "once again",
    "looking back",
    "in our view",
    "to be precise",
    "for the record",
    "by all accounts",
    "at this inn",
    "as it happened",
    "in that house",
    "on this visit",
    "from our side",
    "like last year",
)

CORES = (
    # two adjectives
    "the {noun} was {adj} and the {noun} was {adj}",
    "the {noun} seemed {adj} while the {noun} was {adj}",
    "the {noun} looked {adj} and the {noun} felt {adj}",
    "we found the {noun} {adj} and the {noun} {adj}",
    "the {noun} by the stairs was {adj} and the {noun} {adj}",
    "the {noun} had become {adj} while the {noun} stayed {adj}",
    "we thought the {noun} was {adj} and the {noun} {adj}",
    # three
    "the {noun} was {adj} and {adj} while the {noun} was {adj}",
    "the {noun} was {adj} while the {noun} felt {adj} and {adj}",
    "the {noun} remained {adj} and {adj} and the {noun} seemed {adj}",
    "the {noun} was {adj} the {noun} {adj} and the {noun} {adj}",
    "the {noun} seemed {adj} the {noun} felt {adj} and the {noun} looked {adj}",
    "with the {noun} {adj} the {noun} was {adj} and the {noun} {adj}",
    "we found the {noun} {adj} the {noun} {adj} and the {noun} {adj}",
    "the {noun} was {adj} while upstairs the {noun} looked {adj} and {adj}",
    # four
    "the {noun} was {adj} and {adj} while the {noun} was {adj} and {adj}",
    "the {noun} felt {adj} and {adj} and the {noun} looked {adj} and {adj}",
    "the {noun} was {adj} {adj} and {adj} while the {noun} was {adj}",
    "the {noun} seemed {adj} and the {noun} was {adj} {adj} and {adj}",
    "the {noun} was {adj} the {noun} {adj} the {noun} {adj} and the {noun} {adj}",
    "we found the {noun} {adj} and {adj} and the {noun} {adj} and {adj}",
    "the {noun} was {adj} the {noun} {adj} and the {noun} {adj} and {adj}",
    "the {noun} stayed {adj} and {adj} the {noun} {adj} and the {noun} {adj}",
    # five
    "the {noun} was {adj} {adj} and {adj} while the {noun} felt {adj} and {adj}",
    "the {noun} looked {adj} and {adj} and the {noun} was {adj} {adj} and {adj}",
    "we found the {noun} {adj} {adj} and {adj} and the {noun} {adj} and {adj}",
    "with the {noun} {adj} and {adj} the {noun} was {adj} {adj} and {adj}",
    # six
    "the {noun} was {adj} {adj} and {adj} while the {noun} seemed {adj} {adj} and {adj}",
    "the {noun} felt {adj} {adj} and {adj} and the {noun} looked {adj} {adj} and {adj}",
    "we found the {noun} {adj} {adj} and {adj} and the {noun} {adj} {adj} and {adj}",
)

ENDINGS = (
    "",
    "throughout",
    "that day",
    "this spring",
    "all week long",
    "when we arrived",
    "as we left",
    "on both evenings",
    "from the start",
    "at that hour",
    "during our stay",
    "in the end",
    "after the renovation",
    "until late june",
    "before the holidays",
    "on that weekend",
)

FRAME_COUNT = len(OPENINGS) * len(CORES) * len(ENDINGS)

# fmt: off
NOUNS = (
    "room", "garden", "lobby", "menu", "breakfast", "service", "music", "terrace", "kitchen", "bar",
    "lounge", "dinner", "bathroom", "hallway", "entrance", "furniture", "lighting", "balcony",
)
NEUTRAL = (
    "simple", "modern", "plain", "familiar", "typical", "ordinary", "traditional", "standard",
    "rustic", "formal", "informal", "compact", "regional", "conventional", "casual", "seasonal",
    "practical", "classic",
)
POLAR = {
    True: (
        "wonderful", "great", "excellent", "lovely", "brilliant", "superb", "delightful",
        "charming", "pleasant", "splendid", "marvellous", "fantastic",
    ),
    False: (
        "terrible", "awful", "horrible", "dreadful", "dull", "disappointing", "annoying",
        "dismal", "unpleasant", "miserable", "boring", "lousy",
    ),
}
NEGATORS = ("not", "never", "hardly", "barely", "scarcely")
# What is served hot (True) or cold (False), and how it may come.
SERVED = {
    True: ("soup", "tea", "coffee", "stew", "porridge", "cocoa"),
    False: ("lemonade", "beer", "salad", "sorbet", "milkshake", "cider"),
}
TEMPERATURES = {
    True: ("hot", "warm", "steaming", "heated"),
    False: ("cold", "cool", "icy", "chilled"),
}
PRICES = {
    True: ("cheap", "affordable", "inexpensive", "moderate"),
    False: ("expensive", "costly", "pricey", "overpriced"),
}
# fmt: on


@dataclass(frozen=True)
class Question:
    """What can be asked, in several forms, and the words that answer it with yes (True) or no."""

    forms: tuple[tuple[str, ...], ...]
    answers: Mapping[bool, tuple[str, ...]]


QUESTIONS = (
    Question((("was", "it", "good"), ("did", "we", "like", "it")), POLAR),
    Question((("was", "it", "warm", "enough"), ("did", "it", "get", "warm")), TEMPERATURES),
    Question((("was", "it", "worth", "the", "price"), ("could", "we", "afford", "it")), PRICES),
)


@dataclass(frozen=True)
class Frame:
    """A sentence with open slots."""

    tokens: tuple[str, ...]

    @property
    def adjectives(self) -> list[int]:
        """Where adjectives go."""
        return [place for place, token in enumerate(self.tokens) if token == ADJECTIVE]

    @property
    def closing(self) -> list[int]:
        """The adjectives that end their list: a negator there can scope over nothing else."""
        return [
            place
            for place in self.adjectives
            if self.tokens[place + 1 : place + 2] != (ADJECTIVE,)
            and self.tokens[place + 1 : place + 3] != ("and", ADJECTIVE)
        ]

    def noun_of(self, adjective: int) -> int:
        """Find the noun that an adjective is said of."""
        return max(p for p, token in enumerate(self.tokens[:adjective]) if token == NOUN)

    def filled(self, planted: Mapping[int, Sequence[Marked]], rng: random.Random) -> tuple[Marked, ...]:
        """Put the planted words into their slots and neutral ones, none twice, into the others.

        What is planted may itself hold a slot, as a negator before a neutral word does.
        """
        spare = {
            NOUN: iter(rng.sample(NOUNS, len(NOUNS))),
            ADJECTIVE: iter(rng.sample(NEUTRAL, len(NEUTRAL))),
        }
        text: list[Marked] = []
        for place, token in enumerate(self.tokens):
            for word, decides in planted.get(place, [(token, False)]):
                text.append((next(spare[word]) if word in spare else word, decides))
        return tuple(text)


_CORES = tuple(Frame(tuple(core.split())) for core in CORES)


def draw_frame(rng: random.Random, *, adjectives: int = 1, closing: int = 1) -> Frame:
    """Draw a frame that has room for so many adjectives, and for so many that end their list."""
    roomy = [c for c in _CORES if len(c.adjectives) >= adjectives and len(c.closing) >= closing]
    opening, ending = rng.choice(OPENINGS).split(), rng.choice(ENDINGS).split()
    return Frame((*opening, *rng.choice(roomy).tokens, *ending))
