"""Tokens that attention may have been trained to hide: its weight on them, and whether they are used."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from attex.analyses.analysis import (
    ANALYSED,
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
    no_attention,
    no_words,
)
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, mean
from attex.analyses.readings import Reading, readings
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.estimates import estimates_chart
from attex.data.batch import Batcher
from attex.data.corpus import UNKNOWN, Corpus
from attex.data.derived import shortened
from attex.data.split import Split
from attex.foundations.divergences import distribution
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder
from attex.training.prediction import predict

MASS, SHARE = "impermissible_mass", "impermissible_share"
WHOLE = "accuracy(whole)"
REMOVED, NEUTRALISED, ZEROED = "accuracy(removed)", "accuracy(neutralised)", "accuracy(zeroed)"
ABLATIONS = (REMOVED, NEUTRALISED, ZEROED)
_OFFERED = (MASS, SHARE, *ABLATIONS)
_LAID_OUT = (MASS, SHARE, WHOLE, *ABLATIONS)

PRONOUNS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("he", "she"), "they"),
        **dict.fromkeys(("his", "her"), "their"),
        "him": "them",
        "hers": "theirs",
        **dict.fromkeys(("himself", "herself"), "themselves"),
    }
)
"""What stands for a word that tells a gender, where nothing else is said."""


@ANALYSES.register("impermissible", cite="Pruthi et al. 2020")
class ImpermissibleAnalysis(Analysis):
    """Attention on impermissible tokens I, and the accuracy without them in three ways.

    `impermissible_mass` is Σ_{t∈I} α_t beside `impermissible_share` = |I|/n, both over the texts that
    have tokens of both kinds; the others are undefined, and counted. The accuracy is that of the same
    model when I is `removed` from the texts; when it is `neutralised`, each word by what `neutral` says
    or else by `<unk>`; and when its weights are `zeroed` and the others stay as they are. A text of
    impermissible tokens alone has nothing left when they are removed: undefined, and counted.
    """

    title = "Impermissible tokens"
    explanation = (
        "Some tokens are not supposed to decide. If attention says what decides, a model whose "
        "attention keeps off them does without them: its accuracy is the same when they are removed, "
        "put in neutral words, or when their weights are 0. An accuracy that falls although there was "
        "no weight on them says that attention hides them."
    )
    views: ClassVar = {"impermissible": View(("quantity",), ("mean", "low", "high", "undefined"))}
    examines = True
    examines_scores = False
    reads_scores = False

    def __init__(self, *, neutral: dict[str, str] | None = None) -> None:
        self.neutral = PRONOUNS if neutral is None else neutral

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that scores states, and texts in which something is impermissible."""
        marks = corpus.splits[ANALYSED].impermissible
        if marks is None or not bool(marks.any()):
            return "the data marks no token as impermissible"
        return no_words(model) or no_attention(model)

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Add up the weights, and decide again without the tokens: [N] each, by name."""
        texts, model = subject.texts, subject.load()
        marks = _marks(texts)
        pieces = ((part.texts, _of_attention(part, subject)) for part in readings(subject, self.title))
        found = put_together(pieces, len(texts))
        some, only = _has(texts, marks), ~_has(texts, ~marks)
        # Where there is nothing to hide, or nowhere else to look, the weight says nothing.
        for name in (MASS, SHARE):
            found[name] = found[name].masked_fill(~some | only, torch.nan)
        right = _right(model, subject, shortened(texts, marks))
        found[REMOVED] = right.masked_fill(only, torch.nan)
        found[NEUTRALISED] = _right(model, subject, self._neutralised(subject.corpus, marks))
        return found

    def _neutralised(self, corpus: Corpus, marks: Tensor) -> Split:
        known = {word: number for number, word in enumerate(corpus.vocabulary)}
        instead = [known.get(self.neutral.get(word, ""), UNKNOWN) for word in corpus.lexicon]
        texts = corpus.splits[ANALYSED]
        words = torch.tensor(instead, dtype=texts.words.dtype)[texts.words.long()]
        return replace(texts, words=texts.words.where(~marks, words))

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the weight on the tokens, and the accuracies without them."""
        return _OFFERED

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the same; the accuracy of whole texts is among all models' numbers."""
        for name in _OFFERED:
            yield mean(name, evidence.stacked(name)[0])

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out weights and accuracies."""
        values = {name: evidence.stacked(name) for name in _LAID_OUT}
        rows = [evidence.about | row for row in _rows(values, evidence.numbers)]
        pooled = {row["quantity"]: row for row in rows}
        return Result(
            {"tables/impermissible": frame(rows)},
            {"impermissible": estimates_chart([*_estimates(pooled)], self.title, "mean over the texts")},
            [*_headlines(pooled)],
        )


def _marks(texts: Split) -> Tensor:
    marks = texts.impermissible
    return torch.zeros_like(texts.words, dtype=torch.bool) if marks is None else marks


def _has(texts: Split, marks: Tensor) -> Tensor:
    """Say of every text whether a token of it is marked: flat [tokens] → [N]."""
    counts = torch.cat([torch.zeros(1, dtype=torch.int64), marks.cumsum(0)])
    return counts[texts.starts[1:]] > counts[texts.starts[:-1]]


def _of_attention(part: Reading, subject: Subject) -> dict[str, Tensor]:
    """Return the weight on the tokens, their share, and what is decided without their weight."""
    hidden = part.beside(_marks(subject.texts).double(), subject) > 0
    labels = subject.texts.labels[torch.from_numpy(part.texts)].to(part.attention.device)

    def right(attention: Tensor) -> Tensor:
        return (distribution(part.readout.decode(attention)).argmax(dim=1) == labels).double()

    return {
        MASS: (part.attention * hidden).sum(dim=1),
        SHARE: hidden.sum(dim=1).double() / part.mask.sum(dim=1),
        WHOLE: right(part.attention),
        ZEROED: right(part.attention.masked_fill(hidden, 0.0)),
    }


def _right(model: AttentionModel, subject: Subject, texts: Split) -> Tensor:
    """Say whether the model is right about every text, as it is now: [N]."""
    corpus = replace(subject.corpus, splits={ANALYSED: texts})
    logits = predict(model, Batcher(corpus, ANALYSED, subject.device))
    return (distribution(logits).argmax(dim=1) == texts.labels).double()


def _rows(values: Mapping[str, np.ndarray], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for name, each in values.items():
        for seed, members in seed_groups(seeds):
            chosen = np.ones_like(each[members], dtype=bool)
            yield {"quantity": name, "seed": seed} | summarise(each[members], chosen)


def _estimates(pooled: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    groups = {"attention": (MASS, SHARE), "accuracy": (WHOLE, *ABLATIONS)}
    for group, names in groups.items():
        for name in names:
            row = pooled[name]
            shown = name.removeprefix("accuracy(").removesuffix(")").replace("_", " ")
            numbers = {"value": row["mean"], "low": row["low"], "high": row["high"]}
            yield {"group": group, "name": shown} | numbers


def _headlines(pooled: Mapping[str, Mapping[str, Any]]) -> Iterator[Headline]:
    def number(name: str, key: str) -> float | None:
        value = float(pooled[name][key])
        return value if value == value else None

    yield Headline(
        "How much attention rests on impermissible tokens?",
        "weight",
        number(MASS, "mean"),
        number(MASS, "low"),
        number(MASS, "high"),
        # What weights that mean nothing would have on them.
        chance=number(SHARE, "mean"),
    )
    yield Headline(
        "How often is the model right without impermissible tokens?",
        "accuracy",
        number(REMOVED, "mean"),
        number(REMOVED, "low"),
        number(REMOVED, "high"),
        chance=None,
    )
