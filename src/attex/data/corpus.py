"""A dataset ready for models: filtered, indexed by a vocabulary, in flat arrays."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attex.data.folder import DataFolder
from attex.data.left_out import LeftOut, beginning, by_reason
from attex.data.reader import SPLITS, Document, Reader, Remark
from attex.data.split import OPTIONAL, Split, count_shared, index_documents
from attex.foundations.errors import UserError, brief, listed
from attex.foundations.storage import read_json, read_tensors, write_json, write_tensors

PAD, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
OVER_LIMIT = "beyond the limit of texts"
"""Those are counted, not listed: a limit is for a quick look."""


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
        return self._written(part.words, part.starts, index)

    @property
    def has_queries(self) -> bool:
        """Whether every text comes with a second one: a question that is asked of it."""
        return any(part.query_words is not None for part in self.splits.values())

    def query_tokens(self, split: str, index: int) -> list[str] | None:
        """Return what is asked of a text as its words; None where texts have no query."""
        part = self.splits[split]
        if part.query_words is None or part.query_starts is None:
            return None
        return self._written(part.query_words, part.query_starts, index)

    def _written(self, words: Tensor, starts: Tensor, index: int) -> list[str]:
        first, last = starts[index : index + 2].tolist()
        return [self.lexicon[word] for word in words[first:last].tolist()]

    def save(self, folder: Path) -> None:
        """Write the corpus into a folder."""
        tensors: dict[str, Tensor] = {}
        for name, part in self.splits.items():
            tensors |= {f"{name}.{key}": value for key, value in part.tensors().items()}
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
                **{key: tensors.get(f"{name}.{key}") for key in OPTIONAL},
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
    _check_queries(documents, reader.unit)
    everything = len(documents) + len(left_out)
    if reader.first_tokens is not None:
        longer = sum(len(document.tokens) > reader.first_tokens for document in documents)
        remarks.append(f"cut after {reader.first_tokens:,} tokens: {longer:,} texts")
        documents = [_cut(document, reader.first_tokens) for document in documents]
    read: dict[str, list[Document]] = {split: [] for split in SPLITS}
    for document in reader.settled(documents, folder):
        read[document.split].append(document)
    del documents
    facts: dict[str, Any] = {"read": {split: len(texts) for split, texts in read.items()}}
    kept: dict[str, list[Document]] = {}
    # A smaller training set knows fewer words, too: the rest of it is as good as not read.
    read["train"] = _limited(read["train"], math.ceil(reader.train_share * len(read["train"])))
    over_limit = facts["read"]["train"] - len(read["train"])
    for split, texts in read.items():
        within, outside = _within_limits(reader, texts)
        kept[split] = _limited(within, reader.limit)
        if split == "test":
            kept[split] = _limited(kept[split], reader.test_limit)
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
    splits = {split: index_documents(texts, index, classes) for split, texts in kept.items()}
    facts |= {
        "kept": {split: len(documents) for split, documents in kept.items()},
        "left_out": by_reason(left_out) | ({OVER_LIMIT: over_limit} if over_limit else {}),
        "remarks": remarks,
        "vocabulary": known,
        "unknown_share": {split: _share_unknown(part, known) for split, part in splits.items()},
        "also_in_train": {split: count_shared(splits["train"], splits[split]) for split in SPLITS[1:]},
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


def _check_queries(documents: list[Document], unit: str) -> None:
    """Raise unless all texts have a query or none has, and every answer is among its candidates."""
    asked = any(document.query is not None for document in documents)
    for document in documents:
        wrong = ""
        if asked and not document.query:
            wrong = "an empty query: nothing is asked of the text"
        elif document.candidates is not None and document.label not in document.candidates:
            among = listed(sorted(document.candidates), quote="'")
            wrong = f"the answer '{brief(document.label)}', which is not among its candidates [{among}]"
        if wrong:
            raise UserError(f"{unit} {brief(document.name, 60)} of {document.split} has {wrong}")


def _cut(document: Document, count: int) -> Document:
    """Return a document with its first tokens alone, and what is marked among these."""
    return replace(
        document,
        tokens=document.tokens[:count],
        truth=None if document.truth is None else document.truth[:count],
        impermissible=None if document.impermissible is None else document.impermissible[:count],
    )


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
    asked = set(chain.from_iterable(document.candidates or () for document in kept["train"]))
    classes = list(reader.class_names()) or sorted(trained | asked)
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
    # A query is a text of its own: a word that is in both counts twice.
    texts_with = Counter(word for document in read for text in document.texts for word in set(text))
    known = sorted(word for word, count in texts_with.items() if count >= min_frequency)
    shown = chain.from_iterable(document.texts for texts in kept.values() for document in texts)
    everything = set(chain.from_iterable(shown))
    rest = sorted(everything.difference(known))
    return [*SPECIALS, *known, *rest], len(SPECIALS) + len(known)


def _share_unknown(part: Split, known: int) -> float:
    words = part.words if part.query_words is None else torch.cat([part.words, part.query_words])
    return (words >= known).double().mean().item()
