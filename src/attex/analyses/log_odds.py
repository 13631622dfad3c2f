"""Attention beside what words alone say of the class: imposed, and the attended words overwritten."""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
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
from attex.analyses.substitution import overwritten, strongest_words
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.log_odds import log_odds_chart
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.data.corpus import SPECIALS, Corpus
from attex.foundations.divergences import distribution, jensen_shannon, total_variation
from attex.foundations.errors import UserError
from attex.foundations.progress import track
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.imposed import LogOddsAttention
from attex.models.projections.dense import uniform
from attex.training.log_odds import log_odds
from attex.training.prediction import EVALUATION_TOKENS

OWN, LOG_ODDS, UNIFORM = ATTENTIONS = ("own", "log-odds", "uniform")
ATTENDED, RANDOM = PLACES = ("most attended", "random")
DIFFERENCE = "difference"

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@ANALYSES.register("log_odds", cite="Jain & Wallace 2019, released code")
class LogOddsAnalysis(Analysis):
    """What a bag of words has to do with attention: its log-odds imposed, and put in attended places.

    w is a logistic regression on the words of the training texts (`penalty`/2 ‖w‖²; two classes). Each
    text is decided again with the weights softmax(|w| / `temperature`) and with uniform ones, at the
    same hidden states: accuracy, agreement with the model's own decision, TVD of the outputs and JSD of
    the attentions (nats). Then its `words` most attended tokens, at most all, are overwritten with the
    strongest words of the class that the model did not decide for, and the model reads it again; beside
    it the same words at random positions. The strongest word goes to the most attended position; tied
    weights are ordered at random. Stop words count as words.
    """

    title = "Attention and log-odds"
    examines = True
    examines_scores = False
    reads_scores = False
    explanation = (
        "The log-odds of a word say how far it speaks for a class, with no regard to order or context. "
        "If the model decides the same with attention on the words of large log-odds, or with uniform "
        "attention, its own weights matter little. And if its attention rests on what decides, then "
        "words of the other class do more in the most attended positions than in random ones."
    )
    views: ClassVar = {
        "log_odds": View(
            ("imposed",), ("agreement", "agreement_low", "agreement_high", "accuracy", "tvd", "jsd")
        ),
        "log_odds_substitution": View(
            ("overwritten",), ("flipped", "flipped_low", "flipped_high", "tvd", "tvd_low", "tvd_high")
        ),
    }

    def __init__(
        self,
        *,
        temperature: Positive = 1.0,
        penalty: Annotated[float, Field(ge=1e-3, allow_inf_nan=False)] = 1.0,
        words: Annotated[int, Field(ge=1, le=1000)] = 5,
    ) -> None:
        self.temperature = temperature
        self.penalty = penalty
        self.words = words

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need two classes, and an attention that scores states."""
        if len(corpus.classes) != 2:
            return f"a word has log-odds of two classes, and the dataset has {len(corpus.classes)}"
        return no_words(model) or no_attention(model)

    def check(self, corpus: Corpus, measures: Sequence[Spec]) -> None:
        """Ask for words to overwrite with."""
        known = corpus.vocabulary_size - len(SPECIALS)
        if known < self.words:
            raise UserError(f"analysis 'log_odds' overwrites with {self.words} words of only {known}")

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Run every text under three attentions, and with words overwritten in two ways."""
        model = subject.load()
        w = log_odds(subject.corpus, penalty=self.penalty).to(subject.device)
        guided = LogOddsAttention(model, w, self.temperature)
        strongest = strongest_words(w, self.words)
        texts = Batcher(subject.corpus, ANALYSED, subject.device)
        order = ordered_batches(texts.lengths, EVALUATION_TOKENS, texts.asked)
        sizes = padded_sizes(texts.lengths, order)
        batches = track(texts.batches(order), "log-odds", len(order), sizes)
        probed = (_probed(model, guided, strongest, batch) for batch in batches)
        return put_together(zip(order, probed, strict=True), len(texts))

    def __call__(self, evidence: Evidence) -> Result:
        """Summarise by seed and over all."""
        findings = _Findings(evidence)
        imposed = {name: findings.rows({"imposed": name}, findings.under(name)) for name in ATTENTIONS}
        moved = {place: findings.moved(place) for place in PLACES}
        moved[DIFFERENCE] = {q: moved[ATTENDED][q] - moved[RANDOM][q] for q in moved[RANDOM]}
        overwriting = {
            place: findings.rows({"overwritten": place, "words": self.words}, values)
            for place, values in moved.items()
        }
        changes = {f"{name} attention": imposed[name] for name in (LOG_ODDS, UNIFORM)}
        changes |= {f"{place} words overwritten": overwriting[place] for place in PLACES}
        shown = [row | {"change": change} for change, rows in changes.items() for row in rows]
        return Result(
            {
                "tables/log_odds": frame([*chain(*imposed.values())]),
                "tables/log_odds_substitution": frame([*chain(*overwriting.values())]),
            },
            {"log_odds": log_odds_chart(shown)},
            [
                _headline(
                    "Does the model decide the same with attention by log-odds (chance: uniform)?",
                    "agreement",
                    imposed[LOG_ODDS],
                    imposed[UNIFORM],
                ),
                _headline(
                    f"Do {self.words} words of the other class in the most attended positions change "
                    "the decision (chance: in random ones)?",
                    "flipped",
                    overwriting[ATTENDED],
                    overwriting[RANDOM],
                ),
            ],
        )


