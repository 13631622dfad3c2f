"""A new text, read by the trained model of a run: what it predicts, and the scores of every token."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from attex.config.loading import validate
from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.reader import READERS, Document, Reader
from attex.data.split import index_documents
from attex.foundations.divergences import distribution
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import is_unicode
from attex.importance.influence import influence_on_states
from attex.importance.measure import MEASURES

if TYPE_CHECKING:
    from attex.finished_run import Run
    from attex.models.classifier import Trace
    from attex.report.explanation_page import ExplainedText

Measures = Sequence[str | Mapping[str, Any]]
"""Measures by name, or as an experiment writes them."""

Text = str | Sequence[str]
"""A text, or its tokens."""

_TEXT = "text"
"""The split, and the name, of the only text there is."""


@dataclass(frozen=True)
class Explanation:
    """What a trained model makes of a text.

    `known` says of each token whether the model knows the word; it reads the others as one and the same
    unknown word. `scores` has a list for each measure, one score for each token, NaN where it has none.
    `probabilities` are by class, and `prediction` is the likeliest.
    """

    run: str
    seed: int
    tokens: list[str]
    known: list[bool]
    scores: dict[str, list[float]]
    prediction: str
    probabilities: dict[str, float]

    @property
    def unknown_words(self) -> list[str]:
        """The words that the model does not know, each once."""
        return [*dict.fromkeys(t for t, known in zip(self.tokens, self.known, strict=True) if not known)]

    @cached_property
    def shares(self) -> dict[str, list[float]]:
        """The scores as shares of the text's highest, by measure; 0 where there is none."""
        return {measure: _shares(scores) for measure, scores in self.scores.items()}

    def to_json(self) -> dict[str, Any]:
        """Return plain data; a score that is undefined is null."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        scores = {
            measure: [None if math.isnan(score) else score for score in of_tokens]
            for measure, of_tokens in self.scores.items()
        }
        return fields | {"scores": scores, "unknown_words": self.unknown_words}

    def shown(self) -> "ExplainedText":
        """Return what a page shows."""
        from attex.report.explanation_page import ExplainedText

        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return ExplainedText(**fields, shares=self.shares, unknown_words=self.unknown_words)

    def _repr_html_(self) -> str:
        from attex.report.explanation_page import render_explanation

        return render_explanation(self.shown())


def _shares(scores: Sequence[float]) -> list[float]:
    known = [0.0 if math.isnan(score) else score for score in scores]
    highest = max(known, default=0.0) or 1.0
    return [score / highest for score in known]


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

    @cached_property
    def reader(self) -> Reader:
        """The dataset's reader, which cuts new texts, too."""
        reader: Reader = READERS.bind(READERS.spec(self.run.config["data"]))
        return reader

    @property
    def asks(self) -> bool:
        """Whether the model reads a query with each text."""
        return self.model.query is not None

    def __call__(
        self, text: Text, measures: Measures | None = None, query: Text | None = None
    ) -> Explanation:
        """Read a text, or a list of its tokens, and score them by the run's measures or others."""
        named = self._measures(self.run.config["importance"] if measures is None else measures)
        batch, tokens = self.batch(text, query)
        output = distribution(self._traced(batch).logits)[0]
        classes: list[str] = self.run.vocabulary["classes"]
        return Explanation(
            run=self.run.config["name"],
            seed=self.seed,
            tokens=tokens,
            known=self.known(tokens),
            scores=self._scores(batch, int(output.argmax()), named),
            prediction=classes[int(output.argmax())],
            probabilities=dict(zip(classes, output.tolist(), strict=True)),
        )

    def explored(self, batch: Batch) -> dict[str, Any]:
        """Return what the explorer of a page shows of a text, the influence of its tokens included."""
        from attex.report.explorer import head_form, one_seed

        trace, inside = self._traced(batch), batch.scorable[0]
        predicted = int(distribution(trace.logits)[0].argmax())
        form = self.model.decoder.formula()
        values = self.model.readout(trace.hidden, batch).values[0][inside] if form else None
        ((_, shares),) = influence_on_states(self.model, batch)
        return one_seed(
            trace.logits[0].tolist(),
            self._scores(batch, predicted, self._measures(self.run.config["importance"])),
            trace.attention[0][inside].tolist(),
            None if values is None else values.tolist(),
            head_form(form),
            shares[0][inside][:, inside].nan_to_num(0.0).tolist(),
        )

    def known(self, tokens: Sequence[str]) -> list[bool]:
        """Say of each token whether the model knows the word."""
        return [token in self._rows for token in tokens]

    def batch(self, text: Text, query: Text | None = None) -> tuple[Batch, list[str]]:
        """Make a batch of one text, with its tokens; the batch has the markers that the corpus has."""
        if self.asks != (query is not None):
            raise UserError(
                "the model of this run reads a query with each text: give one (--query, or query=…)"
                if self.asks
                else "the model of this run reads one text: it takes no query"
            )
        tokens = self.tokens(text)
        asked = None if query is None else self.tokens(query)
        past = len(self._words)
        index = {token: self._rows.get(token, past) for token in (*tokens, *(asked or ()))}
        classes = self.run.vocabulary["classes"]
        document = Document(_TEXT, _TEXT, tokens, classes[0], query=asked)
        split = index_documents([document], index, classes)
        markers = self.run.vocabulary["markers"]
        corpus = Corpus(self._words, past, classes, {_TEXT: split}, facts={}, markers=markers)
        return Batcher(corpus, _TEXT, self._device).batch([0]), tokens

    @torch.no_grad()
    def _traced(self, batch: Batch) -> "Trace":
        trace: Trace = self.model(batch)
        return trace

    def _scores(
        self, batch: Batch, predicted: int, measures: Mapping[str, Any]
    ) -> dict[str, list[float]]:
        # Nobody knows the label of a new text: measures that ask for one are given the prediction.
        batch = replace(batch, labels=torch.full_like(batch.labels, predicted))
        inside = batch.scorable[0]
        return {name: score(self.model, batch)[0][inside].tolist() for name, score in measures.items()}

    def tokens(self, text: Text) -> list[str]:
        """Cut a text as the dataset's were; a list is taken as tokens."""
        given = [text] if isinstance(text, str) else [*text]
        if not all(isinstance(part, str) and is_unicode(part) for part in given):
            raise UserError(f"'{brief(text, 60)}' is no text that can be written down in Unicode")
        tokens = self.reader.tokens(text) if isinstance(text, str) else given
        if not tokens:
            raise UserError(f"'{brief(text, 60)}' has no token that could be scored")
        return tokens

    @staticmethod
    def _measures(measures: Measures) -> dict[str, Any]:
        specs = validate({"importance": [*measures]}, origin="explain").importance
        return {spec.title: MEASURES.bind(spec) for spec in specs}
