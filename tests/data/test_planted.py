"""The planted tasks against rules written here once more, from the definition of each task."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from pydantic_core import PydanticCustomError

from attex.data import planted_frames
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS, SPLITS, Document

TASKS = ("keyword", "majority", "negation", "interaction", "position", "question")
SIZES = (3000, 201, 200)
NOWHERE = DataFolder(Path("there-is-no-such-folder"))

# fmt: off
GOOD = {
    "wonderful", "great", "excellent", "lovely", "brilliant", "superb", "delightful", "charming",
    "pleasant", "splendid", "marvellous", "fantastic",
}
BAD = {
    "terrible", "awful", "horrible", "dreadful", "dull", "disappointing", "annoying", "dismal",
    "unpleasant", "miserable", "boring", "lousy",
}
# fmt: on
NEGATORS = {"not", "never", "hardly", "barely", "scarcely"}
HOT_DISHES = {"soup", "tea", "coffee", "stew", "porridge", "cocoa"}
COLD_DISHES = {"lemonade", "beer", "salad", "sorbet", "milkshake", "cider"}
WARM = {"hot", "warm", "steaming", "heated"}
COOL = {"cold", "cool", "icy", "chilled"}
CHEAP = {"cheap", "affordable", "inexpensive", "moderate"}
DEAR = {"expensive", "costly", "pricey", "overpriced"}
OPPOSITES = ((GOOD, BAD), (HOT_DISHES, COLD_DISHES), (WARM, COOL), (CHEAP, DEAR))
SIGNALS = set().union(NEGATORS, *(one | other for one, other in OPPOSITES))
ASKED = {
    "was it good": (GOOD, BAD),
    "did we like it": (GOOD, BAD),
    "was it warm enough": (WARM, COOL),
    "did it get warm": (WARM, COOL),
    "was it worth the price": (CHEAP, DEAR),
    "could we afford it": (CHEAP, DEAR),
}
"""What a question asks after: words that say yes, and words that say no."""


def read(task: str, sizes: tuple[int, int, int] = SIZES, **options: object) -> list[Document]:
    spec = READERS.spec({"type": "planted", "task": task, "sizes": sizes, **options})
    return list(READERS.bind(spec).documents(NOWHERE))


@pytest.fixture(scope="module", params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def documents(task: str) -> list[Document]:
    return read(task)


def oracle(task: str, tokens: list[str], query: list[str] | None) -> tuple[bool, list[int]]:
    """Judge a text by reading it: its label, and the places that decide."""
    polar = [place for place, word in enumerate(tokens) if word in GOOD | BAD]
    if task == "question":
        yes, no = ASKED[" ".join(query or [])]
        (place,) = (place for place, word in enumerate(tokens) if word in yes | no)
        return tokens[place] in yes, [place]
    assert query is None
    if task == "keyword":
        (place,) = polar
        return tokens[place] in GOOD, [place]
    if task == "majority":
        good = sum(tokens[place] in GOOD for place in polar)
        assert len(polar) in (3, 5)
        return good > len(polar) - good, polar
    if task == "negation":
        (place,) = polar
        if tokens[place - 1] in NEGATORS:
            return tokens[place] in BAD, [place - 1, place]
        return tokens[place] in GOOD, [place]
    if task == "interaction":
        (dish,) = (p for p, word in enumerate(tokens) if word in HOT_DISHES | COLD_DISHES)
        (heat,) = (p for p, word in enumerate(tokens) if word in WARM | COOL)
        return (tokens[dish] in HOT_DISHES) == (tokens[heat] in WARM), [dish, heat]
    return tokens[polar[0]] in GOOD, polar[:1]


def from_truth_alone(task: str, words: list[str]) -> bool:
    """Judge by the marked words in their order, without the rest of the text."""
    match task, words:
        case "negation", [negator, word]:
            assert negator in NEGATORS
            return word in BAD
        case "keyword" | "negation" | "position", [word]:
            return word in GOOD
        case "majority", [*polar]:
            return Counter(word in GOOD for word in polar).most_common(1)[0][0]
        case "interaction", [dish, heat]:
            return (dish in HOT_DISHES and heat in WARM) or (dish in COLD_DISHES and heat in COOL)
        case "question", [word]:
            return word in GOOD | WARM | CHEAP
    raise AssertionError(f"{task}: {words}")


def is_positive(document: Document) -> bool:
    return {"negative": False, "positive": True}[document.label]


def marked(document: Document) -> list[str]:
    assert document.truth is not None
    return [w for w, mark in zip(document.tokens, document.truth, strict=True) if mark]


def opposite(word: str) -> str:
    for one, other in OPPOSITES:
        if word in one | other:
            return min(other if word in one else one)
    return word


def test_label_and_truth_are_what_the_rule_says(task: str, documents: list[Document]) -> None:
    for document in documents:
        label, places = oracle(task, document.tokens, document.query)
        assert label == is_positive(document)
        assert document.truth == [place in places for place in range(len(document.tokens))]


def test_marked_words_alone_give_the_label(task: str, documents: list[Document]) -> None:
    for document in documents:
        assert from_truth_alone(task, marked(document)) == is_positive(document)


def test_unmarked_words_do_not_matter(task: str, documents: list[Document]) -> None:
    """Fillers are replaced by a neutral word, signal words without a mark by their opposites."""
    for document in documents:
        assert document.truth is not None
        changed = [
            word if mark else opposite(word) if word in SIGNALS else "thing"
            for word, mark in zip(document.tokens, document.truth, strict=True)
        ]
        assert oracle(task, changed, document.query)[0] == is_positive(document)


def test_every_marked_word_matters(task: str, documents: list[Document]) -> None:
    """Without its negator, or with the opposite of one marked word, the label is the other one."""
    for document in documents:
        words = marked(document)
        for place in pivotal(task, words, is_positive(document)):
            instead = [] if words[place] in NEGATORS else [opposite(words[place])]
            changed = [*words[:place], *instead, *words[place + 1 :]]
            assert from_truth_alone(task, changed) != is_positive(document)


def pivotal(task: str, words: list[str], positive: bool) -> list[int]:
    """All marked words; of a majority those that win by one vote."""
    if task != "majority":
        return list(range(len(words)))
    winners = [place for place, word in enumerate(words) if (word in GOOD) == positive]
    return winners if 2 * len(winners) == len(words) + 1 else []


def test_labels_are_balanced_and_mixed(documents: list[Document]) -> None:
    for split, size in zip(SPLITS, SIZES, strict=True):
        labels = [is_positive(d) for d in documents if d.split == split]
        assert len(labels) == size
        assert abs(2 * sum(labels) - size) <= 1
        # `limit` takes evenly spaced texts and must find both classes.
        assert {True, False} == set(labels[::2]) == set(labels[1::2])


def test_no_text_and_no_name_occurs_twice(task: str, documents: list[Document]) -> None:
    assert len({tuple(document.tokens) for document in documents}) == len(documents)
    assert len({document.name for document in documents}) == len(documents)
    assert documents[-1].name == f"{task}/0/test/{SIZES[2] - 1}"


def test_texts_are_short_and_plain(documents: list[Document]) -> None:
    assert all(8 <= len(document.tokens) <= 22 for document in documents)
    assert all(word.isalpha() and word.islower() for d in documents for word in d.tokens)


def test_seed_decides_the_texts(task: str) -> None:
    small = (40, 4, 4)
    assert read(task, small) == read(task, small)
    texts = {tuple(document.tokens) for document in read(task, small)}
    assert not texts & {tuple(document.tokens) for document in read(task, small, seed=1)}


def test_texts_are_the_same_in_every_process() -> None:
    assert " ".join(read("keyword", (2, 2, 2))[-1].tokens) == (
        "to be precise we found the garden simple familiar and brilliant and the terrace casual "
        "and standard before the holidays"
    )


def test_no_single_word_gives_the_label_away(task: str, documents: list[Document]) -> None:
    """Fillers never do; where two words or their order decide, no signal word does either."""
    texts: dict[str, list[bool]] = defaultdict(list)
    for document in documents:
        for word in set(document.tokens):
            texts[word].append(is_positive(document))
    telling = SIGNALS if task in ("keyword", "majority", "position", "question") else set()
    frequent = {w: found for w, found in texts.items() if len(found) >= 80 and w not in telling}
    assert len(frequent) > 80
    for word, found in frequent.items():
        spread = 0.5 / len(found) ** 0.5
        assert abs(sum(found) / len(found) - 0.5) < 4 * spread, word


def test_negators_stand_before_neutral_words_as_often() -> None:
    counts = {True: Counter[int](), False: Counter[int]()}
    for document in read("negation"):
        counts[len(marked(document)) == 2][sum(w in NEGATORS for w in document.tokens)] += 1
    for number in (1, 2):
        share = counts[True][number] / (counts[True][number] + counts[False][number])
        assert share == pytest.approx(0.5, abs=0.05)


def test_later_words_of_position_are_no_shortcut() -> None:
    last_against = count_for = 0.0
    found = read("position")
    for document in found:
        polar = [word in GOOD for word in document.tokens if word in GOOD | BAD]
        assert set(polar) == {True, False}
        last_against += polar[-1] != is_positive(document)
        good, bad = sum(polar), len(polar) - sum(polar)
        count_for += 0.5 if good == bad else (good > bad) == is_positive(document)
    assert max(last_against, count_for) / len(found) < 0.7


def test_neither_text_nor_question_alone_gives_the_answer_away() -> None:
    answers: dict[str, list[bool]] = defaultdict(list)
    most = 0
    found = read("question")
    for document in found:
        sides = [word in GOOD | WARM | CHEAP for word in document.tokens if word in SIGNALS]
        assert len(sides) == 3
        assert set(sides) == {True, False}
        most += (sum(sides) == 2) == is_positive(document)
        answers[" ".join(document.query or [])].append(is_positive(document))
    assert most / len(found) == pytest.approx(2 / 3, abs=0.04)
    assert answers.keys() == ASKED.keys()
    for labels in answers.values():
        assert abs(sum(labels) / len(labels) - 0.5) < 4 * 0.5 / len(labels) ** 0.5


def test_there_are_hundreds_of_frames_and_none_holds_a_signal() -> None:
    frames = {
        f"{opening} {core} {ending}".strip()
        for opening in planted_frames.OPENINGS
        for core in planted_frames.CORES
        for ending in planted_frames.ENDINGS
    }
    assert len(frames) == planted_frames.FRAME_COUNT >= 300
    fixed = {word for frame in frames for word in frame.split()}
    fillers = {*planted_frames.NOUNS, *planted_frames.NEUTRAL}
    assert not (fixed | fillers) & SIGNALS
    assert not fixed & fillers


def test_default_is_majority_and_builds_a_corpus() -> None:
    reader = READERS.bind(READERS.spec("planted"))
    assert (reader.task, reader.sizes, reader.files(NOWHERE)) == ("majority", (2000, 300, 300), [])
    corpus = build_corpus(reader, NOWHERE)
    assert corpus.classes == ["negative", "positive"]
    assert corpus.facts["also_in_train"] == {"dev": 0, "test": 0}
    assert all(part.truth is not None and part.truth.any() for part in corpus.splits.values())


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"sizes": (0, 300, 300)}, ("sizes", 0)),
        ({"sizes": (2000, 300, 1)}, ("sizes", 2)),
        ({"task": "keywords"}, ("task",)),
    ],
)
def test_bad_option_is_refused(options: dict[str, object], place: tuple[str | int, ...]) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        READERS.spec({"type": "planted", **options})
    assert [error["loc"] for error in (caught.value.context or {})["nested"]] == [place]
