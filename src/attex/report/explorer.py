"""What the explorer of a page shows: every analysed text of every seed, packed small.

**One text** is a JSON object. The page makes one when a text is opened, and whoever answers with a text
that was typed in (`attex serve`) sends one; `one_text` builds it. All that is drawn and computed of a
text is made of it:

    {
      "name": "test 12",         what the text is called
      "id": "-4821…",            the hash of the name that draws depend on, as digits: JavaScript would
                                 round the number
      "tokens": ["a", "film"],   words as written, T of them, without markers
      "known": [true, false],    false where the model sees <unk>
      "truth": [true, false],    whether a token is known to decide; null where that is not known
      "query": ["who", "?"],     the words of a second text, U of them; null without one
      "query_known": [true, true],   as `known`, of the second text; null without one
      "label": 1,                the number of its class; null for a text that has none
      "seeds": {"0": SEED, …}    by the number of the seed; one at least
    }

    SEED = {
      "logits": [0.7],           O numbers: one is a sigmoid (of class 1), several a softmax; null is −∞
      "scores": {"attention": [0.1, null]},   T numbers for every measure, by its title; null: undefined
      "query_scores": {"attention": [0.3, 0.7]},   the same of the second text, U numbers; null where
                                 it is not attended to
      "attention": [0.1, 0.9],   the model's weights, T numbers; null where they are not at hand
      "values": [[0.3], [0.8]],  k numbers for every token; null where they are not at hand
      "head": HEAD,              null where the output cannot be computed in the page
      "influence": [[1, 0], …]   T rows, one for each hidden state: the share of each token; or null
    }

    HEAD turns Σ_t α_t values_t = c, or [x; y], into logits:
      {"kind": "linear", "bias": [b]}                              c + b
      {"kind": "tanh_linear", "weight": [[…], …], "bias": [b]}     W tanh(c) + b, W [O,k]
      {"kind": "pair_linear", "weight": [[…], …], "bias": [b]}     W [x; y; |x − y|; x ∘ y] + b
    and in each "allowed": [true, …] of O, or null: other outputs have the logit −∞.

**All texts** of a run are packed: arrays as {"type", "shape", "data"}, where data is gzip of the bytes,
all lowest bytes first, then all second ones and so on, which packs better, in letters (`in_letters`: a
sixteenth less than base64); type is u1, u2, u4, i8, f4 or json. A missing array is absent. N texts, n
tokens, M measures, P pairs of measures, V different words:

    in the page   {"classes", "seeds", "measures", "pairs" [[i, j], …], "reach_epsilon",
                  "texts": TEXTS, "first": SCORED}
    TEXTS         names (json), words (json, V of them), unknown [V], tokens [n], lengths [N],
                  labels [N], ids [N], truth [n], query_tokens, query_lengths
    SCORED        logits [N,O]; scores [M,n] from 0 to 254 between lows [M,N] and highs [M,N], 255 where
                  undefined; query_scores, query_lows and query_highs, the same of second texts that are
                  attended to; disagreement [P,N] (Kendall's τ, of both texts if both have scores),
                  entropy [N] of the attention (a share of the largest), reach [N] (the exact
                  adversary's JSD at reach_epsilon)
    explorer/seed-N.js    calls attexExplorer.take(N, {"scored": SCORED (not of the first seed),
                  "attention" [n], "values" [n′,k] of the texts `valued` (all, where that is absent),
                  "head", "allowed" [N,O], "influence" (u1, 255 is the text's highest share, 0 undefined)
                  of the texts `influenced`, "influence_highs"})
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from torch import Tensor

from attex.analyses.analysis import Evidence, SeedEvidence
from attex.analyses.exploring import REACH_EPSILON
from attex.data.corpus import Corpus
from attex.data.split import Split
from attex.foundations.storage import finite

FOLDER = "explorer"
"""Where the scripts with more of each seed lie, beside the page."""

_LEVELS, _UNDEFINED = 254, 255
_SPECIAL = {" ", '"', "'", "&", "<", ">", "\\", "`", "/", "~"}
_LETTERS = np.array([ord(c) for c in map(chr, range(33, 127)) if c not in _SPECIAL], dtype=np.uint8)
"""85 letters that mean nothing special in HTML, JSON or JavaScript."""


@dataclass(frozen=True)
class Explored:
    """What the explorer needs of one model: tensors as `explore` gives them, and the head's formula."""

    tensors: Mapping[str, Tensor]
    head: str


