"""Attention against the importance of inputs, and against that of hidden states."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from attex.agreement.statistic import STATISTICS
from attex.analyses.agreement import AgreementAnalysis, file_name
from attex.analyses.agreement_rows import OVERALL, Comparisons
from attex.analyses.analysis import (
    ANALYSES,
    PERMUTED,
    UNTRAINED,
    Evidence,
    Headline,
    Result,
    no_attention,
)
from attex.analyses.summary import ALL_SEEDS, frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.ranges import range_chart
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.importance.measure import is_over_states, over_inputs
from attex.models.classifier import AttentionModel

INPUTS, STATES = "inputs", "hidden states"
_ATTENTION = "attention"


@ANALYSES.register("contextualisation", cite="Meister et al. 2021, Table 6")
class ContextualisationAnalysis(AgreementAnalysis):
    """Agreement of attention with importance of inputs, and with the same importance of hidden states.

    Every measure is compared with attention; `over` says whether it is one of tokens or of states.
    The columns are those of `agreement`, by default with both controls: attention is a factor of every
    gradient and deletion of a hidden state, so that an untrained model agrees with itself, too, and
    so does a model under its own attention, permuted. `contextualisation_differences` has, text by
    text, states less inputs of the same measure, and each agreement less that of its controls.
    """

    title = "Contextualisation"
    explanation = (
        "If hidden states stood for their tokens, attention would agree with the importance of inputs "
        "as it does with that of states. But much of the latter is arithmetic: a state's gradient has "
        "its weight as a factor. The untrained model, and permuted attention, show how much."
    )
    views: ClassVar = {
        "contextualisation": View(
            ("statistic", "measure_b"),
            ("mean", "low", "high", UNTRAINED, PERMUTED),
            {"class": OVERALL},
        ),
        "contextualisation_differences": View(("statistic", "measure", "less"), ("mean", "low", "high")),
    }

    def __init__(
        self,
        *,
        statistics: tuple[Annotated[Spec, STATISTICS.choice], ...] = (STATISTICS.spec("kendall_tau"),),
        draws: Annotated[int, Field(ge=1, le=100_000)] = 999,
        controls: Literal["always", "never"] = "always",
    ) -> None:
        super().__init__(statistics=statistics, draws=draws, controls=controls)

    def pairs(self, measures: Sequence[Spec]) -> list[tuple[str, str]]:
        """Compare attention with each other measure."""
        return [(_ATTENTION, measure.title) for measure in measures if measure.type != _ATTENTION]

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that scores states."""
        return no_attention(model)

    def check(self, corpus: Corpus, measures: Sequence[Spec]) -> None:
        """Ask for attention, and for a measure of inputs and of states."""
        over_states = {is_over_states(measure) for measure in measures if measure.type != _ATTENTION}
        given = [measure.title for measure in measures]
        if _ATTENTION not in given or len(over_states) < 2:
            raise UserError(
                "analysis 'contextualisation' needs attention, a measure of inputs and one of hidden "
                f"states (such as gradient_norm and gradient_norm[hidden]), not {given}"
            )

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out every comparison beside its controls."""
        rows, gaps, charts, headlines = [], [], {}, []
        measures = dict(zip(evidence.titles, evidence.measures, strict=True))
        for spec in self.statistics:
            pairs = self.compared(evidence, spec)
            about = evidence.about | {"statistic": spec.title, "k": str(spec.options().get("k", ""))}
            of_spec = []
            for (first, second), compared in pairs.items():
                over = _over(measures[second])
                of_pair = about | {"measure_a": first, "measure_b": second, "over": over}
                these = compared.class_rows(evidence.decided, evidence.classes)
                of_spec += [of_pair | row for row in these]
            rows += of_spec
            gaps += [about | row for row in _gaps(measures, pairs)]
            pooled = _pooled(of_spec)
            charts[file_name(f"contextualisation_{spec.title}")] = range_chart(
                [_point(measures[row["measure_b"]], row) for row in pooled],
                "Attention against importance of inputs and of hidden states",
                spec.title,
            )
            headlines += [_headline(row) for row in pooled]
        tables = {
            "tables/contextualisation": frame(rows),
            "tables/contextualisation_differences": frame(gaps),
        }
        return Result({n: t for n, t in tables.items() if not t.is_empty()}, charts, headlines)


def _over(measure: Spec) -> str:
    return STATES if is_over_states(measure) else INPUTS


def _gaps(
    measures: Mapping[str, Spec], pairs: Mapping[tuple[str, str], Comparisons]
) -> Iterator[dict[str, Any]]:
    """Subtract inputs from states, and the controls from each, text by text."""
    for (first, second), compared in pairs.items():
        measure = measures[second]
        others = {n: compared.columns[n] for n in (UNTRAINED, PERMUTED) if n in compared.columns}
        over = over_inputs(measure)
        if over is not None and (first, over.title) in pairs:
            others[INPUTS] = pairs[first, over.title].values
        for less, values in others.items():
            gap = compared.values - values
            for seed, members in seed_groups(compared.seeds):
                chosen = np.ones_like(gap[members], dtype=bool)
                about = {"measure": second, "over": _over(measure), "less": less, "seed": seed}
                yield about | summarise(gap[members], chosen)


def _pooled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    overall = [row for row in rows if row["class"] == OVERALL]
    several = any(row["seed"] == ALL_SEEDS for row in overall)
    return [row for row in overall if not several or row["seed"] == ALL_SEEDS]


def _point(measure: Spec, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": (over_inputs(measure) or measure).title,
        "group": row["over"],
        "value": row["mean"],
        "low": row["low"],
        "high": row["high"],
        "marks": {"chance": row["null"]}
        | {name: row[name] for name in ("ceiling", UNTRAINED, PERMUTED)},
    }


def _headline(row: dict[str, Any]) -> Headline:
    question = f"Does attention agree with {row['measure_b']}?"
    numbers = (row[key] for key in ("mean", "low", "high", "null", "ceiling"))
    return Headline(question, row["statistic"], *numbers)