def _probed(
    model: AttentionModel, guided: LogOddsAttention, strongest: Tensor, batch: Batch
) -> dict[str, Tensor]:
    """Compute all that the tables need of a batch; strongest [2,k] words of either class."""
    hidden, asked = model.encode(model.embed(batch), batch), model.ask(batch)
    energies = model.score(hidden, batch, asked)
    own = model.weigh(energies, batch)
    attentions = {
        OWN: own,
        LOG_ODDS: guided.weigh(energies, batch),
        UNIFORM: uniform(energies, batch.scorable),
    }
    logits = {name: model.decode(hidden, weights, batch, asked) for name, weights in attentions.items()}
    other = strongest[1 - distribution(logits[OWN]).argmax(dim=1)]
    for place, weights in ((ATTENDED, own), (RANDOM, torch.zeros_like(own))):
        logits[place] = model(overwritten(batch, weights, other)).logits
    return (
        {_key(name, "logits"): values for name, values in logits.items()}
        | {_key(name, "tvd"): total_variation(values, logits[OWN]) for name, values in logits.items()}
        | {_key(name, "jsd"): jensen_shannon(weights, own) for name, weights in attentions.items()}
    )


class _Findings:
    """What was found out about the models of all seeds, as matrices of S seeds × N texts."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._labels = evidence.texts.labels.numpy()

    def under(self, name: str) -> dict[str, np.ndarray]:
        """What another attention does."""
        decided = self._decided(name)
        return {
            "accuracy": (decided == self._labels).astype(float),
            "agreement": (decided == self._decided(OWN)).astype(float),
            "tvd": self._column(name, "tvd"),
            "jsd": self._column(name, "jsd"),
        }

    def moved(self, place: str) -> dict[str, np.ndarray]:
        """What other words do."""
        flipped = (self._decided(place) != self._decided(OWN)).astype(float)
        return {"tvd": self._column(place, "tvd"), "flipped": flipped}

    def rows(self, of: dict[str, Any], values: dict[str, np.ndarray]) -> list[dict[str, Any]]:
        """Give mean and interval of every quantity, by seed and over all."""
        rows = []
        for number, members in seed_groups(self._evidence.numbers):
            row = self._evidence.about | of | {"seed": number, "n": len(members) * len(self._labels)}
            for quantity, each in values.items():
                summary = summarise(each[members], np.ones_like(each[members], dtype=bool))
                row |= {quantity: summary["mean"]}
                row |= {f"{quantity}_{end}": summary[end] for end in ("low", "high")}
            rows.append(row)
        return rows

    def _column(self, name: str, quantity: str) -> np.ndarray:
        return self._evidence.stacked(_key(name, quantity))

    def _decided(self, name: str) -> np.ndarray:
        logits = torch.from_numpy(self._column(name, "logits"))
        decided: np.ndarray = distribution(logits).argmax(dim=-1).numpy()
        return decided


def _headline(
    question: str, quantity: str, rows: list[dict[str, Any]], chance: list[dict[str, Any]]
) -> Headline:
    value, low, high = (rows[-1][f"{quantity}{end}"] for end in ("", "_low", "_high"))
    return Headline(question, quantity, value, low, high, chance[-1][quantity])


def _key(name: str, quantity: str) -> str:
    return f"{name}|{quantity}"
