"""Movie reviews with the passages that people marked as evidence, in the layout of ERASER."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from attex.data.archive import read_texts, unpacked_or_archive
from attex.data.cleaning import treebank_words
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Document, Reader
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import NotJSON, parse_json

_FILES = {"train": "movies/train.jsonl", "dev": "movies/val.jsonl", "test": "movies/test.jsonl"}
_DOCUMENTS = "movies/docs/"
_LABELS = {"NEG": "negative", "POS": "positive"}


@READERS.register("eraser_movies", cite="Zaidan et al. 2007, DeYoung et al. 2020")
@dataclass(frozen=True, kw_only=True)
class EraserMovies(Reader):
    """Whole movie reviews with binary sentiment and human rationales.

    From `movies.tar.gz` or its unpacked folder: the tokens as given, lower-cased, and for each
    token whether it lies in a passage marked as evidence. Nothing is dropped: 1600 / 200 / 199
    reviews of 774 tokens on average, val being dev. Evidence is complete in test only (30 % of
    the tokens); in train (9 %) and dev (7 %) people marked some passages, not all.
    """

    publisher: ClassVar[str] = "www.eraserbenchmark.com (movies.tar.gz)"
    classes: ClassVar[tuple[str, ...]] = ("negative", "positive")

    def files(self, folder: DataFolder) -> list[Path]:
        """Find the files of the unpacked folder or, failing that, the archive."""
        patterns = ("movies/*.jsonl", f"{_DOCUMENTS}*")
        archive = "eraser_movies/movies.tar.gz"
        return unpacked_or_archive(folder, archive, *patterns, publisher=self.publisher)

    def tokens(self, text: str) -> list[str]:
        """Cut a text as the reviews come, with marks and contractions apart."""
        return treebank_words(text.lower())

    def documents(self, folder: DataFolder) -> Iterator[Document]:
        """Read the reviews in the order of their annotations."""
        place = folder.root / "eraser_movies"
        wanted = (_DOCUMENTS, *_FILES.values())
        texts = dict(read_texts(self.files(folder), place, lambda name: name.startswith(wanted)))
        for split, file in _FILES.items():
            lines = _needed(texts, file, place).rstrip().split("\n")
            for number, line in enumerate(lines, 1):
                where = f"{place / file} line {number}"
                row = _annotation(line, where)
                name = row["annotation_id"]
                tokens = _needed(texts, f"{_DOCUMENTS}{name}", place).lower().split()
                yield Document(
                    name=name,
                    split=split,
                    tokens=tokens,
                    label=_LABELS[row["classification"]],
                    truth=_evidence(row, len(tokens), where),
                )


def _needed(texts: dict[str, str], name: str, place: Path) -> str:
    if name not in texts:
        raise UserError(f"{place} lacks {brief(name)}; is the archive complete?")
    return texts[name]


def _annotation(line: str, where: str) -> dict[str, Any]:
    try:
        row = parse_json(line)
    except NotJSON as error:
        raise UserError(f"{where}: not JSON: {error}") from error
    needed = {"annotation_id", "classification", "evidences"}
    if (
        not isinstance(row, dict)
        or not needed <= row.keys()
        or row["classification"] not in tuple(_LABELS)  # it may be an object, which no dict can look up
        or not isinstance(row["annotation_id"], str)
    ):
        raise UserError(f"{where}: no annotation_id, evidences, or classification as POS or NEG")
    return row


def _evidence(row: dict[str, Any], length: int, where: str) -> list[bool]:
    marks = [False] * length
    try:
        passages = [
            (passage["docid"], int(passage["start_token"]), int(passage["end_token"]))
            for group in row["evidences"]
            for passage in group
        ]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UserError(f"{where}: evidence without docid, start_token and end_token") from None
    for name, first, end in passages:
        if name != row["annotation_id"] or not 0 <= first <= end <= length:
            raise UserError(f"{where}: evidence {first} to {end} is not in its text of {length} tokens")
        marks[first:end] = [True] * (end - first)
    return marks
