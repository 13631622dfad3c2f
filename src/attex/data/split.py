"""The texts of one split as flat arrays of numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from itertools import chain, pairwise

import numpy as np
import torch
from torch import Tensor

from attex.data.ragged import interleaved, pad
from attex.data.reader import Document


@dataclass(frozen=True)
class Split:
    """The texts of one split: `words` is flat, text i lies at `starts[i]:starts[i+1]`.

    `words` indexes the corpus' whole lexicon, so that a text can be shown as it was written;
    `ids` are 64-bit hashes of the names, the same in every corpus that has the text. Where texts
    come with a question, `query_words` and `query_starts` hold those in the same way.
    `candidates` [N,O] marks the classes that can be a text's answer; None: all of them. `truth` and
    `impermissible` are flat marks beside `words`, where the data has such.

    Where models read pieces of words, `pieces` is flat too, text i at `piece_starts[i]:…[i+1]`, markers
    included; `piece_words` has the number of each piece's word in its text, −1 for a marker, and
    `piece_segments` is 1 from where a query begins, in texts that have one in them. `read` marks the
    words that have a piece, beside `words`; None: all have. Others have no scores.
    """

    words: Tensor
    starts: Tensor
    labels: Tensor
    ids: Tensor
    names: list[str]
    truth: Tensor | None
    query_words: Tensor | None = None
    query_starts: Tensor | None = None
    candidates: Tensor | None = None
    impermissible: Tensor | None = None
    pieces: Tensor | None = None
    piece_starts: Tensor | None = None
    piece_words: Tensor | None = None
    piece_segments: Tensor | None = None
    read: Tensor | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def lengths(self) -> Tensor:
        """Tokens per text, without markers; those of a query do not count."""
        return self.starts.diff()

    @property
    def pieces_per_word(self) -> Tensor | None:
        """How many pieces each word has, flat beside `words`; None where words are not cut."""
        if self.piece_words is None or self.piece_starts is None:
            return None
        first = self.starts[:-1].repeat_interleave(self.piece_starts.diff())
        inside = self.piece_words >= 0
        return torch.bincount((first + self.piece_words)[inside], minlength=len(self.words))

    def side_by_side(self, flat: Tensor, texts: np.ndarray) -> tuple[Tensor, Tensor]:
        """Lay what is flat beside `words` side by side: values [B,T], and a mask [B,T] of words read."""
        values, mask = pad(flat, self.starts, texts)
        return values, mask if self.read is None else mask & pad(self.read, self.starts, texts)[0]

    def joined(self) -> "Split":
        """Return each text and its query as one text."""
        assert self.query_words is not None
        assert self.query_starts is not None
        words = interleaved(self.words, self.starts, self.query_words, self.query_starts)
        return replace(self, words=words, starts=self.starts + self.query_starts, truth=None)

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors there are, by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}


OPTIONAL = tuple(field.name for field in fields(Split) if field.type == Tensor | None)
"""The arrays that not every split has."""


def index_documents(documents: list[Document], index: dict[str, int], classes: list[str]) -> Split:
    """Make a split of documents: words become their numbers in a lexicon, labels those of classes."""
    words, starts = _flat([document.tokens for document in documents], index)
    rank = {label: number for number, label in enumerate(classes)}
    queries = [document.query for document in documents if document.query is not None]
    query_words, query_starts = _flat(queries, index) if queries else (None, None)
    return Split(
        words=words,
        starts=starts,
        labels=torch.tensor([rank[document.label] for document in documents]),
        ids=torch.tensor([stable_id(document.name) for document in documents]),
        names=[document.name for document in documents],
        truth=_marks([(document.truth, document) for document in documents]),
        query_words=query_words,
        query_starts=query_starts,
        candidates=_candidates(documents, rank),
        impermissible=_marks([(document.impermissible, document) for document in documents]),
    )


def _marks(marked: list[tuple[list[bool] | None, Document]]) -> Tensor | None:
    """Put the marks of all tokens one behind the other; texts without have none set."""
    if all(marks is None for marks, _ in marked):
        return None
    flat = chain.from_iterable(marks or [False] * len(text.tokens) for marks, text in marked)
    return torch.tensor(list(flat), dtype=torch.bool)


def _flat(texts: Sequence[Sequence[str]], index: dict[str, int]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([0, *map(len, texts)])
    words = map(index.__getitem__, chain.from_iterable(texts))
    return torch.from_numpy(np.fromiter(words, np.int32, int(lengths.sum()))), lengths.cumsum(0)


def _candidates(documents: list[Document], rank: dict[str, int]) -> Tensor | None:
    """Mark the classes that can be each text's answer; a candidate that is no class is passed over."""
    if all(document.candidates is None for document in documents):
        return None
    marks = torch.zeros(len(documents), len(rank), dtype=torch.bool)
    for row, document in enumerate(documents):
        named = rank if document.candidates is None else document.candidates
        marks[row, [rank[word] for word in named if word in rank]] = True
    return marks


def stable_id(name: str) -> int:
    """Hash a text's name to a signed 64-bit integer."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def count_shared(train: Split, other: Split) -> int:
    """Count the texts of a split that are in train too, word for word, with the same query if any."""
    seen = set(_each(train))
    return sum(text in seen for text in _each(other))


def _each(texts: Split) -> Iterator[tuple[bytes, ...]]:
    """Yield the words of each text, and of its query, in a form that can be compared."""
    parts = [_cut(texts.words, texts.starts)]
    if texts.query_words is not None and texts.query_starts is not None:
        parts.append(_cut(texts.query_words, texts.query_starts))
    return zip(*parts, strict=True)


def _cut(flat: Tensor, starts: Tensor) -> Iterator[bytes]:
    words = flat.numpy()
    for start, end in pairwise(starts.tolist()):
        yield words[start:end].tobytes()
