"""Texts cut into pieces of words, as pretrained models read them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

import torch
from torch import Tensor

from attex.data.corpus import UNKNOWN, Corpus
from attex.data.ragged import interleaved
from attex.data.split import Split


@dataclass(frozen=True)
class Markers:
    """The pieces that stand before a text, between it and its query if it has one, and at the end."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.before) + len(self.between) + len(self.after)


class Cutter(Protocol):
    """Cuts words into pieces, each on its own: what a tokenizer is to this room."""

    longest: int
    """Pieces of a text that its model can read, markers included."""
    blank: int
    """The piece that stands for a word that was masked."""

    def cut(self, words: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each word; a word of nothing but control characters may have none."""

    def markers(self, *, pair: bool) -> Markers:
        """Return the markers around a text, or around a text and its query."""


def in_pieces(corpus: Corpus, cutter: Cutter) -> Corpus:
    """Give every split the pieces of its texts; of those with a query, of both as one text.

    A text that is longer than the model can read ends with the last word that fits whole; of a text and
    its query the text is cut, as long as the query leaves it half of the room. There are two new facts,
    counts by split: `cut`, texts that lost words so, and `unread`, words that no piece is of, those that
    a tokenizer drops included.
    """
    table = _Table(cutter.cut(corpus.lexicon), cutter.blank)
    markers = cutter.markers(pair=corpus.has_queries)
    splits: dict[str, Split] = {}
    cut: dict[str, int] = {}
    unread: dict[str, int] = {}
    for name, part in corpus.splits.items():
        whole = _joined(part)
        counts = table.counts[whole.words.long()]
        fits, asked = _fitting(part, whole, counts, cutter.longest - len(markers))
        read = fits & (counts > 0)
        marks = {} if bool(read.all()) else {"read": read}
        arrays: dict[str, Any] = _laid_out(whole, table, markers, fits, asked) | marks
        splits[name] = replace(whole, **arrays)
        cut[name] = int((_sums((~fits).long(), _texts_of(whole.starts), len(whole)) > 0).sum())
        unread[name] = int((~read).sum())
    return replace(corpus, splits=splits, facts=corpus.facts | {"cut": cut, "unread": unread})


def _joined(part: Split) -> Split:
    """Return each text and its query as one text, whose marks are those of the text."""
    if part.query_words is None or part.query_starts is None:
        return part
    starts, query_starts = part.starts, part.query_starts
    nothing = torch.zeros(len(part.query_words), dtype=torch.bool)
    truth, impermissible = (
        None if marks is None else interleaved(marks, starts, nothing, query_starts)
        for marks in (part.truth, part.impermissible)
    )
    return replace(
        part.joined(),
        truth=truth,
        impermissible=impermissible,
        query_words=None,
        query_starts=None,
    )


class _Table:
    """The pieces of every word of a lexicon, one behind the other."""

    def __init__(self, pieces: list[list[int]], blank: int) -> None:
        pieces[UNKNOWN] = [blank]
        self.pieces = torch.tensor([*chain.from_iterable(pieces)], dtype=torch.int32)
        self.counts = torch.tensor([len(each) for each in pieces])
        self._starts = self.counts.cumsum(0) - self.counts

    def of(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return the pieces of words [n], flat, and which of the words each is of: [p], [p]."""
        counts = self.counts[words]
        word = torch.arange(len(words)).repeat_interleave(counts)
        within = torch.arange(len(word)) - (counts.cumsum(0) - counts)[word]
        return self.pieces[self._starts[words][word] + within], word


def _fitting(part: Split, whole: Split, counts: Tensor, room: int) -> tuple[Tensor, Tensor]:
    """Mark the words of all texts that there is room for [n], and those that are a query's [n].

    counts [n] are pieces of words. The query keeps what the text leaves it, and half of the room at
    least; the text keeps what the query leaves it.
    """
    text = _texts_of(whole.starts)
    asked = torch.arange(len(text)) - whole.starts[text] >= part.lengths[text]
    of_text, of_query = counts * ~asked, counts * asked
    rooms = torch.full((len(whole),), room)
    left = rooms - _sums(of_text, text, len(whole))
    in_query = _fits(of_query, text, left.clamp(min=room // 2))
    left = rooms - _sums(of_query * in_query, text, len(whole))
    return torch.where(asked, in_query, _fits(of_text, text, left)), asked


def _laid_out(
    whole: Split, table: _Table, markers: Markers, fits: Tensor, asked: Tensor
) -> dict[str, Tensor]:
    """Lay the pieces of all words that fit one behind the other, text by text, between markers."""
    kept = fits.nonzero()[:, 0]
    pieces, number = table.of(whole.words[kept].long())
    owner = kept[number]
    text = _texts_of(whole.starts)[owner]
    own = _sums(torch.ones_like(owner), text, len(whole))
    before, between, after = map(len, (markers.before, markers.between, markers.after))
    starts = torch.cat([torch.zeros(1, dtype=torch.long), (own + len(markers)).cumsum(0)])
    flat = torch.zeros(int(starts[-1]), dtype=torch.int32)
    word = torch.full_like(flat, -1)
    place = torch.arange(len(owner)) + len(markers) * text + before + between * asked[owner]
    flat[place], word[place] = pieces, (owner - whole.starts[text]).int()
    asks = starts[1:] - after - _sums(asked[owner].long(), text, len(whole))
    edges = (
        (starts[:-1], markers.before),
        (asks - between, markers.between),
        (starts[1:] - after, markers.after),
    )
    for at, marks in edges:
        for step, piece in enumerate(marks):
            flat[at + step] = piece
    arrays = {"pieces": flat, "piece_starts": starts, "piece_words": word}
    if between:
        arrays["piece_segments"] = (torch.arange(len(flat)) >= asks[_texts_of(starts)]).to(torch.uint8)
    return arrays


def _texts_of(starts: Tensor) -> Tensor:
    """Return the number of the text that each of what is flat belongs to."""
    return torch.arange(len(starts) - 1).repeat_interleave(starts.diff())


def _sums(values: Tensor, text: Tensor, texts: int) -> Tensor:
    """Add up what is flat by text: [n] → [N]."""
    return torch.zeros(texts, dtype=values.dtype).index_add_(0, text, values)


def _fits(counts: Tensor, text: Tensor, room: Tensor) -> Tensor:
    """Mark the words [n] that fit, with all before them, into the room [N] of their texts."""
    ends = counts.cumsum(0)
    totals = _sums(counts, text, len(room))
    return ends - (totals.cumsum(0) - totals)[text] <= room[text]
