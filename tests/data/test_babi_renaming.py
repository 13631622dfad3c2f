"""Renamed bAbI stories: their answers against a simulation of who went where with what."""

from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from attex.data.folder import DataFolder
from attex.data.reader import READERS, Document
from attex.foundations.errors import UserError

STEMS = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 3: "qa3_three-supporting-facts"}
TAKING, LEAVING = {"got", "grabbed", "picked", "took"}, {"discarded", "dropped", "left", "put"}

STORY = """1 Mary went to the kitchen.
2 John journeyed to the office.
3 Mary picked up the milk there.
4 Mary travelled to the garden.
5 Where is the milk?\tgarden\t3 4
6 Mary put down the milk.
7 Mary went back to the hallway.
8 Where is the milk?\tgarden\t4 6
"""


def documents(folder: DataFolder, task: int, size: str = "en", **options: object) -> list[Document]:
    reader = READERS.bind(READERS.spec({"type": "babi", "task": task, "size": size, **options}))
    return [one for one in reader.documents(folder) if isinstance(one, Document)]


def written(folder: Path, train: str, test: str = STORY) -> DataFolder:
    place = folder / "babi" / "tasks_1-20_v1-2" / "en"
    place.mkdir(parents=True)
    for part, content in (("train", train), ("test", test)):
        (place / f"{STEMS[2]}_{part}.txt").write_text(content)
    return DataFolder(folder)


def simulated(document: Document) -> str:
    """Follow the story fact by fact, and answer its question."""
    person_in, thing_with, places_of = dict[str, str](), dict[str, str](), dict[str, list[str]]()

    def note(thing: str, place: str) -> None:
        been = places_of.setdefault(thing, [])
        if been[-1:] != [place]:
            been.append(place)

    facts = (list(fact) for stop, fact in groupby(document.tokens, lambda word: word == ".") if not stop)
    for person, verb, *rest in facts:
        words = [word for word in rest if word != "there"]
        if verb in TAKING:
            thing_with[words[-1]] = person
            if person in person_in:
                note(words[-1], person_in[person])
        elif verb in LEAVING:
            thing_with.pop(words[-1], None)
        else:
            person_in[person] = words[-1]
            for thing, holder in thing_with.items():
                if holder == person:
                    note(thing, words[-1])
    match document.query:
        case ["Where", "is", "the", thing]:
            return places_of[thing][-1]
        case ["Where", "is", person]:
            return person_in[person]
        case ["Where", "was", "the", thing, "before", "the", place]:
            been = places_of[thing]
            return been[len(been) - 1 - been[::-1].index(place) - 1]
    raise AssertionError(document.query)


@pytest.mark.parametrize("task", [1, 2, 3])
def test_the_answer_of_a_renamed_story_is_what_a_simulation_of_it_finds(
    real_data: DataFolder, task: int
) -> None:
    found = documents(real_data, task, renamed=10)
    assert Counter(one.split for one in found) == {"train": 8500, "dev": 150, "test": 1000}
    for one in found:
        assert one.label == simulated(one), one.name


@pytest.mark.parametrize("task", [1, 2, 3])
def test_the_stories_as_they_are_stay_among_their_renamings(real_data: DataFolder, task: int) -> None:
    plain, ten = documents(real_data, task), documents(real_data, task, renamed=10)
    assert Counter(one.split for one in plain) == {"train": 850, "dev": 150, "test": 1000}
    assert [one for one in ten if "/renamed/" not in one.name] == plain
    assert documents(real_data, task, renamed=10) == ten
    # Fewer copies are the first of more.
    few = documents(real_data, task, renamed=3)
    more = tuple(f"/renamed/{copy}" for copy in range(4, 11))
    assert few == [one for one in ten if not one.name.endswith(more)]


@pytest.mark.parametrize("task", [1, 2, 3])
def test_copies_of_a_story_differ_from_it_and_from_each_other(real_data: DataFolder, task: int) -> None:
    train = [one for one in documents(real_data, task, renamed=10) if one.split == "train"]
    for start in range(0, len(train), 10):
        copies = train[start : start + 10]
        assert len({" ".join(one.tokens + (one.query or [])) for one in copies}) == 10
        assert all(one.truth == copies[0].truth for one in copies)
        # What is no name stays: the same sentences are told.
        assert (
            len({tuple(word for word in one.tokens if word in TAKING | LEAVING) for one in copies}) == 1
        )
    names = Counter(one.label for one in train)
    assert max(names.values()) < 1.2 * min(names.values())


def test_a_story_can_be_given_in_all_its_namings_and_no_more(tmp_path: Path) -> None:
    short = "1 Mary went to the kitchen.\n2 Where is Mary?\tkitchen\t1\n"
    # Four people times six places; the second question is dev.
    folder = written(tmp_path, short * 2)
    train = [one for one in documents(folder, 2, renamed=24) if one.split == "train"]
    assert len({(one.tokens[0], one.label) for one in train}) == len(train) == 24
    with pytest.raises(UserError, match=r"line 2: the story has 24 namings, but data.renamed is 25"):
        documents(folder, 2, renamed=25)


def test_a_story_of_strangers_is_not_renamed(tmp_path: Path) -> None:
    folder = written(tmp_path, STORY.replace("John", "Julie"))
    assert len(documents(folder, 2)) == 4
    with pytest.raises(UserError, match=r"line \d: 'Julie' is none of the 36 words of the tasks"):
        documents(folder, 2, renamed=2)


def test_stories_that_are_not_renamed_are_found_under_their_old_key() -> None:
    plain, renamed = (READERS.spec({"type": "babi", "renamed": times}) for times in (1, 10))
    assert plain.settings() == READERS.spec("babi").settings()
    assert "renamed" not in plain.settings()
    assert renamed.settings()["renamed"] == 10