def one_text(
    name: str,
    tokens: Sequence[str],
    known: Sequence[bool],
    seeds: Mapping[int, Mapping[str, Any]],
    *,
    text_id: int = 0,
    truth: Sequence[bool] | None = None,
    query: Sequence[str] | None = None,
    query_known: Sequence[bool] | None = None,
    label: int | None = None,
) -> dict[str, Any]:
    """Build one text as the page knows it; `seeds` holds what `one_seed` gives, by the seed's number."""
    return {
        "name": name,
        "id": str(text_id),
        "tokens": list(tokens),
        "known": list(known),
        "truth": None if truth is None else list(truth),
        "query": None if query is None else list(query),
        "query_known": None if query_known is None else list(query_known),
        "label": label,
        "seeds": {str(seed): dict(fields) for seed, fields in seeds.items()},
    }


def one_seed(
    logits: Sequence[float],
    scores: Mapping[str, Sequence[float]],
    attention: Sequence[float] | None = None,
    values: Sequence[Sequence[float]] | None = None,
    head: Mapping[str, Any] | None = None,
    influence: Sequence[Sequence[float]] | None = None,
    query_scores: Mapping[str, Sequence[float]] | None = None,
) -> dict[str, Any]:
    """Build what one model says of one text; what is not finite becomes null."""
    fields = {
        "logits": list(logits),
        "scores": _listed(scores),
        "query_scores": None if query_scores is None else _listed(query_scores),
        "attention": None if attention is None else list(attention),
        "values": None if values is None else [list(each) for each in values],
        "head": None if head is None else dict(head),
        "influence": None if influence is None else [list(each) for each in influence],
    }
    return dict(finite(fields))


