"""A dataset ready for models: filtered, indexed by a vocabulary, in flat arrays."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attex.data.folder import DataFolder
from attex.data.reader import SPLITS, Document, Reader
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.storage import read_json, read_tensors, write_json, write_tensors

PAD, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")


@dataclass(frozen=True)
class Split:
    """The texts of one split: `words` is flat, text i lies at `starts[i]:starts[i+1]`.

    `words` indexes the corpus' whole lexicon, so that a text can be shown as it was written;
    `ids` are 64-bit hashes of the names, the same in every corpus that has the text.
    """

    words: Tensor
    starts: Tensor
    labels: Tensor
    ids: Tensor
    names: list[str]
    truth: Tensor | None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def lengths(self) -> Tensor:
        """Tokens per text, without markers."""
        return self.starts.diff()


@dataclass(frozen=True)
class Corpus:
    """Splits over one lexicon, whose first `vocabulary_size` words the model knows.

    `markers` says whether texts stand between a start and an end marker.
    """

    lexicon: list[str]
    vocabulary_size: int
    classes: list[str]
    splits: dict[str, Split]
    facts: dict[str, Any]
    markers: bool = True

    @property
    def vocabulary(self) -> list[str]:
        """The words the model knows, markers first."""
        return self.lexicon[: self.vocabulary_size]

    def tokens(self, split: str, index: int) -> list[str]:
        """Return a text as its words."""
        part = self.splits[split]
        first, last = part.starts[index : index + 2].tolist()
        return [self.lexicon[word] for word in part.words[first:last].tolist()]

    def save(self, folder: Path) -> None:
        """Write the corpus into a folder."""
        tensors: dict[str, Tensor] = {}
        for name, part in self.splits.items():
            arrays = {"words": part.words, "starts": part.starts, "labels": part.labels}
            arrays |= {"ids": part.ids} | ({} if part.truth is None else {"truth": part.truth})
            tensors |= {f"{name}.{key}": value for key, value in arrays.items()}
        write_tensors(folder / "corpus.safetensors", tensors)
        write_json(
            folder / "corpus.json",
            {
                "classes": self.classes,
                "vocabulary_size": self.vocabulary_size,
                "markers": self.markers,
                "facts": self.facts,
                "names": {name: part.names for name, part in self.splits.items()},
                "lexicon": self.lexicon,
            },
        )

    @classmethod
    def load(cls, folder: Path) -> "Corpus":
        """Read what `save` wrote."""
        tensors, _ = read_tensors(folder / "corpus.safetensors")
        about = read_json(folder / "corpus.json")
        splits = {
            name: Split(
                words=tensors[f"{name}.words"],
                starts=tensors[f"{name}.starts"],
                labels=tensors[f"{name}.labels"],
                ids=tensors[f"{name}.ids"],
                names=names,
                truth=tensors.get(f"{name}.truth"),
            )
            for name, names in about["names"].items()
        }
        known = ("lexicon", "vocabulary_size", "classes", "facts", "markers")
        return cls(splits=splits, **{name: about[name] for name in known})


def build_corpus(reader: Reader, folder: DataFolder) -> Corpus:
    """Read, filter and index a dataset."""
    read: dict[str, list[Document]] = {split: [] for split in SPLITS}
    for document in reader.documents(folder):
        read[document.split].append(document)
    kept = {split: _within_limits(reader, documents) for split, documents in read.items()}
    for split, documents in kept.items():
        if not documents:
            raise UserError(f"no text is left in the {split} split ({len(read[split])} were read)")
    classes = _class_names(reader, kept)
    lexicon, known = _lexicon(read["train"], kept, reader.min_frequency)
    index = {word: number for number, word in enumerate(lexicon)}
    splits = {split: _encode(documents, index, classes) for split, documents in kept.items()}
    unknown = {s: (p.words >= known).double().mean().item() for s, p in splits.items()}
    facts = {
        "read": {split: len(documents) for split, documents in read.items()},
        "kept": {split: len(documents) for split, documents in kept.items()},
        "vocabulary": known,
        "unknown_share": unknown,
        "also_in_train": {split: _leaks(kept["train"], kept[split]) for split in SPLITS[1:]},
    }
    return Corpus(lexicon, known, classes, splits, facts, reader.markers)


def _within_limits(reader: Reader, documents: list[Document]) -> list[Document]:
    lengths = [len(document.tokens) for document in documents]
    shortest, longest = reader.min_tokens, reader.max_tokens
    if reader.drop_extremes and lengths:
        longest = max(lengths) - 1 if longest is None else longest
        shortest = min(lengths) + 1 if shortest == 1 else shortest
    kept = [
        document
        for document, length in zip(documents, lengths, strict=True)
        if shortest <= length and (longest is None or length <= longest)
    ]
    if reader.limit is not None and len(kept) > reader.limit:
        kept = [kept[i * len(kept) // reader.limit] for i in range(reader.limit)]
    return kept


def _class_names(reader: Reader, kept: dict[str, list[Document]]) -> list[str]:
    trained = {document.label for document in kept["train"]}
    classes = list(reader.class_names()) or sorted(trained)
    known = frozenset(classes)
    for split, documents in kept.items():
        for document in documents:
            if document.label not in known:
                names = listed(classes, quote="'")
                raise UserError(
                    f"text {document.name} of {split} has label '{brief(document.label)}', which is "
                    f"not one of [{names}]"
                )
    if len(trained) < 2:
        raise UserError(f"the training texts have one class only: '{brief(trained.pop())}'")
    return classes


def _lexicon(
    read: list[Document], kept: dict[str, list[Document]], min_frequency: int
) -> tuple[list[str], int]:
    # The papers' vocabularies were built before the length filter (SST: 13,826 entries so).
    texts_with = Counter(chain.from_iterable(set(document.tokens) for document in read))
    known = sorted(word for word, count in texts_with.items() if count >= min_frequency)
    everything = {word for documents in kept.values() for d in documents for word in d.tokens}
    rest = sorted(everything.difference(known))
    return [*SPECIALS, *known, *rest], len(SPECIALS) + len(known)


def _encode(documents: list[Document], index: dict[str, int], classes: list[str]) -> Split:
    lengths = torch.tensor([0, *(len(document.tokens) for document in documents)])
    truths = [document.truth for document in documents]
    truth = None
    if any(mask is not None for mask in truths):
        marks = [mask or [False] * len(d.tokens) for mask, d in zip(truths, documents, strict=True)]
        truth = torch.tensor(list(chain.from_iterable(marks)), dtype=torch.bool)
    rank = {label: number for number, label in enumerate(classes)}
    words = (index[word] for document in documents for word in document.tokens)
    return Split(
        words=torch.tensor(list(words), dtype=torch.int32),
        starts=lengths.cumsum(0),
        labels=torch.tensor([rank[document.label] for document in documents]),
        ids=torch.tensor([stable_id(document.name) for document in documents]),
        names=[document.name for document in documents],
        truth=truth,
    )


def stable_id(name: str) -> int:
    """Hash a text's name to a signed 64-bit integer."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _leaks(train: Iterable[Document], other: Iterable[Document]) -> int:
    seen = {tuple(document.tokens) for document in train}
    return sum(tuple(document.tokens) in seen for document in other)
