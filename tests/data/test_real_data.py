"""The published datasets, to the row, against a second reading of the raw files."""

import csv
import gzip
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.vectors import read_vectors
from attex.foundations.errors import UserError

ARCHIVE = "imdb/aclImdb_v1.tar.gz"
PUBLISHED_IMDB_TEST = 4356
KERAS_FILTERS = r"""[!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~\t\n]"""


def build(folder: DataFolder, dataset: str, **options: object) -> Corpus:
    return build_corpus(READERS.bind(READERS.spec({"type": dataset} | options)), folder)


@pytest.fixture(scope="module")
def sst(real_data: DataFolder) -> Corpus:
    return build(real_data, "sst")


@pytest.fixture(scope="module")
def imdb(real_data: DataFolder) -> Corpus:
    return build(real_data, "imdb")


@pytest.fixture(scope="module")
def reviews(real_data: DataFolder) -> dict[str, dict[str, list[str]]]:
    """Split → review → tokens, read and cut without attex."""
    with gzip.open(real_data.root / "imdb" / "jain_wallace_split.csv.gz", "rt") as file:
        split = {row["id"]: row["split"] for row in csv.DictReader(file)}
    found: dict[str, dict[str, list[str]]] = {"train": {}, "dev": {}, "test": {}}
    with tarfile.open(real_data.root / ARCHIVE) as archive:
        for member in archive:
            name = member.name.removeprefix("aclImdb/").removesuffix(".txt")
            if name in split and (file := archive.extractfile(member)) is not None:
                text = re.sub(KERAS_FILTERS, " ", file.read().decode())
                found[split[name]][name] = text.lower().split()
    return found


def test_sst_has_the_papers_sizes_and_vocabulary(sst: Corpus) -> None:
    assert sst.facts["kept"] == {"train": 6355, "dev": 821, "test": 1725}
    assert sst.vocabulary_size == 13_826
    assert sst.classes == ["negative", "positive"]


def test_sst_unfiltered_is_the_binary_treebank(real_data: DataFolder) -> None:
    corpus = build(real_data, "sst", min_tokens=1, drop_extremes=False)
    assert corpus.facts["kept"] == {"train": 6920, "dev": 872, "test": 1821}
    assert corpus.facts["also_in_train"]["test"] == 2


def test_imdb_has_the_papers_sizes_and_vocabulary_but_for_ten_test_texts(imdb: Corpus) -> None:
    assert imdb.facts["kept"] == {"train": 17_212, "dev": 4_304, "test": 4_346}
    assert PUBLISHED_IMDB_TEST - imdb.facts["kept"]["test"] == 10
    assert imdb.vocabulary_size == 12_487


def test_imdbs_test_size_is_the_split_list_less_two_short_and_fifteen_long_texts(
    reviews: dict[str, dict[str, list[str]]],
) -> None:
    lengths = [len(tokens) for tokens in reviews["test"].values()]
    assert len(lengths) == 4_363
    assert [length for length in lengths if length < 7] == [6, 6]
    assert sum(length >= 400 for length in lengths) == 15
    assert len(lengths) - 2 - 15 == 4_346
    for split in ("train", "dev"):
        assert all(7 <= len(tokens) < 400 for tokens in reviews[split].values())


def test_imdbs_texts_labels_and_leaks_are_those_of_a_second_reading(
    imdb: Corpus, reviews: dict[str, dict[str, list[str]]]
) -> None:
    for split, part in imdb.splits.items():
        for index in range(0, len(part), 97):
            name = part.names[index]
            assert imdb.tokens(split, index) == reviews[split][name]
            assert imdb.classes[part.labels[index]][:3] == name.split("/")[1]
    trained = {tuple(tokens) for tokens in reviews["train"].values()}
    for split in ("dev", "test"):
        kept = (reviews[split][name] for name in imdb.splits[split].names)
        assert imdb.facts["also_in_train"][split] == sum(tuple(tokens) in trained for tokens in kept)


@pytest.fixture(scope="module")
def unpacked(real_data: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataFolder]:
    root = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(real_data.root / ARCHIVE) as archive:
        archive.extractall(root / "imdb", filter="data")
    yield DataFolder(root)
    shutil.rmtree(root)


def test_imdb_is_the_same_from_its_unpacked_folder(imdb: Corpus, unpacked: DataFolder) -> None:
    found = build(unpacked, "imdb")
    assert found.facts == imdb.facts
    assert found.lexicon == imdb.lexicon
    for split, part in imdb.splits.items():
        assert found.splits[split].names == part.names
        assert found.splits[split].words.equal(part.words)


def test_half_of_imdbs_archive_is_an_error(real_data: DataFolder, tmp_path: Path) -> None:
    whole = (real_data.root / ARCHIVE).read_bytes()
    (tmp_path / "imdb").mkdir()
    (tmp_path / ARCHIVE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"truncated|is the archive complete\?"):
        build(DataFolder(tmp_path), "imdb")


@pytest.mark.parametrize(
    ("file", "width"),
    [("vectors/glove.6B.100d.txt.gz", 100), ("vectors/word2vec.300d.vec.gz", 300)],
)
def test_published_vectors_cover_most_words(
    real_data: DataFolder, sst: Corpus, file: str, width: int
) -> None:
    path = real_data.root / file
    vectors = read_vectors(path, sst.vocabulary, width)
    assert vectors.matrix.shape == (sst.vocabulary_size, width)
    assert vectors.coverage > 0.5
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = {word: row for word, _, row in (line.partition(" ") for line in lines)}
    for word in ("movie", "great", "terrible"):
        found = vectors.matrix[sst.vocabulary.index(word)].tolist()
        assert found == pytest.approx([float(value) for value in rows[word].split()], rel=1e-6)
    with pytest.raises(UserError, match=f"line 1 has vectors of width {width}, "):
        read_vectors(path, sst.vocabulary, width + 1)
