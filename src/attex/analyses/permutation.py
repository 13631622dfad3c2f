"""What the output loses when the weights are put on other words."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field
from torch import Tensor

from attex.analyses.analysis import (
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
    no_attention,
)
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, binned_medians, by_class
from attex.analyses.readings import Reading, readings
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.violins import bin_names, bin_of, violin_chart
from attex.counterfactual.permutation import permute
from attex.data.corpus import Corpus
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

CHANGE = "median_output_change"
ANY = "any"


@ANALYSES.register("permutation", cite="Jain & Wallace 2019, §4.2.1", version=2)
class PermutationAnalysis(Analysis):
    """Change of the output under permuted attention, hidden states fixed.

    For each text the median of Δŷ = TVD(ŷ(α′), ŷ(α)) over `draws` permutations α′ of α, against its
    highest weight: mean, std, interval and quartiles of the medians, by bin of the highest weight
    and predicted class.
    """

    title = "Permuted attention"
    explanation = (
        "The weights of each text are shuffled over its words and everything else is kept. If "
        "attention decides, the output changes: most where one word had nearly all the weight."
    )
    views: ClassVar = {
        "permutation": View(("highest_weight",), ("mean", "low", "high", "n"), {"class": "overall"})
    }
    examines = True
    examines_scores = False
    reads_scores = False

    def __init__(self, *, draws: Annotated[int, Field(ge=1, le=100_000)] = 100) -> None:
        self.draws = draws

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that scores states."""
        return no_attention(model)

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Permute the attention of every text."""
        pieces = ((part.texts, self._columns(part)) for part in readings(subject, self.title.lower()))
        return put_together(pieces, len(subject.texts))

    def _columns(self, part: Reading) -> dict[str, Tensor]:
        change = permute(part.readout, part.attention, part.mask, draws=self.draws, ids=part.ids)
        return {"median": _median(change), "highest": part.attention.amax(dim=1)}

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the mean of the medians."""
        return (CHANGE,)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the mean of the medians, and their median in each bin of the highest weight."""
        medians, highest = evidence.stacked("median")[0], evidence.stacked("highest")[0]
        predicted, classes = evidence.decided[0], evidence.classes
        yield from by_class(CHANGE, medians, predicted, classes)
        yield from binned_medians(CHANGE, medians, highest, predicted, classes)

    def __call__(self, evidence: Evidence) -> Result:
        """Lay the medians out by bin and class."""
        medians, highest = evidence.stacked("median"), evidence.stacked("highest")
        rows = [evidence.about | row for row in _rows(evidence, medians, highest)]
        overall = rows[-1]
        headline = Headline(
            "How much does the output change when attention is shuffled?",
            "median TVD",
            overall["mean"],
            overall["low"],
            overall["high"],
            chance=None,
        )
        chart = violin_chart(
            medians,
            highest,
            evidence.decided,
            evidence.classes,
            "Permuted attention",
            "median change of the output (TVD)",
            1.0,
        )
        return Result({"tables/permutation": frame(rows)}, {"permutation": chart}, [headline])


def _median(changes: Tensor) -> Tensor:
    """Return the middle of each row [B,draws], or the mean of the two in the middle: [B]."""
    # Of two in the middle torch takes the lower one, and so the upper one of the negative values.
    return (changes.median(dim=1).values - (-changes).median(dim=1).values) / 2


def _rows(evidence: Evidence, medians: np.ndarray, highest: np.ndarray) -> Iterator[dict[str, Any]]:
    decided, bins = evidence.decided, bin_of(highest)
    everywhere = np.ones_like(decided, dtype=bool)
    classes = [(name, decided == number) for number, name in enumerate(evidence.classes)]
    binned = [(name, bins == number) for number, name in enumerate(bin_names())]
    for seed, members in seed_groups(evidence.numbers):
        for bin_name, inside in [*binned, (ANY, everywhere)]:
            for class_name, of_class in [*classes, ("overall", everywhere)]:
                chosen = (inside & of_class)[members]
                known = medians[members][chosen & ~np.isnan(medians[members])]
                quartiles = np.percentile(known, [25, 50, 75]) if known.size else [np.nan] * 3
                row = {"seed": seed, "highest_weight": bin_name, "class": class_name}
                row |= summarise(medians[members], chosen)
                yield row | dict(zip(("q25", "q50", "q75"), map(float, quartiles), strict=True))
