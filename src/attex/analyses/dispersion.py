"""How evenly influence is spread: of the tokens on the output, and on each hidden state."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from attex.agreement.intervals import ratio_interval
from attex.analyses.analysis import (
    ANALYSED,
    ANALYSES,
    UNTRAINED,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
)
from attex.analyses.quantity import Quantity, mean, ratio
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.density import density_chart, density_rows
from attex.data.batch import Batcher, like_batches, ordered_batches, padded_sizes
from attex.foundations.divergences import normalised_entropy
from attex.foundations.memory import backing_off, budget_on
from attex.foundations.progress import track
from attex.foundations.registry import Spec
from attex.importance.influence import influence_on_states
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

STATES = "influence on states"
OWN, OWN_FIRST = "own token's share", "own token is first"
_ENTROPY, _UNTRAINED = "entropy|", f"{UNTRAINED}|"
_PADDED_TOKENS = {"cpu": 2_048, "cuda": 393_216}
_SUMS = ("entropy", "square", "defined", "own", "first", "counted")
"""What is added up over the states of a text."""
_OF_STATES = {"entropy": f"entropy({STATES})", "own": "own_share", "first": "own_first"}
"""What the means of these sums are called."""


@ANALYSES.register("dispersion", cite="Meister et al. 2021, §4")
class DispersionAnalysis(Analysis):
    """H̃, the entropy of a distribution over the n tokens divided by ln n: 0 one token, 1 all alike.

    Of every measure's scores, normalised, text by text; and of g_{h_p}(x), the influence of the
    tokens on the hidden state at p, over all positions of all texts, with the share of the state's
    own token and how often that is the largest. `n` counts texts, and states for the latter; std is
    over both texts and positions. Undefined: a text of one token, scores that are all 0. `untrained`
    is the same of the model before training.

    `on` chooses the influence on the magnitude of a state, or on its dimensions (see
    `importance.influence`); with `scores` there is none, for it takes long on long texts.
    """

    title = "Dispersion"
    examines = True
    examines_untrained = True
    reads_scores = False
    explanation = (
        "Normalised entropy: 0 where all influence comes from one token, 1 where every token has the "
        "same. If a hidden state stood for its own token, the influence on it would come from "
        "there, and its entropy would be near 0. What the untrained model has is no result of training."
    )
    views: ClassVar = {"dispersion": View(("of",), ("mean", "low", "high", UNTRAINED))}

    def __init__(self, *, on: Literal["magnitude", "dimensions", "scores"] = "magnitude") -> None:
        self.on: Literal["magnitude", "dimensions"] | None = None if on == "scores" else on

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Take the entropy of every measure, and of the influence on every state: [N] each."""
        entropies = {_ENTROPY + title: _entropies(subject, title) for title in subject.titles}
        if self.on is None:
            return entropies
        trained = self._states(subject, subject.load(), "", self.on)
        untrained = self._states(subject, subject.load_untrained(), _UNTRAINED, self.on)
        return entropies | trained | untrained

    def _states(
        self,
        subject: Subject,
        model: AttentionModel,
        prefix: str,
        on: Literal["magnitude", "dimensions"],
    ) -> dict[str, Tensor]:
        texts = Batcher(subject.corpus, ANALYSED, subject.device)
        sums = torch.zeros(len(_SUMS), len(texts), dtype=torch.float64)
        batches = like_batches(texts.lengths, _PADDED_TOKENS[subject.device.type], texts.asked)
        what = f"{prefix.strip('|')} {STATES}".strip()
        sizes = padded_sizes(texts.lengths, batches, power=2)
        for chosen in track(batches, what, len(batches), sizes):
            batch = texts.batch(chosen)

            def reduced(budget: int, batch: Any = batch) -> Tensor:
                pieces = influence_on_states(model, batch, on=on, budget=budget)
                return torch.cat([_state_sums(g, batch.scorable[span]) for span, g in pieces], dim=1)

            sums[:, chosen] = backing_off(reduced, budget_on(subject.device)).cpu()
        return {prefix + name: row for name, row in zip(_SUMS, sums, strict=True)}

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the entropies, and the shares of a state's own token."""
        of_states = () if self.on is None else _OF_STATES.values()
        return (*(f"entropy({measure.title})" for measure in measures), *of_states)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the entropies, and the shares of a state's own token."""
        for title in evidence.titles:
            yield mean(f"entropy({title})", evidence.stacked(_ENTROPY + title)[0])
        for finding, name in {} if self.on is None else _OF_STATES.items():
            yield ratio(name, evidence.stacked(finding)[0], evidence.stacked("defined")[0])

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out the entropies, and draw how they are distributed."""
        states = STATES if self.on == "magnitude" else f"{STATES} ({self.on})"
        of_states = [] if self.on is None else [*_state_rows(evidence, states)]
        rows = [evidence.about | row for row in (*_score_rows(evidence), *of_states)]
        curves = {title: evidence.stacked(_ENTROPY + title) for title in evidence.titles}
        if self.on is not None:
            with np.errstate(invalid="ignore"):
                curves[states] = evidence.stacked("entropy") / evidence.stacked("defined")
        chart = density_chart(
            [point for name, values in curves.items() for point in density_rows(name, values, 0.0, 1.0)],
            "Dispersion",
            "normalised entropy of a text",
            limits=(0.0, 1.0),
        )
        question, of = "How evenly do the tokens of a text influence each hidden state?", states
        if self.on is None:
            question, of = f"How evenly is {evidence.titles[0]} spread over a text?", evidence.titles[0]
        pooled = {row["of"]: row for row in rows}[of]
        headline = Headline(
            question,
            "normalised entropy",
            pooled["mean"],
            pooled["low"],
            pooled["high"],
            chance=None,
        )
        return Result({"tables/dispersion": frame(rows)}, {"dispersion": chart}, [headline])


def _entropies(subject: Subject, title: str) -> Tensor:
    entropies = torch.empty(len(subject.texts), dtype=torch.float64)
    for chosen in ordered_batches(subject.texts.lengths.numpy(), _PADDED_TOKENS["cuda"]):
        scores = subject.texts.side_by_side(subject.scores[title], chosen)
        entropies[chosen] = normalised_entropy(*scores)
    return entropies


def _state_sums(influence: Tensor, scorable: Tensor) -> Tensor:
    """Add up over the states of texts with influences [b,T,T]: `_SUMS` [6,b]."""
    entropy = normalised_entropy(influence, scorable[:, None, :].expand_as(influence))
    defined = scorable & ~entropy.isnan()
    own = influence.diagonal(dim1=1, dim2=2)
    first = own >= influence.nan_to_num(nan=-1.0).amax(dim=-1)
    columns = (entropy, entropy**2, torch.ones_like(entropy), own, first.double())
    sums = [column.where(defined, 0.0).sum(dim=1) for column in columns]
    return torch.stack([*sums, scorable.sum(dim=1).double()])


def _score_rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for title in evidence.titles:
        values = evidence.stacked(_ENTROPY + title)
        for seed, members in seed_groups(evidence.numbers):
            chosen = np.ones_like(values[members], dtype=bool)
            row = {"of": title, "seed": seed} | summarise(values[members], chosen)
            yield row | {"untrained": None}


def _state_rows(evidence: Evidence, states: str) -> Iterator[dict[str, Any]]:
    for of, name in ((states, "entropy"), (OWN, "own"), (OWN_FIRST, "first")):
        for seed, members in seed_groups(evidence.numbers):
            total, defined, of_all = (
                evidence.stacked(finding)[members] for finding in (name, "defined", "counted")
            )
            counted = int(of_all.sum())
            mean = _ratio(total, defined)
            low, high = ratio_interval(total, defined)
            spread = None
            if of == states:
                variance = _ratio(evidence.stacked("square")[members], defined) - mean**2
                spread = float(np.sqrt(np.maximum(variance, 0.0)))
            before = (evidence.stacked(_UNTRAINED + part)[members] for part in (name, "defined"))
            yield {
                "of": of,
                "seed": seed,
                "n": counted,
                "undefined": counted - int(defined.sum()),
                "mean": mean,
                "std": spread,
                "low": low,
                "high": high,
                "untrained": _ratio(*before),
            }


def _ratio(above: np.ndarray, below: np.ndarray) -> float:
    return float(above.sum() / below.sum()) if below.sum() else float("nan")
