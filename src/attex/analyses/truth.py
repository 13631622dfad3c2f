"""Every measure against the tokens that are known to decide the label."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch

from attex.analyses.analysis import (
    ANALYSED,
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    SeedEvidence,
)
from attex.analyses.quantity import Quantity, mean
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.truth_scores import (
    average_precision,
    chance_average_precision,
    chance_precision,
    precision_at_truth,
)
from attex.analyses.views import View
from attex.charts.truth import truth_chart
from attex.data.batch import ordered_batches
from attex.data.corpus import Corpus
from attex.data.split import Split
from attex.foundations.errors import UserError
from attex.foundations.registry import LATER, Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

AT_RANDOM = "chance"
"""What stands in the place of a measure where nothing is known of the tokens."""
_PADDED_TOKENS = 65_536
_SCORES = {"auprc": average_precision, "precision_at_k": precision_at_truth}
_CHANCE = {"auprc": chance_average_precision, "precision_at_k": chance_precision}


@ANALYSES.register("truth", cite="DeYoung et al. 2020")
class TruthAnalysis(Analysis):
    """Every measure scored against planted or human-marked tokens.

    AUPRC and precision at the true k, per text; mean, std, 95 % bootstrap interval, and what a
    random ranking without ties would get. (Tied tokens rank together, so that a constant measure has
    an AUPRC of k/n, a little below a random order's.) With `bounds` what the random ranking gets is
    among the numbers of each model that studies gather, too.
    """

    title = "Measures against the truth"
    explanation = (
        "Here the tokens that decide the label are known, so that a measure can be right or "
        "wrong: 1 means that it ranks exactly these tokens first. The tick is what a random "
        "ranking would get."
    )
    views: ClassVar = {"truth": View(("measure", "score"), ("mean", "low", "high", "chance"))}

    def __init__(self, *, bounds: Annotated[bool, LATER] = False) -> None:
        self.bounds = bounds

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need marked tokens."""
        truth = corpus.splits[ANALYSED].truth
        marked = truth is not None and bool(truth.any())
        return None if marked else f"no token of the {ANALYSED} texts is marked as deciding"

    def check(self, corpus: Corpus, measures: Sequence[Spec]) -> None:
        """Ask for a measure."""
        if not measures:
            raise UserError("analysis 'truth' needs a measure under importance")

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the scores of every measure."""
        names = [measure.title for measure in measures] + ([AT_RANDOM] if self.bounds else [])
        return tuple(f"{score}({name})" for name in names for score in _SCORES)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the scores of every measure."""
        (seed,) = evidence.seeds
        for measure in evidence.titles:
            for score, compute in _SCORES.items():
                values = _score(evidence.texts, seed, measure, compute)
                yield mean(f"{score}({measure})", values)
        for score in _SCORES if self.bounds else ():
            yield Quantity(f"{score}({AT_RANDOM})", _at_random(evidence.texts, score))

    def __call__(self, evidence: Evidence) -> Result:
        """Score every measure of every seed."""
        texts = evidence.texts
        rows: list[dict[str, Any]] = []
        for measure in evidence.titles:
            for score, compute in _SCORES.items():
                values = np.stack([_score(texts, seed, measure, compute) for seed in evidence.seeds])
                chance = _at_random(texts, score)
                for seed, members in seed_groups(evidence.numbers):
                    chosen = np.ones_like(values[members], dtype=bool)
                    row = {"measure": measure, "score": score, "seed": seed}
                    summary = summarise(values[members], chosen)
                    rows.append(evidence.about | row | summary | {"chance": chance})
        headline = [
            Headline(
                f"Does {row['measure']} find the tokens that decide?",
                "AUPRC",
                *(row[key] for key in ("mean", "low", "high", "chance")),
            )
            for row in {row["measure"]: row for row in rows if row["score"] == "auprc"}.values()
        ]
        return Result({"tables/truth": frame(rows)}, {"truth": truth_chart(rows)}, headline)


def _at_random(texts: Split, score: str) -> float:
    """Return what a random ranking gets on average, over the texts that have a true token."""
    assert texts.truth is not None
    sums = torch.cat([torch.zeros(1), texts.truth.cumsum(0)])
    true, tokens = sums[texts.starts].diff().long().numpy(), texts.lengths.numpy()
    return float(np.mean(_CHANCE[score](true[true > 0], tokens[true > 0])))


def _score(texts: Split, seed: SeedEvidence, measure: str, compute: Any) -> np.ndarray:
    assert texts.truth is not None
    values = np.empty(len(texts))
    for chosen in ordered_batches(texts.lengths.numpy(), _PADDED_TOKENS):
        scores, mask = texts.side_by_side(seed.scores[measure], chosen)
        truth, _ = texts.side_by_side(texts.truth, chosen)
        values[chosen] = compute(scores, truth & mask, mask).numpy()
    return values
