"""SNLI and bAbI to the row, against a second reading."""

import gzip
import json
import re
from collections import Counter

import pytest
from sklearn.model_selection import train_test_split

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.readers.babi import Babi

PUBLISHED_VOCABULARY = {1: 24, 2: 38, 3: 39}
STEMS = {1: "qa1_single-supporting-fact", 2: "qa2_two-supporting-facts", 3: "qa3_three-supporting-facts"}


def build(folder: DataFolder, **spec: object) -> Corpus:
    return build_corpus(READERS.bind(READERS.spec(spec)), folder)


def lines(folder: DataFolder, task: int, size: str, part: str) -> list[str]:
    place = folder.root / "babi" / "tasks_1-20_v1-2" / size
    return gzip.open(place / f"{STEMS[task]}_{part}.txt.gz", "rt").read().splitlines()


def test_the_answers_of_babi_are_the_words_of_all_three_tasks(real_data: DataFolder) -> None:
    text = [line for task in STEMS for line in lines(real_data, task, "en", "train")]
    words = {word for line in text for word in re.findall(r"[A-Za-z]+|\.", line)}
    assert sorted(words) == list(Babi.classes)
    assert len(words) == 36


@pytest.mark.parametrize(("task", "size"), [(1, "en-10k"), (2, "en-10k"), (3, "en")])
def test_babi_is_what_the_files_say(real_data: DataFolder, task: int, size: str) -> None:
    corpus = build(real_data, type="babi", task=task, size=size)
    assert corpus.vocabulary_size == PUBLISHED_VOCABULARY[task]
    train = 8500 if size == "en-10k" else 850
    assert corpus.facts["kept"] == {"train": train, "dev": train * 3 // 17, "test": 1000}
    numbers = [int(name.rpartition("/")[2]) for name in corpus.splits["dev"].names]
    _, dev = train_test_split(range(1, train * 20 // 17 + 1), test_size=0.15, random_state=16377)
    assert sorted(numbers) == sorted(dev)

    part, text, told, asked = corpus.splits["test"], 0, dict[int, str](), 0
    assert part.truth is not None
    for line in lines(real_data, task, size, "test"):
        number, rest = line.split(" ", 1)
        told = {} if number == "1" else told
        if "\t" not in rest:
            told[int(number)] = rest.strip(" .")
            continue
        question, answer, facts = rest.split("\t")
        assert corpus.tokens("test", text) == " . ".join(told.values()).split()
        assert corpus.query_tokens("test", text) == question.strip(" ?").split()
        assert corpus.classes[int(part.labels[text])] == answer
        marks = part.truth[part.starts[text] : part.starts[text + 1]]
        assert int(marks.sum()) == sum(len(told[int(fact)].split()) for fact in facts.split())
        assert len(facts.split()) == task
        text, asked = text + 1, asked + 1
    assert asked == len(part) == 1000


def test_snli_is_what_the_files_say(real_data: DataFolder) -> None:
    corpus = build(real_data, type="snli")
    for split, part in corpus.splits.items():
        with gzip.open(real_data.root / "snli" / f"snli_1.0_{split}.jsonl.gz", "rt") as file:
            rows = [json.loads(line) for line in file]
        agreed = [row for row in rows if row["gold_label"] != "-"]
        assert len(part) == len(agreed)
        labels = Counter(corpus.classes[label] for label in part.labels.tolist())
        assert labels == Counter(row["gold_label"] for row in agreed)
        for text in range(0, len(part), 997):
            for tokens, field in (
                (corpus.tokens(split, text), "sentence1"),
                (corpus.query_tokens(split, text) or [], "sentence2"),
            ):
                letters = re.sub(r"\s", "", agreed[text][field].lower())
                if not re.search(r"\d", letters):
                    assert "".join(tokens) == letters
    assert len(corpus.splits["dev"]) == 9842
    assert len(corpus.splits["test"]) == 9824
