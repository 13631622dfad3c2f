"""Where raw files are looked for, and what is said of those that are absent or damaged."""

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from attex.data.folder import DataFolder, open_text
from attex.data.inventory import inventory
from attex.data.reader import READERS, SPLITS
from attex.data.readers.imdb import jain_wallace_split
from attex.foundations.errors import MissingData, UserError

TREES = "(3 (2 It) (4 (2 's) (3 great)))\n(2 (2 so) (2 so))\n(1 (2 -LRB-) (1 Bad) (2 -RRB-))\n"


def archive_of(reviews: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in reviews.items():
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return file.getvalue()


def imdb_problem(root: Path) -> str:
    with pytest.raises(UserError) as caught:
        list(READERS.bind(READERS.spec("imdb")).documents(DataFolder(root)))
    return str(caught.value)


@pytest.fixture
def sst(tmp_path: Path) -> Path:
    (tmp_path / "sst").mkdir()
    for split in SPLITS:
        (tmp_path / "sst" / f"{split}.txt").write_text(TREES)
    return tmp_path


def test_the_folder_is_the_given_one_else_the_environments_else_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ATTEX_DATA", "from-environment")
    assert DataFolder.at("given").root == Path("given")
    assert DataFolder.at().root == Path("from-environment")
    monkeypatch.delenv("ATTEX_DATA")
    assert DataFolder.at().root == Path("data")


def test_a_folder_that_no_manifest_could_name_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        DataFolder.at(os.fsdecode(b"raw\xff"))
    assert str(caught.value) == r"the data folder's name is not UTF-8: raw\udcff"


def test_a_file_is_found_plain_before_gzipped_and_under_its_first_name_first(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    for name in ("b.gz", "b", "a.gz", "a"):
        (tmp_path / name).touch()
        assert folder.find("a", "b", publisher="nobody") == tmp_path / name


@pytest.mark.parametrize(
    ("dataset", "file", "publisher"),
    [
        ("sst", "sst/train.txt", "nlp.stanford.edu/sentiment"),
        ("imdb", "imdb/aclImdb_v1.tar.gz", "ai.stanford.edu/~amaas/data/sentiment"),
    ],
)
def test_absent_data_is_said_with_its_file_its_publisher_and_its_place(
    tmp_path: Path, dataset: str, file: str, publisher: str
) -> None:
    with pytest.raises(MissingData) as caught:
        READERS.bind(READERS.spec(dataset)).files(DataFolder(tmp_path))
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / file} is missing")
    assert f"get it from {publisher}" in message
    assert "put it there, or name its folder with --data-dir or ATTEX_DATA" in message
    assert "\n" not in message


def test_an_own_file_is_looked_for_in_the_data_folder_then_where_attex_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, data = tmp_path / "here", tmp_path / "data"
    for place in (here, data):
        place.mkdir()
    monkeypatch.chdir(here)
    (here / "own.csv").touch()
    assert DataFolder(data).own_file("own.csv") == Path("own.csv")
    (data / "own.csv").touch()
    assert DataFolder(data).own_file("own.csv") == data / "own.csv"
    assert DataFolder(data).own_file(str(here / "own.csv")) == here / "own.csv"


def test_an_absent_published_file_is_said_with_its_publisher_and_both_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingData) as caught:
        DataFolder(Path("raw")).own_file("v.txt", "a.site")
    assert str(caught.value) == (
        f"v.txt is missing: get it from a.site and put it into raw or {tmp_path}, or name its "
        "folder with --data-dir or ATTEX_DATA"
    )


def test_a_file_that_is_gzip_by_name_only_is_said(tmp_path: Path) -> None:
    (tmp_path / "file.gz").write_text("plain text")
    with (
        pytest.raises(UserError, match=r"file\.gz is truncated or damaged: "),
        open_text(tmp_path / "file.gz") as file,
    ):
        file.read()


@pytest.mark.parametrize("place", ["sst/{}.txt", "sst/{}.txt.gz", "sst/trees/{}.txt"])
def test_trees_are_read_without_neutral_ones_and_without_brackets(tmp_path: Path, place: str) -> None:
    for split in SPLITS:
        path = tmp_path / place.format(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(TREES.encode()) if path.suffix == ".gz" else TREES.encode())
    found = list(READERS.bind(READERS.spec("sst")).documents(DataFolder(tmp_path)))
    assert [(d.name, d.tokens, d.label) for d in found[:2]] == [
        ("train/1", ["it", "s", "great"], "positive"),
        ("train/3", ["bad"], "negative"),
    ]
    assert [document.split for document in found] == [split for split in SPLITS for _ in range(2)]


def test_a_line_that_is_no_tree_is_named(sst: Path) -> None:
    path = sst / "sst" / "dev.txt"
    path.write_text(TREES + "just words\n")
    with pytest.raises(UserError, match=r"dev\.txt line 4 is not a labelled tree$"):
        list(READERS.bind(READERS.spec("sst")).documents(DataFolder(sst)))


