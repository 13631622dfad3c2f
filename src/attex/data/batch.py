"""Padded batches: what a model sees of the texts."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from attex.data.corpus import END, PAD, START, UNKNOWN, Corpus
from attex.data.split import Split

ALIKE = 0.7
"""The share of the longest text's length that texts in a batch of like ones have at least."""


@dataclass(frozen=True)
class Batch:
    """Texts side by side; True means "counts".

    tokens [B,T]; mask [B,T] real positions, always a prefix; scorable [B,T] real and not a start
    or end marker; labels [B]; ids [B], stable per text; truth [B,T] or None. `query` has what is
    asked of each text, padded to a width of its own, with the labels and ids of the texts; None
    where nothing is asked. `allowed` [B,O] marks the classes that can be the answer; None: all.
    `impermissible` [B,T] marks what attention may be trained to hide; None: nobody has said.
    Where words are cut into pieces, `word` [B,T] has the number of the word that each piece is of,
    counted from 0, and −1 elsewhere; None: every scorable position is a word. `segment` [B,T] is 1 from
    where a query begins in a text that has one in it, and 0 before; None: there are no such texts.
    """

    tokens: Tensor
    mask: Tensor
    scorable: Tensor
    labels: Tensor
    ids: Tensor
    truth: Tensor | None = None
    query: "Batch | None" = None
    allowed: Tensor | None = None
    impermissible: Tensor | None = None
    word: Tensor | None = None
    segment: Tensor | None = None

    def __len__(self) -> int:
        return self.tokens.shape[0]

    @property
    def scored(self) -> Tensor:
        """Mark where scores stand [B,T]: at every scorable position, or at the first piece of a word."""
        if self.word is None:
            return self.scorable
        begins = torch.ones_like(self.scorable)
        begins[:, 1:] = self.word[:, 1:] != self.word[:, :-1]
        return self.scorable & begins

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors there are, by name; those of the query after `query.`."""
        own = {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}
        asked = {} if self.query is None else self.query.tensors()
        return own | {f"query.{name}": value for name, value in asked.items()}

    def to(self, device: torch.device | str) -> "Batch":
        """Move every tensor."""
        return _of({name: value.to(device) for name, value in self.tensors().items()})

    def split(self, sizes: Sequence[int]) -> "Iterator[Batch]":
        """Cut into batches of so many texts each."""
        parts = {name: torch.split(value, [*sizes]) for name, value in self.tensors().items()}
        for number in range(len(sizes)):
            yield _of({name: part[number] for name, part in parts.items()})

    def take(self, texts: Tensor) -> "Batch":
        """Lay the texts of these numbers [R] side by side; one may be among them several times."""
        return _of({name: value[texts] for name, value in self.tensors().items()})

    def clone(self) -> "Batch":
        """Copy every tensor."""
        return _of({name: value.clone() for name, value in self.tensors().items()})

    def turned(self) -> "Batch":
        """Put text and query in each other's place; what is known of the text's tokens is not told."""
        assert self.query is not None, "there are no queries to put in the place of the texts"
        text = replace(self, truth=None, query=None, allowed=None, impermissible=None)
        return replace(self.query, query=text, allowed=self.allowed)

    def keeping(self, kept: Tensor) -> "Batch":
        """Leave the positions that `kept` [B,T] marks, and close the texts up; queries stay whole."""
        order, mask = self.closing_up(kept)
        tokens = self.tokens.gather(1, order).where(mask, PAD)
        marks = {
            name: value.gather(1, order) & mask
            for name in ("scorable", "truth", "impermissible")
            if (value := getattr(self, name)) is not None
        }
        if self.word is not None:
            marks["word"] = self.word.gather(1, order).where(mask, -1)
        if self.segment is not None:
            marks["segment"] = self.segment.gather(1, order).where(mask, 0)
        return replace(self, tokens=tokens, mask=mask, **marks)

    def closing_up(self, kept: Tensor) -> tuple[Tensor, Tensor]:
        """Say where each position comes from when `kept` [B,T] is closed up: [B,T′], and the mask."""
        kept = kept & self.mask
        order = (~kept).long().argsort(dim=1, stable=True)[:, : int(kept.sum(dim=1).max())]
        return order, kept.gather(1, order)

    def by_word(self, scores: Tensor, words: int) -> Tensor:
        """Bring scores [B,T,…] to the places of the words they are of: [B,words,…].

        They stand where `scored` says; a word without a place in the batch has NaN.
        """
        texts, places = self.scored.nonzero(as_tuple=True)
        laid = scores.new_full((len(self), words, *scores.shape[2:]), float("nan"))
        laid[texts, self.numbers[texts, places]] = scores[texts, places]
        return laid

    def spread(self, values: Tensor) -> Tensor:
        """Bring values [B,W] of words to every position of the word: [B,T], 0 where there is none."""
        number = self.numbers.clamp(max=values.shape[1] - 1)
        return values.gather(1, number).where(self.scorable, values.new_zeros(()))

    @property
    def numbers(self) -> Tensor:
        """The number of the word that each position is of: [B,T], 0 where there is none."""
        numbers = self.scorable.cumsum(dim=1) - 1 if self.word is None else self.word
        return numbers.where(self.scorable, 0)


def _of(tensors: dict[str, Tensor]) -> Batch:
    """Put a batch together of what `Batch.tensors` returns."""
    own = {name: value for name, value in tensors.items() if not name.startswith("query.")}
    asked = {name.removeprefix("query."): tensors[name] for name in tensors.keys() - own.keys()}
    return Batch(**own, query=_of(asked) if asked else None)


class Batcher:
    """Cuts batches out of one split; the arrays lie on the device once.

    `lengths` has how many positions each text takes, markers included, and `words` how many words it
    has. A query, where there is one, is cut along with its text: `asked` says how many positions each
    takes, and is None where there is none. Positions are words, or pieces of them.
    """

    def __init__(self, corpus: Corpus, split: str, device: torch.device | str = "cpu") -> None:
        part = corpus.splits[split]
        self.device = torch.device(device)
        known, margin = corpus.vocabulary_size, int(corpus.markers)
        self.words = part.lengths.numpy()
        self._texts: _Texts | _Pieces
        if part.pieces is None:
            self._texts = _Texts(part.words, part.starts, known, margin, self.device)
        else:
            self._texts = _Pieces(part, self.device)
        self._queries = None
        if part.query_words is not None and part.query_starts is not None:
            self._queries = _Texts(part.query_words, part.query_starts, known, margin, self.device)
        self._truth = None if part.truth is None else part.truth.to(device)
        self._hidden = None if part.impermissible is None else part.impermissible.to(device)
        self._allowed = None if part.candidates is None else part.candidates.to(device)
        self._labels = part.labels.to(device)
        self._ids = part.ids.to(device)
        self.lengths = self._texts.lengths
        self.asked = None if self._queries is None else self._queries.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def turned(self) -> "Batcher":
        """Cut the same with text and query in each other's place; what is true of a text is not told."""
        assert self._queries is not None, "there are no queries to put in the place of the texts"
        other = copy(self)
        assert isinstance(self._texts, _Texts)
        other._texts, other._queries = self._queries, self._texts
        other._truth = other._hidden = None
        other.lengths, other.words = self._queries.lengths, self._queries.words
        other.asked = self._texts.lengths
        return other

    def batch(self, texts: Sequence[int] | np.ndarray) -> Batch:
        """Pad the named texts to the longest of them, between markers where the corpus has them."""
        return next(self.batches([np.asarray(texts)]))

    def batches(
        self, order: Sequence[np.ndarray], width: Callable[[int], int] = lambda longest: longest
    ) -> Iterator[Batch]:
        """Make one batch after the other, padded to a width for its longest text, or query.

        The device hears of all of them at once: a copy to a GPU waits for all work before it, so
        that one a batch would halt it each time.
        """
        both = [part for part in (self._texts, self._queries) if part is not None]
        widths = [tuple(width(int(part.lengths[t].max())) for part in both) for t in order]
        if self.device.type == "cpu":
            for texts, columns in zip(order, widths, strict=True):
                yield self._batch(torch.from_numpy(texts), *columns)
            return
        alike: dict[tuple[int, ...], list[int]] = {}
        for number, columns in enumerate(widths):
            alike.setdefault(columns, []).append(number)
        index = torch.from_numpy(np.concatenate([order[n] for ns in alike.values() for n in ns]))
        index, start = index.to(self.device), 0
        cut: dict[int, Batch] = {}
        for columns, numbers in alike.items():
            # All of one width in one go: each takes a score of launches, however much is cut.
            sizes = [len(order[number]) for number in numbers]
            whole = self._batch(index[start : start + sum(sizes)], *columns)
            start += sum(sizes)
            cut |= zip(numbers, whole.split(sizes), strict=True)
        for number in range(len(order)):
            yield cut.pop(number)

    def _batch(self, index: Tensor, width: int, query_width: int = 0) -> Batch:
        labels, ids = self._labels[index], self._ids[index]
        tokens, mask, scorable, source = self._texts.laid_out(index, width)
        truth = None if self._truth is None else self._truth[source] & scorable
        query = None
        if self._queries is not None:
            query = Batch(*self._queries.laid_out(index, query_width)[:3], labels, ids)
        allowed = None if self._allowed is None else self._allowed[index]
        hidden = None if self._hidden is None else self._hidden[source] & scorable
        batch = Batch(tokens, mask, scorable, labels, ids, truth, query, allowed, hidden)
        return self._texts.told(batch, index)


