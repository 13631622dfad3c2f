"""Pretrained word vectors in the text form of GloVe, word2vec and fastText."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attex.data.corpus import SPECIALS
from attex.data.folder import open_text
from attex.foundations.errors import UserError, brief

PUBLISHERS = "fasttext.cc, nlp.stanford.edu/projects/glove or code.google.com/archive/p/word2vec"

# Plain digits only, and no more of them than a count or a width can have.
_HEADER = re.compile(r"\s*[0-9]{1,15}\s+[0-9]{1,15}\s*")


@dataclass(frozen=True)
class Vectors:
    """One row for each word of a vocabulary; words without a vector are rows of zeros."""

    matrix: Tensor
    found: int

    @property
    def coverage(self) -> float:
        """The share of the vocabulary's words (markers aside) that have a vector."""
        return self.found / max(1, len(self.matrix) - len(SPECIALS))


def read_vectors(path: Path, vocabulary: list[str], width: int) -> Vectors:
    """Stream a file (plain, gz or zip) and keep the vectors of the vocabulary's words only.

    A first line of two integers is word2vec's and fastText's header. Where a word stands twice,
    the first vector counts; where it stands in another case only, it is not found. A file that
    has none of the words is the wrong one.
    """
    wanted = {word: row for row, word in enumerate(vocabulary) if row >= len(SPECIALS)}
    matrix = np.zeros((len(vocabulary), width), dtype=np.float32)
    found = 0
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
                found += 1
    if wanted and not found:
        raise UserError(
            f"{path} has a vector for none of the {len(wanted):,} words of the texts, as "
            f"'{brief(next(iter(wanted)))}'; are its words of another language, or in another case?"
        )
    return Vectors(torch.from_numpy(matrix), found)


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
