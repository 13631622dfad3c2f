"""A new text, read by the trained model of a run: what it predicts, and the scores of every token."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from attex.analyses.readings import words_read
from attex.config.loading import validate
from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.reader import READERS, Document, Reader
from attex.data.split import index_documents
from attex.data.subwords import in_pieces
from attex.foundations.divergences import distribution
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import is_unicode
from attex.foundations.storage import finite
from attex.importance.influence import influence_on_states
from attex.importance.measure import MEASURES, Measure, check_measure
from attex.importance.weights import attention as weights_of
from attex.models.classifier import AttentionModel
from attex.models.pretrained_folder import JOINED, WordCutter

if TYPE_CHECKING:
    from attex.finished_run import Run
    from attex.models.classifier import AttentionModel, Trace
    from attex.report.explanation_page import ExplainedText

Text = str | Sequence[str]
"""A text that is to be cut, or its tokens."""

Measures = Sequence[str | Mapping[str, Any]]
"""Measures by name, or as an experiment writes them."""

_TEXT = "text"
"""The split, and the name, of the only text there is."""


@dataclass(frozen=True)
class Explanation:
    """What a trained model makes of a text.

    `known` says of each token whether the model knows the word; it reads the others as one and the same
    unknown word. `scores` has a list for each measure, one score for each token, NaN where it has none.
    `probabilities` are by class, and `prediction` is the likeliest. `query` is what was asked of the
    text, if the models of the run read two, and `query_known` says of its words what `known` says; where
    both texts are attended to, `query_scores` has the scores of the query.

    Example:
        >>> from attex import Explanation
        >>> explanation = Explanation(
        ...     run="inn",
        ...     seed=0,
        ...     tokens=["lovely", "zorb"],
        ...     known=[True, False],
        ...     scores={"attention": [0.75, 0.25]},
        ...     prediction="positive",
        ...     probabilities={"negative": 0.1, "positive": 0.9},
        ... )
        >>> explanation.unknown_words, explanation.shares["attention"][0]
        (['zorb'], 1.0)
    """

    run: str
    seed: int
    tokens: list[str]
    known: list[bool]
    scores: dict[str, list[float]]
    prediction: str
    probabilities: dict[str, float]
    query: list[str] | None = None
    query_known: list[bool] | None = None
    query_scores: dict[str, list[float]] | None = None

    @property
    def unknown_words(self) -> list[str]:
        """The words of the text, and of the query, that the model does not know, each once."""
        words = [*self.tokens, *(self.query or ())]
        every = zip(words, [*self.known, *(self.query_known or ())], strict=True)
        return [*dict.fromkeys(word for word, known in every if not known)]

    @cached_property
    def shares(self) -> dict[str, list[float]]:
        """The scores as shares of the text's highest, by measure; 0 where there is none."""
        return _shares(self.scores)

    def to_json(self) -> dict[str, Any]:
        """Return plain data; a score that is undefined is null."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return dict(finite(fields | {"unknown_words": self.unknown_words}))

    def shown(self) -> "ExplainedText":
        """Return what a page shows."""
        from attex.report.explanation_page import ExplainedText, ScoredTokens

        asked = None
        if self.query is not None and self.query_known is not None and self.query_scores is not None:
            shares = _shares(self.query_scores)
            asked = ScoredTokens(self.query, self.query_known, self.query_scores, shares)
        return ExplainedText(
            run=self.run,
            seed=self.seed,
            text=ScoredTokens(self.tokens, self.known, self.scores, self.shares),
            prediction=self.prediction,
            probabilities=self.probabilities,
            unknown_words=self.unknown_words,
            query=self.query,
            asked=asked,
        )

    def _repr_html_(self) -> str:
        from attex.report.explanation_page import render_explanation

        return render_explanation(self.shown())


def _shares(scores: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    shares = {}
    for measure, of_tokens in scores.items():
        known = [0.0 if math.isnan(score) else score for score in of_tokens]
        highest = max(known, default=0.0) or 1.0
        shares[measure] = [score / highest for score in known]
    return shares


def _scores(
    model: AttentionModel, batch: Batch, tokens: int, predicted: int, measures: Mapping[str, Measure]
) -> dict[str, list[float]]:
    # Nobody knows the label of a new text: measures that ask for one are given the prediction.
    batch = replace(batch, labels=torch.full_like(batch.labels, predicted))
    return {
        name: batch.by_word(score(model, batch), tokens)[0].tolist() for name, score in measures.items()
    }


class Explainer:
    """The model of one seed of a run, loaded once and ready for any number of texts."""

    def __init__(self, run: "Run", seed: int | None = None, device: str = "cpu") -> None:
        self.run = run
        self.seed: int = run.config["seeds"][0] if seed is None else seed
        self.model = run.model(self.seed, device)
        self._device = next(self.model.parameters()).device
        self._words: list[str] = run.vocabulary["words"]
        # A text may hold "<unk>" or "<s>" as a word: the rows before these are not words.
        self._rows = {word: row for row, word in enumerate(self._words) if row >= len(SPECIALS)}
        self._cutter = None if run.reads_as is None else WordCutter(run.reads_as)
        self._joined: bool = run.vocabulary.get(JOINED, False)

    @cached_property
    def reader(self) -> Reader:
        """The dataset's reader, which cuts new texts, too."""
        reader: Reader = READERS.bind(READERS.spec(self.run.config["data"]))
        return reader

    def __call__(
        self, text: Text, measures: Measures | None = None, query: Text | None = None
    ) -> Explanation:
        """Read a text, and score its tokens by the run's measures or others."""
        named = self._measures(measures)
        document = self.document(text, query)
        batch, (tokens, asked) = self.batch(document), self.shown(document)
        output = distribution(self._traced(batch).logits)[0]
        classes: list[str] = self.run.vocabulary["classes"]
        scores, query_scores = self._scores_of_both(batch, len(tokens), int(output.argmax()), named)
        return Explanation(
            run=self.run.config["name"],
            seed=self.seed,
            tokens=tokens,
            known=self.known(tokens),
            scores=scores,
            prediction=classes[int(output.argmax())],
            probabilities=dict(zip(classes, output.tolist(), strict=True)),
            query=asked,
            query_known=None if asked is None else self.known(asked),
            query_scores=query_scores,
        )

    def shown(self, document: Document) -> tuple[list[str], list[str] | None]:
        """Return the tokens that have scores, and the query where it is apart from them."""
        if self._joined and document.query is not None:
            return [*document.tokens, *document.query], None
        return document.tokens, document.query

    def explored(self, batch: Batch, tokens: int) -> dict[str, Any]:
        """Return what the explorer of a page shows of a text of so many tokens.

        That includes the influence of its tokens, but for models that read pieces of words, where it
        would take a pass through all layers for each.
        """
        from attex.report.explorer import head_form, one_seed

        trace = self._traced(batch)
        predicted = int(distribution(trace.logits)[0].argmax())
        form = self.model.decoder.formula()
        head = head_form(form)
        allowed = None if batch.allowed is None else batch.allowed[0].tolist()
        attention, values = self._weighed(batch, tokens, trace)
        scores, query_scores = self._scores_of_both(batch, tokens, predicted, self._measures())
        return one_seed(
            trace.logits[0].tolist(),
            scores,
            attention.tolist(),
            None if form is None or values is None else values.tolist(),
            None if head is None else head | {"allowed": allowed},
            None if self._cutter else self._influence(batch),
            query_scores,
        )

    def _weighed(self, batch: Batch, tokens: int, trace: "Trace") -> tuple[Tensor, Tensor | None]:
        """Return the weight of each token [T], and what it weighs [T,r], if its model has a readout."""
        inside = batch.scorable[0]
        if batch.word is None:
            return trace.attention[0][inside], self.model.readout(trace.hidden, batch).values[0][inside]
        if not self.model.has_readout:
            weights = batch.by_word(weights_of(self.model, batch), tokens)[0]
            return weights.nan_to_num(0.0), None
        read = words_read(self.model, batch, np.zeros(1, dtype=int), tokens)
        return read.attention[0], read.readout.values[0]

    def _influence(self, batch: Batch) -> list[list[float]]:
        inside = batch.scorable[0]
        ((_, shares),) = influence_on_states(self.model, batch)
        influence: list[list[float]] = shares[0][inside][:, inside].nan_to_num(0.0).tolist()
        return influence

    def known(self, tokens: Sequence[str]) -> list[bool]:
        """Say of each token whether the model knows the word."""
        if self._cutter is not None:
            return self._cutter.knows(tokens)
        return [token in self._rows for token in tokens]

    @property
    def asks(self) -> bool:
        """Whether the model reads a query, too."""
        return self._joined or self.model.query is not None

    def document(self, text: Text, query: Text | None = None) -> Document:
        """Cut a text, and what is asked of it where the models read two texts.

        Raises:
            UserError: if either has no token, or there is one text too many or too few.
        """
        if self.asks != (query is not None):
            wanted = (
                "one text: leave the query out" if query is not None else "two texts: give the query"
            )
            raise UserError(f"the models of {self.run.path} read {wanted}")
        tokens = self._tokens(text)
        asked = None if query is None else self._tokens(query)
        # It has no label; what is written in its place is not looked at.
        label = self.run.vocabulary["classes"][0]
        among = self.reader.answers_in(tokens)
        return Document(_TEXT, _TEXT, tokens, label, query=asked, candidates=among)

    def batch(self, document: Document) -> Batch:
        """Make a batch of one text; it has the markers that the corpus has, or those of its pieces."""
        classes, markers = self.run.vocabulary["classes"], self.run.vocabulary["markers"]
        lexicon, past, rows = self._words, len(self._words), self._rows
        if self._cutter is not None:
            lexicon = [*SPECIALS, *dict.fromkeys(word for words in document.texts for word in words)]
            past = len(lexicon)
            rows = {word: row for row, word in enumerate(lexicon) if row >= len(SPECIALS)}
        index = {word: rows.get(word, past) for words in document.texts for word in words}
        split = index_documents([document], index, classes)
        corpus = Corpus(lexicon, past, classes, {_TEXT: split}, facts={}, markers=markers)
        if self._cutter is not None:
            corpus = in_pieces(corpus, self._cutter)
        return Batcher(corpus, _TEXT, self._device).batch([0])

    @torch.no_grad()
    def _traced(self, batch: Batch) -> "Trace":
        trace: Trace = self.model(batch)
        return trace

    def _scores_of_both(
        self, batch: Batch, tokens: int, predicted: int, measures: Mapping[str, Measure]
    ) -> tuple[dict[str, list[float]], dict[str, list[float]] | None]:
        """Score the tokens of a text, and those of its query where that is attended to."""
        scores = _scores(self.model, batch, tokens, predicted, measures)
        if not self.model.attends_to_query:
            return scores, None
        turned = batch.turned()
        asked = int(turned.scorable.sum())
        return scores, _scores(self.model.turned(), turned, asked, predicted, measures)

    def _tokens(self, text: Text) -> list[str]:
        given = [text] if isinstance(text, str) else [*text]
        if not all(isinstance(part, str) and is_unicode(part) for part in given):
            raise UserError(f"'{brief(text, 60)}' is no text that can be written down in Unicode")
        tokens = self.reader.tokens(text) if isinstance(text, str) else given
        if not tokens:
            raise UserError(f"'{brief(text, 60)}' has no token that could be scored")
        return tokens

    def _measures(self, asked: Measures | None = None) -> dict[str, Measure]:
        """Return the measures that are asked for, else those of the run.

        What a measure learns of the training texts is not in a run folder: its scores are undefined.
        """
        measures = self.run.config["importance"] if asked is None else asked
        named: dict[str, Measure] = {}
        for spec in validate({"importance": [*measures]}, origin="explain").importance:
            check_measure(spec, self.model)
            learns = MEASURES[spec.type].facts["learns"]
            if learns and asked is not None:
                raise UserError(
                    f"explain: {spec.title} is learned from the training texts, which a run folder does "
                    "not have"
                )
            named[spec.title] = _undefined if learns else MEASURES.bind(spec)
        return named


def _undefined(model: AttentionModel, batch: Batch) -> Tensor:
    return torch.full(batch.tokens.shape, float("nan"), dtype=torch.float64)