def _listed(scores: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {measure: list(values) for measure, values in scores.items()}


def head_form(formula: tuple[str, Mapping[str, Tensor]] | None) -> dict[str, Any] | None:
    """Write what `Decoder.formula` says as a head of the form above."""
    if formula is None:
        return None
    kind, numbers = formula
    return {"kind": kind, "allowed": None} | {name: value.tolist() for name, value in numbers.items()}


def pack_run(
    evidence: Evidence, explored: Mapping[int, Explored]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Pack all texts of a run: what goes into the page, and the scripts beside it by their names."""
    first = evidence.seeds[0].seed
    titles = evidence.titles
    index = {
        "classes": evidence.corpus.classes,
        "seeds": list(evidence.numbers),
        "measures": list(titles),
        "pairs": [list(pair) for pair in combinations(range(len(titles)), 2)],
        "reach_epsilon": REACH_EPSILON,
        "texts": _texts(evidence.texts, evidence.corpus),
    }
    files = {}
    for seed in evidence.seeds:
        found = explored[seed.seed]
        scored = _scored(evidence.texts, titles, seed, found)
        more = _hands(found)
        if evidence.texts.candidates is not None:
            more["allowed"] = packed(evidence.texts.candidates.numpy(), "u1")
        if seed.seed == first:
            index["first"] = scored
        else:
            more["scored"] = scored
        files[f"seed-{seed.seed}.js"] = f"attexExplorer.take({seed.seed}, {json.dumps(more)});\n"
    return index, files


def _texts(texts: Split, corpus: Corpus) -> dict[str, Any]:
    # The words of these texts alone, the commonest first: their numbers are small and pack well.
    asked = np.empty(0, dtype=np.int32) if texts.query_words is None else texts.query_words.numpy()
    every = np.concatenate([texts.words.numpy(), asked])
    numbers, counts = np.unique(every, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(numbers), dtype=np.int64)
    place[order] = np.arange(len(numbers))
    tokens, asked = np.split(place[np.searchsorted(numbers, every)], [len(texts.words)])
    words = numbers[order]
    whole = "u2" if len(words) < 2**16 else "u4"
    arrays = {
        "names": packed_json(texts.names),
        "words": packed_json([corpus.lexicon[word] for word in words.tolist()]),
        "unknown": packed(words >= corpus.vocabulary_size, "u1"),
        "tokens": packed(tokens, whole),
        "lengths": packed(texts.lengths.numpy(), "u4"),
        "labels": packed(texts.labels.numpy(), "u2"),
        "ids": packed(texts.ids.numpy(), "i8"),
    }
    if texts.truth is not None:
        arrays["truth"] = packed(texts.truth.numpy(), "u1")
    if texts.query_starts is not None:
        arrays["query_tokens"] = packed(asked, whole)
        arrays["query_lengths"] = packed(texts.query_starts.diff().numpy(), "u4")
    return arrays


def _scored(texts: Split, titles: Sequence[str], seed: SeedEvidence, found: Explored) -> dict[str, Any]:
    arrays = {"logits": packed(seed.logits.numpy(), "f4")}
    if titles:
        arrays |= _coded([seed.scores[title] for title in titles], texts.starts, "")
    if titles and seed.query_scores:
        assert texts.query_starts is not None
        asked = [seed.query_scores[title] for title in titles]
        arrays |= _coded(asked, texts.query_starts, "query_")
    for name in ("disagreement", "entropy", "reach"):
        if name in found.tensors:
            arrays[name] = packed(found.tensors[name].numpy(), "f4")
    return arrays


def _coded(scores: Sequence[Tensor], starts: Tensor, prefix: str) -> dict[str, Any]:
    """Pack the flat scores of every measure, under names that begin with a prefix."""
    coded = [coded_scores(each.numpy(), starts.numpy()) for each in scores]
    codes, lows, highs = (np.stack(column) for column in zip(*coded, strict=True))
    return {
        f"{prefix}scores": packed(codes, "u1"),
        f"{prefix}lows": packed(lows, "f4"),
        f"{prefix}highs": packed(highs, "f4"),
    }


def coded_scores(scores: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Write flat scores at 8 bits: codes [n], lowest (0 or below) and highest of each text [N]."""
    known = np.isfinite(scores)
    filled = np.where(known, scores, 0.0)
    lows = np.minimum(np.minimum.reduceat(filled, starts[:-1]), 0.0)
    highs = np.maximum(np.maximum.reduceat(filled, starts[:-1]), 0.0)
    lengths = np.diff(starts)
    span = np.where(highs > lows, highs - lows, 1.0)
    codes = np.rint((filled - np.repeat(lows, lengths)) / np.repeat(span, lengths) * _LEVELS)
    return np.where(known, codes, _UNDEFINED).astype(np.uint8), lows, highs


def _hands(found: Explored) -> dict[str, Any]:
    """Pack what a hand on the attention needs, and the influence of some texts."""
    types = {"attention": "f4", "values": "f4", "valued": "u4", "influence": "u1"}
    types |= {"influenced": "u4", "influence_highs": "f4"}
    hands: dict[str, Any] = {
        name: packed(found.tensors[name].numpy(), kind)
        for name, kind in types.items()
        if name in found.tensors
    }
    numbers = {name: found.tensors[name] for name in ("weight", "bias") if name in found.tensors}
    hands["head"] = head_form((found.head, numbers) if found.head else None)
    return hands


def packed(values: np.ndarray, kind: str) -> dict[str, Any]:
    """Pack an array as a type of the form above."""
    array = np.ascontiguousarray(values, dtype=np.dtype(f"<{kind}"))
    planes = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
    return {"type": kind, "shape": list(array.shape), "data": _squeezed(planes.tobytes())}


def packed_json(value: Any) -> dict[str, Any]:
    """Pack a list that JSON can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return {"type": "json", "shape": [len(value)], "data": _squeezed(text.encode())}


def _squeezed(data: bytes) -> str:
    # The time is left out: the same texts give the same file.
    return in_letters(gzip.compress(data, compresslevel=6, mtime=0))


def in_letters(data: bytes) -> str:
    """Write four bytes as five letters of 85; the first letter counts bytes added at the end."""
    added = -len(data) % 4
    numbers = np.frombuffer(data + bytes(added), dtype=">u4").astype(np.uint32)
    digits = np.empty((len(numbers), 5), dtype=np.uint8)
    for place in reversed(range(5)):
        numbers, digits[:, place] = np.divmod(numbers, 85)
    return f"{added}{_LETTERS[digits].tobytes().decode('ascii')}"
