"""A dataset ready for models: filtered, indexed by a vocabulary, in flat arrays."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from hashlib import blake2b
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut, beginning, by_reason
from attex.data.reader import SPLITS, Document, Reader, Remark
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.storage import read_json, read_tensors, write_json, write_tensors

PAD, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
OVER_LIMIT = "beyond the limit of texts"
"""Those are counted, not listed: a limit is for a quick look."""


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

    `markers` says whether texts stand between a start and an end marker; `left_out` names the texts
    that were read and are in no split.
    """

    lexicon: list[str]
    vocabulary_size: int
    classes: list[str]
    splits: dict[str, Split]
    facts: dict[str, Any]
    markers: bool = True
    left_out: tuple[LeftOut, ...] = ()

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
                "left_out": [astuple(one) for one in self.left_out],
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
        # A corpus of before this list was kept has none.
        left_out = tuple(LeftOut(*fields) for fields in about.get("left_out", ()))
        return cls(splits=splits, left_out=left_out, **{name: about[name] for name in known})


def build_corpus(reader: Reader, folder: DataFolder) -> Corpus:
    """Read, filter and index a dataset; what is left out is counted by reason, and listed."""
    documents, left_out, remarks = _sorted_out(reader.documents(folder))
    everything = len(documents) + len(left_out)
    read: dict[str, list[Document]] = {split: [] for split in SPLITS}
    for document in reader.settled(documents, folder):
        read[document.split].append(document)
    del documents
    kept: dict[str, list[Document]] = {}
    over_limit = 0
    for split, texts in read.items():
        within, outside = _within_limits(reader, texts)
        kept[split] = _limited(within, reader.limit)
        over_limit += len(within) - len(kept[split])
        left_out += outside
    if reader.whole_classes_only():
        left_out += _leave_out_classes(kept)
    # What is wrong before what was asked for: a list may be cut short.
    left_out.sort(key=lambda one: one.asked)
    reader.check_left_out([one for one in left_out if not one.asked], everything)
    for split, texts in kept.items():
        if not texts:
            raise UserError(f"no text is left in the {split} split ({len(read[split])} were read)")
    classes = _class_names(reader, kept)
    lexicon, known = _lexicon(read["train"], kept, reader.min_frequency)
    index = {word: number for number, word in enumerate(lexicon)}
    splits = {split: encode(documents, index, classes) for split, documents in kept.items()}
    unknown = {s: (p.words >= known).double().mean().item() for s, p in splits.items()}
    facts = {
        "read": {split: len(documents) for split, documents in read.items()},
        "kept": {split: len(documents) for split, documents in kept.items()},
        "left_out": by_reason(left_out) | ({OVER_LIMIT: over_limit} if over_limit else {}),
        "remarks": remarks,
        "vocabulary": known,
        "unknown_share": unknown,
        "also_in_train": {split: _leaks(splits["train"], splits[split]) for split in SPLITS[1:]},
    }
    return Corpus(lexicon, known, classes, splits, facts, reader.markers, tuple(left_out))


def _sorted_out(
    found: Iterable[Document | LeftOut | Remark],
) -> tuple[list[Document], list[LeftOut], list[str]]:
    documents, left_out, remarks = [], [], []
    for one in found:
        if isinstance(one, Document):
            documents.append(one)
        elif isinstance(one, LeftOut):
            left_out.append(one)
        else:
            remarks.append(one.text)
    return documents, left_out, remarks


def _within_limits(reader: Reader, documents: list[Document]) -> tuple[list[Document], list[LeftOut]]:
    """Part the texts that are long enough, and not too long, from the others."""
    lengths = [len(document.tokens) for document in documents]
    shortest, longest = reader.min_tokens, reader.max_tokens
    if reader.drop_extremes and lengths:
        longest = max(lengths) - 1 if longest is None else longest
        shortest = min(lengths) + 1 if shortest == 1 else shortest
    kept, outside = [], []
    for document, length in zip(documents, lengths, strict=True):
        if length < shortest:
            outside.append(_outside(document, f"fewer tokens than {shortest:,}"))
        elif longest is not None and length > longest:
            outside.append(_outside(document, f"more tokens than {longest:,}"))
        else:
            kept.append(document)
    return kept, outside


def _outside(document: Document, reason: str) -> LeftOut:
    detail = f"{len(document.tokens):,} tokens, {reason.replace(' tokens', '')}"
    return LeftOut(document.name, reason, detail, _begins(document), asked=True)


def _begins(document: Document) -> str:
    return beginning(" ".join(document.tokens[:40]))


def _limited(documents: list[Document], limit: int | None) -> list[Document]:
    if limit is None or len(documents) <= limit:
        return documents
    return [documents[i * len(documents) // limit] for i in range(limit)]


def _leave_out_classes(kept: dict[str, list[Document]]) -> list[LeftOut]:
    """Take the texts out of `kept` whose class is not in every split."""
    found = {split: Counter(document.label for document in texts) for split, texts in kept.items()}
    whole = set.intersection(*(set(counts) for counts in found.values()))
    left_out = []
    for split, texts in kept.items():
        for document in texts:
            if document.label not in whole:
                here = ", ".join(f"{found[name][document.label]:,} in {name}" for name in SPLITS)
                detail = f"class '{brief(document.label, 60)}' is not in every split ({here})"
                reason = "the class is not in every split"
                left_out.append(LeftOut(document.name, reason, detail, _begins(document)))
        kept[split] = [document for document in texts if document.label in whole]
    return left_out


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


def encode(documents: list[Document], index: dict[str, int], classes: list[str]) -> Split:
    """Put documents into flat arrays, by the index of every word and the place of every label."""
    lengths = torch.tensor([0, *(len(document.tokens) for document in documents)])
    truths = [document.truth for document in documents]
    truth = None
    if any(mask is not None for mask in truths):
        marks = [mask or [False] * len(d.tokens) for mask, d in zip(truths, documents, strict=True)]
        truth = torch.tensor(list(chain.from_iterable(marks)), dtype=torch.bool)
    rank = {label: number for number, label in enumerate(classes)}
    words = map(index.__getitem__, chain.from_iterable(document.tokens for document in documents))
    return Split(
        words=torch.from_numpy(np.fromiter(words, np.int32, int(lengths.sum()))),
        starts=lengths.cumsum(0),
        labels=torch.tensor([rank[document.label] for document in documents]),
        ids=torch.tensor([stable_id(document.name) for document in documents]),
        names=[document.name for document in documents],
        truth=truth,
    )


def stable_id(name: str) -> int:
    """Hash a text's name to a signed 64-bit integer."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _leaks(train: Split, other: Split) -> int:
    seen = set(_each(train))
    return sum(text in seen for text in _each(other))


def _each(texts: Split) -> Iterator[bytes]:
    """Yield the words of each text in a form that can be compared."""
    words = texts.words.numpy()
    for start, end in pairwise(texts.starts.tolist()):
        yield words[start:end].tobytes()