class _Texts:
    """Flat words on a device, of which texts are laid side by side."""

    def __init__(
        self, words: Tensor, starts: Tensor, known: int, margin: int, device: torch.device
    ) -> None:
        words = words.long()
        self._tokens = words.where(words < known, UNKNOWN).to(device)
        self._starts = starts.to(device)
        self._margin = margin
        self.words = starts.diff().numpy()
        self.lengths = self.words + 2 * margin

    def laid_out(self, index: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return tokens, mask and scorable, and where in the flat array each token comes from."""
        margin = self._margin
        length = (self._starts[index + 1] - self._starts[index] + 2 * margin)[:, None]
        position = torch.arange(width, device=index.device)
        mask = position < length
        scorable = mask & (position >= margin) & (position < length - margin)
        source = (self._starts[index][:, None] + position - margin).where(scorable, 0)
        tokens = self._tokens[source].where(scorable, PAD)
        if margin:
            tokens = tokens.where(position > 0, START).where(position != length - 1, END)
        return tokens, mask, scorable, source

    def told(self, batch: Batch, index: Tensor) -> Batch:
        """Add nothing: every scorable position is a word."""
        return batch


class _Pieces:
    """Flat pieces of words on a device, markers among them, of which texts are laid side by side."""

    def __init__(self, part: Split, device: torch.device) -> None:
        assert part.pieces is not None
        assert part.piece_starts is not None
        assert part.piece_words is not None
        self._pieces, self._word = part.pieces.to(device).long(), part.piece_words.to(device).long()
        self._starts, self._word_starts = part.piece_starts.to(device), part.starts.to(device)
        segments = part.piece_segments
        self._segments = None if segments is None else segments.to(device).long()
        self.lengths = part.piece_starts.diff().numpy()

    def laid_out(self, index: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return pieces, mask and scorable, and where among all words the word of each piece is."""
        place, mask = self._places(index, width)
        word = self._word[place].where(mask, -1)
        scorable = word >= 0
        source = (self._word_starts[index][:, None] + word).where(scorable, 0)
        return self._pieces[place].where(mask, PAD), mask, scorable, source

    def told(self, batch: Batch, index: Tensor) -> Batch:
        """Add what word each piece is of, and whether the word is one of the query."""
        place, mask = self._places(index, batch.tokens.shape[1])
        segment = None if self._segments is None else self._segments[place].where(mask, 0)
        return replace(batch, word=self._word[place].where(mask, -1), segment=segment)

    def _places(self, index: Tensor, width: int) -> tuple[Tensor, Tensor]:
        first = self._starts[index][:, None]
        position = torch.arange(width, device=index.device)
        mask = position < self._starts[index + 1][:, None] - first
        return (first + position).where(mask, first), mask


def training_batches(
    lengths: np.ndarray, batch_size: int, max_tokens: int, seed: int
) -> list[np.ndarray]:
    """Cut one epoch: texts of like length (up to 10 % noise) together, batches in random order."""
    rng = np.random.default_rng(seed)
    noisy = lengths * rng.uniform(0.9, 1.1, len(lengths))
    batches = list(_cut(np.argsort(noisy, kind="stable"), lengths, batch_size, max_tokens))
    return [batches[i] for i in rng.permutation(len(batches))]


def ordered_batches(
    lengths: np.ndarray, max_tokens: int, asked: np.ndarray | None = None
) -> list[np.ndarray]:
    """Cut all texts, by length, into few batches within a budget of padded tokens.

    Where something is `asked` of every text, of so many tokens, these count too.
    """
    return list(_cut(_by_length(lengths, asked), lengths, len(lengths), max_tokens, asked=asked))


def like_batches(
    lengths: np.ndarray, max_tokens: int, asked: np.ndarray | None = None
) -> list[np.ndarray]:
    """Cut all texts, by length, into batches of which little is padding.

    No text is shorter than `ALIKE` of the longest beside it: what is made of many copies of a text has
    as many copies of its padding. What is `asked` counts, as in `ordered_batches`.
    """
    return list(_cut(_by_length(lengths, asked), lengths, len(lengths), max_tokens, ALIKE, asked))


def _by_length(lengths: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
    """Bring texts into an order by length; of texts of about one length, by that of what is asked.

    Up and down in turns, so that neighbours of unlike length are asked something of like length.
    """
    if asked is None:
        return np.argsort(lengths, kind="stable")
    about = (np.log(np.maximum(lengths, 1)) / -np.log(ALIKE)).astype(int)
    return np.lexsort((lengths, np.where(about % 2 == 0, asked, -asked), about))


def padded_sizes(lengths: np.ndarray, batches: Sequence[np.ndarray], power: int = 1) -> list[float]:
    """Say how much work each batch is: its texts, each as long as the longest, to a power."""
    return [len(texts) * float(lengths[texts].max()) ** power for texts in batches]


def _cut(
    order: np.ndarray,
    lengths: np.ndarray,
    batch_size: int,
    max_tokens: int,
    alike: float = 0.0,
    asked: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    also = np.zeros_like(lengths) if asked is None else asked
    start, least, most, most_asked = 0, 0, 0, 0
    for end, text in enumerate(order):
        length, of_query = int(lengths[text]), int(also[text])
        if end > start:
            size = (end + 1 - start) * (max(most, length) + max(most_asked, of_query))
            is_full = end - start == batch_size or size > max_tokens
            if is_full or min(least, length) < alike * max(most, length):
                yield order[start:end]
                start = end
        if start == end:
            least, most, most_asked = length, length, of_query
        least, most, most_asked = min(least, length), max(most, length), max(most_asked, of_query)
    if start < len(order):
        yield order[start:]
