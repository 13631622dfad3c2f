"""Questions about short stories: the first three of Facebook's bAbI tasks."""

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from attex.data.folder import DataFolder, open_text
from attex.data.reader import READERS, Count, Document, Reader
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import LATER

_TASKS = {
    1: "qa1_single-supporting-fact",
    2: "qa2_two-supporting-facts",
    3: "qa3_three-supporting-facts",
}
_LINE = re.compile(r"(\d+) (.+)")
_DEV_SHARE, _SEED = 0.15, 16377
"""Of the published split."""

# fmt: off
_WORDS = (
    ".", "Daniel", "John", "Mary", "Sandra", "Where", "apple", "back", "bathroom", "bedroom", "before",
    "discarded", "down", "dropped", "football", "garden", "got", "grabbed", "hallway", "is",
    "journeyed", "kitchen", "left", "milk", "moved", "office", "picked", "put", "the", "there", "to",
    "took", "travelled", "up", "was", "went",
)
# fmt: on

_EXCHANGEABLE = (
    ("Daniel", "John", "Mary", "Sandra"),
    ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"),
    ("apple", "football", "milk"),
)
"""People, places and things: a story of some is as good a story of others of their kind."""


@READERS.register("babi", cite="Weston et al. 2015")
@dataclass(frozen=True, kw_only=True)
class Babi(Reader):
    """Stories of who went where and took what, each with a question; the facts that answer it are truth.

    `task` 1, 2 or 3 is also how many facts it takes to answer. `size` is `en-10k`, 10,000 questions in
    train, or `en`, 1,000. Attention rests on the facts told so far, joined by full stops; the question
    is the query. As published, case is kept, the answer is any of the 36 words of the three tasks, and
    dev is 15 % of train by scikit-learn's shuffle with seed 16377.

    `renamed` gives each training story so many times in all: once as it is, and then with people, places
    and things exchanged among their kind, in facts, question and answer alike, no two of these copies
    the same. Who is called what decides no answer, so that a copy is a story like any other; with
    10, the 850 training stories of an `en` task are as many as those of `en-10k`. Dev and test stay.
    """

    task: Literal[1, 2, 3] = 1
    size: Literal["en", "en-10k"] = "en-10k"
    renamed: Annotated[Count, LATER] = 1

    publisher: ClassVar[str] = "the bAbI project's tasks_1-20_v1-2"
    classes: ClassVar[tuple[str, ...]] = _WORDS

    def called(self) -> str:
        """Name the task: its stories have nothing to do with those of another."""
        return f"babi_{self.task}"

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the questions of train and test."""
        place = f"tasks_1-20_v1-2/{self.size}/{_TASKS[self.task]}"
        return [
            folder.find(f"babi/{place}_{part}.txt", f"{place}_{part}.txt", publisher=self.publisher)
            for part in ("train", "test")
        ]

    def tokens(self, text: str) -> list[str]:
        """Cut facts, which full stops part, or a question."""
        words = text.replace(".", " . ").replace("?", " ").split()
        return words[:-1] if words[-1:] == ["."] else words

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read every question with the facts before it."""
        train, test = (list(_questions(path)) for path in self.files(folder))
        dev = _published_dev(len(train))
        for number, question in enumerate(train):
            split = "dev" if number in dev else "train"
            document = self._document(question, "train", number, split)
            yield document
            if split == "train":
                yield from _renamed(document, question.where, self.renamed)
        for number, question in enumerate(test):
            yield self._document(question, "test", number, "test")

    def _document(self, question: "_Question", part: str, number: int, split: str) -> Document:
        if question.answer not in self.classes:
            word = brief(question.answer)
            raise UserError(f"{question.where}: '{word}' is none of the 36 words of the tasks")
        tokens, truth = question.joined()
        name = f"qa{self.task}/{self.size}/{part}/{number + 1}"
        return Document(name, split, tokens, question.answer, truth, question.words)


@dataclass(frozen=True)
class _Question:
    """A question, the facts told before it by their numbers, and which of them answer it."""

    where: str
    words: list[str]
    answer: str
    facts: dict[int, list[str]]
    supporting: Sequence[int]

    def joined(self) -> tuple[list[str], list[bool]]:
        """Join the facts by full stops, with none after the last; mark the words of supporting ones."""
        tokens = chain.from_iterable([*words, "."] for words in self.facts.values())
        marks = chain.from_iterable(
            [*[number in self.supporting] * len(words), False] for number, words in self.facts.items()
        )
        return [*tokens][:-1], [*marks][:-1]


def _questions(path: Path) -> Iterator[_Question]:
    facts: dict[int, list[str]] = {}
    with open_text(path) as file:
        for place, line in enumerate(file, 1):
            where, found = f"{path} line {place}", _LINE.fullmatch(line.strip())
            if found is None:
                raise UserError(f"{where} is not a number and a sentence")
            number, (sentence, *rest) = int(found[1]), found[2].split("\t")
            if number == 1:
                facts = {}
            if not rest:
                facts[number] = sentence.strip().removesuffix(".").split()
                continue
            words = sentence.strip().removesuffix("?").split()
            supporting = rest[1].split() if len(rest) == 2 else []
            told = all(word.isdecimal() and int(word) in facts for word in supporting)
            if not (words and supporting and told):
                raise UserError(
                    f"{where} is not a question, its answer and the numbers of facts told before, "
                    "with a tab before each"
                )
            yield _Question(where, words, rest[0].strip(), dict(facts), [*map(int, supporting)])


def _renamed(document: Document, where: str, times: int) -> Iterator[Document]:
    """Exchange names in a story, each time anew and the same in every run: with it, so many times."""
    if times == 1:
        return
    told = {*document.tokens, *(document.query or ()), document.label}
    if unknown := sorted(told.difference(_WORDS)):
        raise UserError(
            f"{where}: '{brief(unknown[0])}' is none of the 36 words of the tasks, so that the story "
            "cannot be renamed; leave out data.renamed"
        )
    named = [[word for word in kind if word in told] for kind in _EXCHANGEABLE]
    kinds = [(kind, len(words)) for kind, words in zip(_EXCHANGEABLE, named, strict=True)]
    ways = math.prod(math.perm(len(kind), count) for kind, count in kinds)
    if times > ways:
        raise UserError(f"{where}: the story has {ways:,} namings, but data.renamed is {times:,}")
    names, rng = [*chain(*named)], random.Random(document.name)
    seen = {tuple(names)}
    while len(seen) < times:
        others = tuple(chain.from_iterable(rng.sample(kind, count) for kind, count in kinds))
        if others not in seen:
            seen.add(others)
            yield _with_names(document, dict(zip(names, others, strict=True)), len(seen))


def _with_names(document: Document, names: Mapping[str, str], copy: int) -> Document:
    def said(words: Sequence[str]) -> list[str]:
        return [names.get(word, word) for word in words]

    return replace(
        document,
        name=f"{document.name}/renamed/{copy}",
        tokens=said(document.tokens),
        label=names.get(document.label, document.label),
        query=said(document.query or ()),
    )


def _published_dev(count: int) -> frozenset[int]:
    """Return which training questions are dev: the first of scikit-learn's permutation."""
    shuffled = np.random.RandomState(_SEED).permutation(count)
    return frozenset(shuffled[: math.ceil(_DEV_SHARE * count)].tolist())
