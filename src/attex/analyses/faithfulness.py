"""Does the output rest on the tokens that a measure names? They are deleted, or left alone."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.analyses.analysis import ANALYSED, ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, mean, ratio
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.faithfulness import faithfulness_chart
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.foundations.divergences import distribution
from attex.foundations.draws import highest_first, permutations
from attex.foundations.progress import steps, track
from attex.foundations.registry import Spec
from attex.importance.measure import by_word
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

COMPREHENSIVENESS, SUFFICIENCY = "comprehensiveness", "sufficiency"
RANDOM = "random tokens"
"""No measure has this name: the registry's are single words."""
AREA = "area"
NORMALISED = " normalised"
_SEED = 2020
_PADDED_TOKENS = {"cpu": 32_768, "cuda": 393_216}

Fractions = Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Field(min_length=1)]


@ANALYSES.register("faithfulness", cite="DeYoung et al. 2020, ERASER")
class FaithfulnessAnalysis(Analysis):
    """Comprehensiveness and sufficiency of every measure: what its top tokens do to the output.

    With r the ⌈f·n⌉ tokens that a measure scores highest (at least one) and p the probability of the
    class predicted for the whole text: comprehensiveness = p(x) − p(x without r), high where the
    output rests on r; sufficiency = p(x) − p(r alone), low where r is enough. Tokens are deleted and
    the text closes up. `area` is the mean over the `fractions`; each is beside `random`, the same for
    tokens drawn at random, and `gain` is what is gained over that, text by text (the sign turned for
    sufficiency, so that more is better). Ties, as of weights that are 0, are broken at random.
    Undefined where scores are, and where nothing would be left of a text.
    """

    title = "Faithfulness"
    examines = True
    reads_scores = False
    explanation = (
        "Comprehensiveness is how far the probability of the decision falls when a measure's top "
        "tokens are deleted (higher is better), sufficiency how far it falls when only they are left "
        "(lower is better). Tokens drawn at random show what deleting that many does anyway. A sparse "
        "attention names random tokens once its weights have run out: compare it with others at "
        "small fractions. Texts with words missing are unlike those that the model was trained on."
    )
    views: ClassVar = {
        "faithfulness": View(
            ("measure", "quantity"), ("mean", "low", "high", "random"), {"fraction": AREA}
        )
    }

    def __init__(self, *, fractions: Fractions = (0.01, 0.05, 0.1, 0.2, 0.5)) -> None:
        self.fractions = fractions

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Delete, and leave alone, the top tokens of every measure at every fraction: [N] each."""
        model, texts = subject.load(), Batcher(subject.corpus, ANALYSED, subject.device)
        batches = ordered_batches(texts.lengths, _PADDED_TOKENS[subject.device.type], texts.asked)
        sizes = padded_sizes(texts.lengths, batches)
        tracked = track(batches, self.title.lower(), len(batches), sizes)
        pieces = ((chosen, self._lost(subject, model, texts, chosen)) for chosen in tracked)
        return put_together(pieces, len(texts))

    def _lost(
        self, subject: Subject, model: AttentionModel, texts: Batcher, chosen: np.ndarray
    ) -> dict[str, Tensor]:
        batch = texts.batch(chosen)
        whole = distribution(model(batch).logits)
        class_ = whole.argmax(dim=1, keepdim=True)
        columns: dict[str, Tensor] = {}
        for measure in steps((*subject.titles, RANDOM)):
            ranks, defined = _ranks(subject, measure, batch, chosen)
            for fraction in self.fractions:
                top = _top(ranks, batch, fraction)
                for quantity, left in (
                    (COMPREHENSIVENESS, batch.mask & ~top),
                    (SUFFICIENCY, batch.mask & (top | ~batch.scorable)),
                ):
                    lost = (whole - _outputs(model, batch, left)).gather(1, class_)[:, 0]
                    known = defined & (left & batch.scorable).any(dim=1)
                    column = lost.double().masked_fill(~known, float("nan"))
                    columns[_key(measure, quantity, fraction)] = column
        return columns

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name both quantities of every measure, and the first of them normalised."""
        names = (*(f"({measure.title})" for measure in measures), f"({RANDOM})")
        plain = (kind + name for name in names for kind in (COMPREHENSIVENESS, SUFFICIENCY))
        return (*plain, *(COMPREHENSIVENESS + name + NORMALISED for name in names[:-1]))

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the areas, and how far comprehensiveness is from random tokens' to the best.

        The best is, text by text and for each fraction, that of the measure whose tokens cost most.
        """
        areas = {}
        for kind in (COMPREHENSIVENESS, SUFFICIENCY):
            for measure in (*evidence.titles, RANDOM):
                areas[kind, measure] = self._by_fraction(evidence, measure, kind)[AREA][0]
                yield mean(f"{kind}({measure})", areas[kind, measure])
        best = np.mean(
            [
                np.max([evidence.stacked(_key(m, COMPREHENSIVENESS, f))[0] for m in evidence.titles], 0)
                for f in self.fractions
            ],
            axis=0,
        )
        at_random = areas[COMPREHENSIVENESS, RANDOM]
        for measure in evidence.titles:
            gain = areas[COMPREHENSIVENESS, measure] - at_random
            yield ratio(f"{COMPREHENSIVENESS}({measure}){NORMALISED}", gain, best - at_random)

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out what the top tokens of every measure do, beside random ones."""
        values = {
            (measure, quantity): self._by_fraction(evidence, measure, quantity)
            for measure in (*evidence.titles, RANDOM)
            for quantity in (COMPREHENSIVENESS, SUFFICIENCY)
        }
        rows = [evidence.about | row for row in _rows(values, evidence.numbers)]
        pooled = {(r["quantity"], r["measure"], r["fraction"]): r for r in rows}
        chart = faithfulness_chart(
            [r for r in pooled.values() if r["fraction"] != AREA], RANDOM, [*evidence.titles, RANDOM]
        )
        headlines = [_headline(row) for key, row in pooled.items() if key[1:] == ("attention", AREA)]
        return Result({"tables/faithfulness": frame(rows)}, {"faithfulness": chart}, headlines)

    def _by_fraction(self, evidence: Evidence, measure: str, quantity: str) -> dict[str, np.ndarray]:
        each = {f"{f:g}": evidence.stacked(_key(measure, quantity, f)) for f in self.fractions}
        return each | {AREA: np.mean([*each.values()], axis=0)}


