"""Pretrained word vectors in the text form of GloVe, word2vec and fastText."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.data.corpus import PAD, SPECIALS
from attex.data.folder import open_text
from attex.data.split import stable_id
from attex.foundations.draws import normals
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import LATER, RUNTIME, Strict

PUBLISHERS = "fasttext.cc, nlp.stanford.edu/projects/glove or code.google.com/archive/p/word2vec"

# Plain digits only, and no more of them than a count or a width can have.
_HEADER = re.compile(r"\s*[0-9]{1,15}\s+[0-9]{1,15}\s*")


_SEED = 0
"""Of the vectors that are drawn: a word has the same one in every corpus, whatever the model's seed."""

_LOOKED_AT = 1_000
_ALIKE = 0.01
"""Lengths whose standard deviation is less than this share of their mean are one, rounded."""


class VectorFile(Strict):
    """A file of pretrained word vectors, in the data folder or anywhere, and what is made of them.

    `length` gives every vector that length, ‖e‖ = length, instead of its own. A word without a vector
    has zeros or, with `unknown: 'random'`, a direction drawn at random, at `length` or else as long as
    the file's vectors are on average. The markers are such words.
    """

    path: Annotated[str, Field(max_length=1000), RUNTIME]
    length: Annotated[Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] | None, LATER] = None
    unknown: Annotated[Literal["zero", "random"], LATER] = "zero"

    @classmethod
    def named(cls, value: Any) -> Any:
        """Take a file's name alone for the file as it is."""
        if isinstance(value, str):
            return {"path": value}
        if not isinstance(value, Mapping | cls):
            raise ValueError("should be a file's name, or an object with its path")
        return value


@dataclass(frozen=True)
class Vectors:
    """One row for each word of a vocabulary, [V,d]; words without a vector are rows of zeros.

    `known` says which words have one: [V].
    """

    matrix: Tensor
    known: Tensor

    @property
    def coverage(self) -> float:
        """The share of the vocabulary's words (markers aside) that have a vector."""
        return int(self.known.sum()) / max(1, len(self.matrix) - len(SPECIALS))

    @property
    def mean_length(self) -> float:
        """The mean length of the vectors that there are; NaN where there is none."""
        return float(self.matrix[self.known].double().norm(dim=1).mean())

    def of_length(self, length: float) -> "Vectors":
        """Give every vector this length; one of zeros has no direction, and stays."""
        norms = self.matrix.double().norm(dim=1, keepdim=True)
        scaled = self.matrix.double() * (length / norms.where(norms > 0, 1.0))
        return replace(self, matrix=scaled.to(self.matrix.dtype))

    def with_drawn(self, vocabulary: list[str], length: float) -> "Vectors":
        """Draw a direction for every word without a vector, padding aside: the same in any corpus."""
        absent = ~self.known
        absent[PAD] = False
        ids = torch.tensor([stable_id(vocabulary[row]) for row in absent.nonzero()[:, 0].tolist()])
        everywhere = torch.ones(len(ids), self.matrix.shape[1], dtype=torch.bool)
        drawn = normals(ids.long(), everywhere, 1, _SEED)[:, 0]
        matrix = self.matrix.clone()
        matrix[absent] = (length * drawn / drawn.norm(dim=1, keepdim=True)).to(matrix.dtype)
        return replace(self, matrix=matrix)


def start_vectors(
    path: Path,
    vocabulary: list[str],
    width: int,
    length: float | None = None,
    unknown: str = "zero",
) -> Vectors:
    """Read the vectors of a vocabulary, and change them as a `VectorFile` says."""
    vectors = read_vectors(path, vocabulary, width)
    if length is not None:
        vectors = vectors.of_length(length)
    if unknown == "random":
        vectors = vectors.with_drawn(vocabulary, vectors.mean_length if length is None else length)
    return vectors


def read_vectors(path: Path, vocabulary: list[str], width: int) -> Vectors:
    """Stream a file (plain, gz or zip) and keep the vectors of the vocabulary's words only.

    A first line of two integers is word2vec's and fastText's header. Where a word stands twice,
    the first vector counts; where it stands in another case only, it is not found. A file that
    has none of the words is the wrong one.
    """
    wanted = {word: row for row, word in enumerate(vocabulary) if row >= len(SPECIALS)}
    matrix = np.zeros((len(vocabulary), width), dtype=np.float32)
    known = np.zeros(len(vocabulary), dtype=bool)
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if number == 1 and _is_header(line):
                _check_width(path, number, int(line.split()[1]), width)
                continue
            row = wanted.pop(line[: line.find(" ")], None)
            if row is None and number > 2:
                continue
            values = line.rstrip().split(" ")[1:]
            _check_width(path, number, len(values), width)
            if row is not None:
                matrix[row] = _numbers(values, f"{path} line {number}")
                known[row] = True
    if wanted and not known.any():
        raise UserError(
            f"{path} has a vector for none of the {len(wanted):,} words of the texts, as "
            f"'{brief(next(iter(wanted)))}'; are its words of another language, or in another case?"
        )
    return Vectors(torch.from_numpy(matrix), torch.from_numpy(known))


def about_lengths(path: Path) -> str:
    """Say how long the first vectors of a file are, and whether all have one length."""
    lengths = np.array([np.linalg.norm(row) for row in islice(_rows(path), _LOOKED_AT)])
    if not len(lengths):
        return "no vectors"
    mean = lengths.mean()
    alike = len(lengths) > 1 and lengths.std() <= _ALIKE * mean
    advice = ": all are of one length, which `vectors.length` changes"
    return f"length {mean:.2f} on average" + (advice if alike else "")


def _rows(path: Path) -> Iterator[np.ndarray]:
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if number > 1 or not _is_header(line):
                row = _numbers(line.rstrip().split(" ")[1:], f"{path} line {number}")
                if not len(row):
                    raise UserError(f"{path} line {number}: a word without numbers")
                yield row


def _numbers(values: list[str], where: str) -> np.ndarray:
    try:
        # What float32 cannot hold becomes infinite, and is refused as such.
        with np.errstate(over="ignore"):
            row = np.array(values, dtype=np.float32)
    except ValueError:
        raise UserError(f"{where}: not a row of numbers") from None
    if not np.isfinite(row).all():
        worst = values[int(np.isfinite(row).argmin())]
        raise UserError(f"{where}: {brief(worst, 40)} is not a finite number of 32 bits")
    return row


def _is_header(line: str) -> bool:
    return _HEADER.fullmatch(line) is not None


def _check_width(path: Path, number: int, values: int, width: int) -> None:
    if values != width:
        raise UserError(
            f"{path} line {number} has vectors of width {values}, but model.embedding_width is {width}"
        )
