"""20 Newsgroups, AG News and ERASER's movies to the row, against a second reading."""

import csv
import gzip
import json
import tarfile
from collections import Counter

import pytest
from sklearn.datasets import _twenty_newsgroups as oracle

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.readers.twenty_news import body, jain_wallace_split

PUBLISHED_20NEWS_VOCABULARY = 6515


def build(folder: DataFolder, dataset: str, **options: object) -> Corpus:
    return build_corpus(READERS.bind(READERS.spec({"type": dataset} | options)), folder)


@pytest.fixture(scope="module")
def messages(real_data: DataFolder) -> dict[str, str]:
    found = {}
    with tarfile.open(real_data.root / "20news" / "20news-bydate.tar.gz") as archive:
        for member in archive:
            if (file := archive.extractfile(member)) is not None:
                found["/".join(member.name.split("/")[-2:])] = file.read().decode("latin-1")
    return found


@pytest.fixture(scope="module")
def movies(real_data: DataFolder) -> Corpus:
    return build(real_data, "eraser_movies")


def test_20news_has_the_papers_test_size_and_nearly_its_vocabulary(real_data: DataFolder) -> None:
    corpus = build(real_data, "20news")
    assert corpus.facts["read"] == {"train": 1236, "dev": 310, "test": 387}
    assert corpus.facts["kept"] == {"train": 1142, "dev": 277, "test": 357}
    assert corpus.vocabulary_size - PUBLISHED_20NEWS_VOCABULARY == 3
    for part in corpus.splits.values():
        groups = [name.split("/")[0].split(".")[-1] for name in part.names]
        assert groups == [corpus.classes[label] for label in part.labels]


def test_20news_test_size_is_the_same_if_the_bounds_are_inclusive(real_data: DataFolder) -> None:
    corpus = build(real_data, "20news", min_tokens=6, max_tokens=500)
    assert corpus.facts["kept"]["test"] == 357


def test_every_message_is_stripped_as_scikit_learn_does(messages: dict[str, str]) -> None:
    split = jain_wallace_split()
    for name, message in messages.items():
        text = oracle.strip_newsgroup_footer(oracle.strip_newsgroup_header(message))
        assert body(message) == oracle.strip_newsgroup_quoting(text)
        assert (name in split) == bool(body(message).strip())


def test_ag_news_has_the_papers_test_size(real_data: DataFolder) -> None:
    corpus = build(real_data, "ag_news")
    assert corpus.facts["read"]["test"] == 3800
    assert corpus.facts["kept"]["test"] == 3798
    assert corpus.facts["also_in_train"] == {"dev": 0, "test": 0}
    assert corpus.classes == ["world", "business"]
    with gzip.open(real_data.root / "ag_news" / "train.csv.gz", "rt", encoding="utf-8") as file:
        kept = Counter(row[0] for row in csv.reader(file))
    read = corpus.facts["read"]
    assert read["train"] + read["dev"] == kept["1"] + kept["3"]
    assert read["dev"] / (read["train"] + read["dev"]) == pytest.approx(0.15, abs=0.01)


def test_eraser_movies_are_complete_and_marked(movies: Corpus) -> None:
    assert movies.facts["kept"] == {"train": 1600, "dev": 200, "test": 199}
    shares = {}
    for split, part in movies.splits.items():
        assert part.truth is not None
        shares[split] = part.truth.double().mean().item()
    assert shares == pytest.approx({"train": 0.0864, "dev": 0.0654, "test": 0.3029}, abs=1e-4)


def test_every_evidence_is_the_text_its_annotator_saw(real_data: DataFolder, movies: Corpus) -> None:
    with tarfile.open(real_data.root / "eraser_movies" / "movies.tar.gz") as archive:
        for split, name in (("train", "train"), ("dev", "val"), ("test", "test")):
            part, rows = movies.splits[split], archive.extractfile(f"movies/{name}.jsonl")
            assert rows is not None
            assert part.truth is not None
            for index, row in enumerate(map(json.loads, rows)):
                assert part.names[index] == row["annotation_id"]
                assert movies.classes[part.labels[index]][:3].upper() == row["classification"]
                tokens, marked = movies.tokens(split, index), set()
                for evidence in (one for group in row["evidences"] for one in group):
                    first, end = evidence["start_token"], evidence["end_token"]
                    assert tokens[first:end] == evidence["text"].split()
                    marked |= set(range(first, end))
                truth = part.truth[part.starts[index] : part.starts[index + 1]]
                assert set(truth.nonzero().flatten().tolist()) == marked