def test_the_split_list_of_imdb_has_the_published_sizes() -> None:
    splits = list(jain_wallace_split().values())
    assert {split: splits.count(split) for split in SPLITS} == {
        "train": 17_212,
        "dev": 4_304,
        "test": 4_363,
    }
    assert sorted(splits, key=SPLITS.index) == splits


def test_an_archive_that_lacks_reviews_is_said_with_how_many(tmp_path: Path) -> None:
    first, second, *_ = jain_wallace_split()
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "aclImdb_v1.tar.gz").write_bytes(archive_of({first: "Some text.", "x": ""}))
    assert imdb_problem(tmp_path) == (
        f"{tmp_path / 'imdb'} lacks 25878 of the 25879 reviews of the split, {second} the first of "
        "them; is the archive complete?"
    )


def test_an_unpacked_folder_that_lacks_reviews_is_said_with_how_many(tmp_path: Path) -> None:
    first, *_ = jain_wallace_split()
    path = tmp_path / "imdb" / "aclImdb" / f"{first}.txt"
    path.parent.mkdir(parents=True)
    path.write_text("Some text.")
    assert "lacks 25878 of the 25879 reviews" in imdb_problem(tmp_path)


def test_an_empty_unpacked_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "imdb" / "aclImdb").mkdir(parents=True)
    assert "aclImdb_v1.tar.gz is missing" in imdb_problem(tmp_path)
    archive = tmp_path / "imdb" / "aclImdb_v1.tar.gz"
    archive.write_bytes(archive_of({}))
    assert READERS.bind(READERS.spec("imdb")).files(DataFolder(tmp_path)) == [archive]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_archive_is_an_error_of_one_line(tmp_path: Path, share: float) -> None:
    whole = archive_of({name: f"text of {name}" for name in list(jain_wallace_split())[:500]})
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "aclImdb_v1.tar.gz").write_bytes(whole[: int(len(whole) * share)])
    message = imdb_problem(tmp_path)
    assert "truncated" in message or "is the archive complete?" in message
    assert "\n" not in message


def test_the_inventory_has_a_line_for_every_dataset_and_every_file_of_vectors(sst: Path) -> None:
    (sst / "vectors").mkdir()
    (sst / "vectors" / "small.txt").write_bytes(b"x 3 4\n" * 2**17 + b"y 0 1\n" * 2**17)
    (sst / "vectors" / "wrong.txt").write_bytes(b"x" * 2**20)
    lines = list(inventory(DataFolder(sst)))
    assert sorted(line.split()[0] for line in lines) == sorted(
        [entry.name for entry in READERS] + ["vectors"] * 2
    )
    *_, small, wrong = lines
    said = {line.split()[0]: line for line in lines}
    assert "found, 3 files, 0.0 MiB" in said["sst"]
    assert "missing: " in said["imdb"]
    assert "ai.stanford.edu" in said["imdb"]
    assert "built in, needs no files" in said["planted"]
    assert "your own file" in said["csv"]
    assert "your own file" in said["jsonl"]
    assert "vectors/small.txt, 1.5 MiB, length 5.00 on average: all are of one length" in small
    assert wrong.endswith("wrong.txt line 1: a word without numbers")


def test_the_inventory_of_no_folder_misses_what_needs_files(tmp_path: Path) -> None:
    missing = [line.split()[0] for line in inventory(DataFolder(tmp_path / "no")) if "missing:" in line]
    assert set(missing) >= {"sst", "imdb"}
    assert "planted" not in missing


def test_a_file_that_may_not_be_read_is_said(sst: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The one who runs this may be allowed to read everything.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK)
    said = r"train\.txt is there, but may not be read: permission denied$"
    with pytest.raises(UserError, match=said):
        READERS.bind(READERS.spec("sst")).files(DataFolder(sst))
    with pytest.raises(UserError, match=said):
        DataFolder(sst).own_file("sst/train.txt")


def test_a_folder_with_the_name_of_a_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "sst" / "train.txt").mkdir(parents=True)
    with pytest.raises(MissingData, match=r"train\.txt is missing"):
        READERS.bind(READERS.spec("sst")).files(DataFolder(tmp_path))


@pytest.mark.parametrize("name", ["", "\ud800", "a\0b", "x" * 5_000, "a\nb"])
def test_a_name_that_no_file_has_is_missing_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingData) as caught:
        DataFolder(tmp_path).own_file(name)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_the_inventory_passes_over_what_is_no_file_of_vectors(tmp_path: Path) -> None:
    (tmp_path / "vectors" / "folder").mkdir(parents=True)
    (tmp_path / "vectors" / "gone.txt").symlink_to(tmp_path / "nowhere")
    assert not [line for line in inventory(DataFolder(tmp_path)) if line.split()[0] == "vectors"]