def _key(measure: str, quantity: str, fraction: float) -> str:
    return f"{measure}|{quantity}|{fraction:g}"


def _ranks(subject: Subject, measure: str, batch: Batch, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
    """Rank the tokens of every text, the highest score first: [B,T], and which texts have scores [B].

    What has no score comes last; ties are broken by a draw of the text's own.
    """
    shuffled = permutations(batch.ids, batch.scored, 1, _SEED)[:, 0]
    keys = torch.zeros(batch.tokens.shape, dtype=torch.float64, device=batch.tokens.device)
    if measure != RANDOM:
        values, _ = subject.texts.side_by_side(subject.scores[measure], chosen)
        keys = batch.spread(values.to(keys.device))
    defined = ~(keys.isnan() & batch.scored).any(dim=1)
    order = highest_first(keys.nan_to_num(nan=0.0), batch.scored, shuffled)
    places = torch.arange(keys.shape[1], device=keys.device).expand_as(order)
    return torch.empty_like(order).scatter(1, order, places), defined


def _top(ranks: Tensor, batch: Batch, fraction: float) -> Tensor:
    """Mark the ⌈f·n⌉ first of every text's n tokens: [B,T], all pieces of each."""
    # Less a hair: 0.2 · 5 must not round up to 2.
    count = (batch.scored.sum(dim=1).double() * fraction - 1e-9).ceil().clamp(min=1)
    top = (ranks < count[:, None]) & batch.scored
    return by_word(top.double(), batch).bool() & batch.scorable


def _outputs(model: AttentionModel, batch: Batch, kept: Tensor) -> Tensor:
    """Run the model on what is kept of the texts: [B,C]; where no token is, on the whole text."""
    something = (kept & batch.scorable).any(dim=1, keepdim=True)
    return distribution(model(batch.keeping(kept | ~something)).logits)


def _rows(
    values: dict[tuple[str, str], dict[str, np.ndarray]], seeds: Sequence[int]
) -> Iterator[dict[str, Any]]:
    for (measure, quantity), by_fraction in values.items():
        for fraction, lost in by_fraction.items():
            at_random = values[RANDOM, quantity][fraction]
            gain = lost - at_random if quantity == COMPREHENSIVENESS else at_random - lost
            for seed, members in seed_groups(seeds):
                everywhere = np.ones_like(lost[members], dtype=bool)
                gained = summarise(gain[members], everywhere)
                yield {
                    "measure": measure,
                    "quantity": quantity,
                    "fraction": fraction,
                    "seed": seed,
                    **summarise(lost[members], everywhere),
                    "random": summarise(at_random[members], everywhere)["mean"],
                    "gain": gained["mean"],
                    "gain_low": gained["low"],
                    "gain_high": gained["high"],
                }


def _headline(row: dict[str, Any]) -> Headline:
    question = {
        COMPREHENSIVENESS: "Does the output rest on the most attended tokens?",
        SUFFICIENCY: "Are the most attended tokens enough for the output? (lower is better)",
    }[row["quantity"]]
    numbers = (row[key] for key in ("mean", "low", "high", "random"))
    return Headline(question, f"{row['quantity']}, area", *numbers)
