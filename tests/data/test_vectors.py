"""Word vectors from hand-written files in every form they are published in."""

import gzip
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from attex.data.corpus import SPECIALS
from attex.data.vectors import about_lengths, read_vectors, start_vectors
from attex.foundations.errors import UserError

VOCABULARY = [*SPECIALS, "cat", "dog", "fish", "über"]
GLOVE = "the 9 9 9\ndog 1 -2.5 3e-1\nüber 4 5 6\ncat 0 0.5 -1\n"
ROWS = {"dog": [1, -2.5, 0.3], "über": [4, 5, 6], "cat": [0, 0.5, -1], "fish": [0, 0, 0]}
HEADER = "4 3\n"


def plain(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def gzipped(path: Path, text: str) -> Path:
    path = path.with_suffix(".gz")
    path.write_bytes(gzip.compress(text.encode()))
    return path


def zipped(path: Path, text: str) -> Path:
    path = path.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors.txt", text)
    return path


def problem(path: Path, width: int) -> str:
    with pytest.raises(UserError) as caught:
        read_vectors(path, VOCABULARY, width)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("store", [plain, gzipped, zipped])
@pytest.mark.parametrize(
    "text", [GLOVE, HEADER + GLOVE, HEADER + GLOVE.replace("\n", " \n"), GLOVE.rstrip("\n")]
)
def test_every_published_form_gives_the_same_rows(
    tmp_path: Path, store: Callable[[Path, str], Path], text: str
) -> None:
    vectors = read_vectors(store(tmp_path / "vectors.txt", text), VOCABULARY, 3)
    for word, row in ROWS.items():
        torch.testing.assert_close(vectors.matrix[VOCABULARY.index(word)], torch.tensor(row).float())
    assert vectors.matrix[: len(SPECIALS)].eq(0).all()
    assert vectors.matrix.shape == (8, 3)
    assert (int(vectors.known.sum()), vectors.coverage) == (3, 3 / 4)


def test_the_first_vector_of_a_word_counts(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "cat 1 1\ncat 2 2\ndog 3 3\ncat 4 4\n")
    vectors = read_vectors(path, VOCABULARY, 2)
    assert vectors.matrix[4].tolist() == [1, 1]
    assert int(vectors.known.sum()) == 2


def test_another_case_is_another_word_and_markers_have_no_vector(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "Cat 1 1\n<unk> 2 2\n<pad> 3 3\ndog 4 4\n")
    vectors = read_vectors(path, VOCABULARY, 2)
    assert vectors.matrix.count_nonzero(dim=1).tolist() == [0, 0, 0, 0, 0, 2, 0, 0]
    assert int(vectors.known.sum()) == 1


@pytest.mark.parametrize("text", ["", "4 2\n", "Cat 1 1\nDOG 2 2\n", "<unk> 1 1\nKatze 2 2\n"])
def test_a_file_without_any_word_of_the_texts_is_refused(tmp_path: Path, text: str) -> None:
    path = plain(tmp_path / "v", text)
    assert problem(path, 2) == (
        f"{path} has a vector for none of the 4 words of the texts, as 'cat'; are its words of "
        "another language, or in another case?"
    )


def test_a_vocabulary_of_markers_only_is_covered_by_nothing(tmp_path: Path) -> None:
    assert read_vectors(plain(tmp_path / "v", "cat 1\n"), list(SPECIALS), 1).coverage == 0


def test_words_of_other_texts_may_hold_spaces(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "the 9 9\nof 8 8\n. . . 7 7\ncat 1 2\n")
    assert read_vectors(path, VOCABULARY, 2).matrix[4].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "line", "width"),
    [
        (GLOVE, 1, 3),
        ("10 3\ncat 1 2 3\n", 1, 3),
        ("the 1 2 3 4\nof 1 2 3 4\ncat 1 2\n", 3, 2),
        ("4 4\ncat 1 2 3\n", 2, 3),
    ],
)
def test_another_width_than_the_models_is_said(tmp_path: Path, text: str, line: int, width: int) -> None:
    path = plain(tmp_path / "v", text)
    with pytest.raises(UserError) as caught:
        read_vectors(path, VOCABULARY, 4)
    assert str(caught.value) == (
        f"{path} line {line} has vectors of width {width}, but model.embedding_width is 4"
    )


def test_a_row_that_is_not_of_numbers_is_said(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "the 1 2\ndog 1 2\ncat 1 two\n")
    with pytest.raises(UserError) as caught:
        read_vectors(path, VOCABULARY, 2)
    assert str(caught.value) == f"{path} line 3: not a row of numbers"


def many_rows() -> bytes:
    rng = random.Random(0)
    return "".join(f"w{i} {rng.random()} {rng.random()}\n" for i in range(5000)).encode()


def test_a_truncated_gz_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    whole = gzip.compress(many_rows())
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"v\.gz is truncated or damaged: "):
        read_vectors(path, VOCABULARY, 2)


def test_a_truncated_zip_file_is_said(tmp_path: Path) -> None:
    path = zipped(tmp_path / "v", many_rows().decode())
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(UserError, match=r"v\.zip is truncated or damaged: "):
        read_vectors(path, VOCABULARY, 2)


def test_a_zip_file_of_several_files_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.txt", "b.txt", "folder/"):
            archive.writestr(name, "")
    with pytest.raises(UserError, match=r"v\.zip holds 2 files; expected one text file$"):
        read_vectors(path, VOCABULARY, 2)


def test_a_file_that_is_not_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(b"cat 1 2\ndog \xff\xfe 2\n")
    with pytest.raises(UserError, match=r"v\.bin is not UTF-8 text: invalid start byte$"):
        read_vectors(path, VOCABULARY, 2)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "Infinity", "1e39", "-1e39", "1e999"])
def test_a_number_that_no_model_can_start_from_is_said_with_its_line(
    tmp_path: Path, number: str
) -> None:
    path = plain(tmp_path / "v", f"the 1 2\ndog 1 2\ncat 1 {number}\n")
    assert problem(path, 2) == f"{path} line 3: {number} is not a finite number of 32 bits"


def test_the_numbers_of_other_words_are_not_looked_at(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "cat 1 2\nthe nan nan\nof nan nan\n")
    assert read_vectors(path, VOCABULARY, 2).matrix.isfinite().all()


@pytest.mark.parametrize("header", ["5 ²", "٣ ٤", "5 " + "9" * 5_000, "-5 3", "5 3.0"])
def test_what_only_resembles_a_header_is_a_row_like_any(tmp_path: Path, header: str) -> None:
    path = plain(tmp_path / "v", f"{header}\ncat 1 2 3\n")
    assert problem(path, 3) == (f"{path} line 1 has vectors of width 1, but model.embedding_width is 3")


def flagged_zip(path: Path, flag: int = 0, method: int = 0) -> Path:
    """A zip archive that says of its one file that it is encrypted, or packed in another way."""
    path = zipped(path, GLOVE)
    content = bytearray(path.read_bytes())
    # PKWARE's APPNOTE, 4.3.7 and 4.3.12: general purpose flag and method, local then central.
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = content.index(signature) + offset
        content[start : start + 4] = flag.to_bytes(2, "little") + method.to_bytes(2, "little")
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("flag", "method", "reason"),
    [(1, 0, "encrypted"), (0, 9, "compression"), (0, 99, "compression"), (32, 0, "patched")],
)
def test_an_archive_that_cannot_be_unpacked_is_named(
    tmp_path: Path, flag: int, method: int, reason: str
) -> None:
    path = flagged_zip(tmp_path / "v", flag, method)
    found = problem(path, 3)
    assert found.startswith(f"{path} cannot be unpacked: ")
    assert reason in found


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_of_any_method_is_named(tmp_path: Path, method: int) -> None:
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("v.txt", many_rows())
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(content)
    assert problem(path, 2).startswith(f"{path} is truncated or damaged: ")


def test_a_length_changes_lengths_and_no_direction(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", GLOVE)
    own, long = read_vectors(path, VOCABULARY, 3), start_vectors(path, VOCABULARY, 3, length=5.2)
    for word in ("dog", "über", "cat"):
        row = VOCABULARY.index(word)
        expected = 5.2 * np.array(ROWS[word]) / np.linalg.norm(ROWS[word])
        assert long.matrix[row].tolist() == pytest.approx(expected.tolist(), rel=1e-6)
    assert long.mean_length == pytest.approx(5.2)
    lengths = [np.linalg.norm(row) for row in ROWS.values() if any(row)]
    assert own.mean_length == pytest.approx(np.mean(lengths))
    absent = [*range(len(SPECIALS)), VOCABULARY.index("fish")]
    assert long.matrix[absent].eq(0).all()


def test_a_vector_of_zeros_has_no_direction_to_lengthen(tmp_path: Path) -> None:
    path = plain(tmp_path / "v", "cat 0 0 0\ndog 3 4 0\n")
    matrix = start_vectors(path, VOCABULARY, 3, length=2.0).matrix
    assert matrix[VOCABULARY.index("cat")].tolist() == [0, 0, 0]
    assert matrix[VOCABULARY.index("dog")].tolist() == pytest.approx([1.2, 1.6, 0])


@pytest.mark.parametrize(("length", "expected"), [(5.2, 5.2), (None, 3.5)])
def test_words_without_a_vector_are_drawn_at_the_length_of_the_others(
    length: float | None, expected: float, tmp_path: Path
) -> None:
    path = plain(tmp_path / "v", "dog 0 2 0\ncat 3 0 4\n")
    drawn = start_vectors(path, VOCABULARY, 3, length, "random").matrix
    rows = [row for row, word in enumerate(VOCABULARY) if row and word not in ("dog", "cat")]
    assert drawn[rows].norm(dim=1).tolist() == pytest.approx([expected] * len(rows), rel=1e-5)
    assert drawn[0].eq(0).all()
    assert len({tuple(row) for row in drawn[rows].tolist()}) == len(rows)
    # The same word has the same vector in another vocabulary, and so in another corpus.
    other = start_vectors(path, [*SPECIALS, "über", "dog", "cat"], 3, length, "random").matrix
    assert other[len(SPECIALS)].equal(drawn[VOCABULARY.index("über")])


def test_directions_that_are_drawn_prefer_none(tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(4_000)]
    path = plain(tmp_path / "v", "dog " + " ".join(["1"] * 8) + "\n")
    drawn = start_vectors(path, [*SPECIALS, "dog", *words], 8, 1.0, "random").matrix[5:].double()
    # Of uniform directions each coordinate has mean 0 and variance 1/8, and no two are correlated.
    assert drawn.mean(dim=0).abs().max() < 4 * (1 / 8 / 4_000) ** 0.5
    covariance = drawn.T @ drawn / 4_000
    assert (covariance - torch.eye(8) / 8).abs().max() < 0.01


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2 2\na 3 4\nb 0 7\n", "length 6.00 on average"),
        ("a 0.6 0.8\nb 1 0.001\n", "length 1.00 on average: all are of one length"),
        ("a 0.6 0.8\n", "length 1.00 on average"),
        ("", "no vectors"),
    ],
)
def test_how_long_a_files_vectors_are_is_said(text: str, words: str, tmp_path: Path) -> None:
    said = about_lengths(plain(tmp_path / "v", text))
    assert said.startswith(words)
    assert ("one length" in said) == ("one length" in words)
